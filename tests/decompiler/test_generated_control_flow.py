"""Statements nested in each other with every way out: what is proven behaves as the original did.

Each function asks ``t(n)`` for its decisions; a seeded script answers, and raises now and then. The log of the
questions, and how the function ended, must be the same for the original and the recompiled source.
"""

from __future__ import annotations

import itertools
import warnings
from typing import Iterator

import pytest
from nested_statements import SHAPES, indent, shape, way_out
from scripted_runs import function_of, outcome

from depyf.decompiler.pipeline import analyze

EXITS = ("fall", "return", "return-value", "break", "continue", "raise")
RUNS = 12


def cases() -> Iterator[tuple[str, str]]:
    for outer, inner, exit in itertools.product(SHAPES, SHAPES, EXITS):
        for place in ("bare", "in-loop", "before-more"):
            loops = {outer, inner} & {"while", "for"}
            if exit in ("break", "continue") and not loops and place != "in-loop":
                continue
            middle = shape(inner, way_out(exit, 50), 30)
            body = shape(outer, [*middle, "t(40)"] if place == "before-more" else middle, 10)
            if place == "before-more" and exit in ("break", "continue") and inner not in ("while", "for"):
                if outer not in ("while", "for"):
                    continue
            if place == "in-loop":
                body = ["while t(1):", *indent(body), "else:", "    t(2)"]
            text = "\n".join(["def f():", *indent(body), "    t(99)", "    return 'end'"])
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", SyntaxWarning)  # a return in finally, from 3.14 on
                    compile(text, "<case>", "exec")
            except SyntaxError:
                continue  # a way out of a loop where there is none, or a statement that this Python does not have
            yield f"{inner} in {outer}, {exit}, {place}", text


CASES = dict(cases())


def test_there_are_many_cases() -> None:
    assert len(CASES) > 1500


@pytest.mark.parametrize("name", CASES)
def test_recompiled_source_behaves_as_the_original(name: str) -> None:
    original = function_of(CASES[name])
    result = analyze(original)
    assert result.verdict.proven, result.verdict.describe()
    again = function_of(result.source)
    for seed in range(RUNS):
        assert outcome(again, seed) == outcome(original, seed), result.source
