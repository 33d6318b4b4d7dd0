"""Functions that nobody wrote: what is proven of them behaves as the original does. Hypothesis makes failures small."""

from __future__ import annotations

import random
import warnings

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from random_source import compiles, random_function
from scripted_runs import function_of, outcome

from depyf.decompiler.pipeline import analyze
from depyf.decompiler.proof import Level

RUNS = 12
NEVER_HOLDS = """
def f(a, b):
    match a:
        case True if 0:
            pass
        case {"k": c}:
            pass
    return b
"""


@settings(max_examples=200, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(dice=st.randoms(use_true_random=False))
def test_what_is_proven_behaves_as_the_original(dice: random.Random) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        text = random_function(dice)
        assume(compiles(text))
        original = function_of(text)
        result = analyze(original)
        levels = {one.verdict.level for one in result.walk()}
        assert levels <= {Level.IDENTICAL, Level.EXACT, Level.EQUIVALENT, Level.REFUSED}
        if Level.REFUSED not in levels:
            again = function_of(result.source)
            for seed in range(RUNS):
                assert outcome(again, seed) == outcome(original, seed), f"{text}\n\n{result.source}"


def test_a_guard_that_never_holds_leaves_its_test() -> None:
    result = analyze(compile(NEVER_HOLDS, "match.py", "exec"))
    module, function = result.walk()
    assert (module.verdict.exact, function.verdict.level) == (True, Level.EXACT)
    assert "    match a:\n        case True if False:\n            pass\n        case {'k': c}:\n" in function.source
