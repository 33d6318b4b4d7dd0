"""Code objects that Dynamo made of the programs in lab/ become source that is proven, and does the same on stand-ins.

A sample; benchmarks/measure/dynamo_corpus.py does it with all of them, on every Python.
"""

from __future__ import annotations

import types

import pytest
import recorded_dynamo
import standins
from recorded_dynamo import analyze

from depyf.decompiler.driver.result import Result
from depyf.decompiler.recompile import recompile

SEEDS = 6
SAMPLE = 80
WRONG_TABLE = "another value in the place of the exit function"
"""Why some code of torch 2.15 on 3.14 and later is refused: its exception table would call something else."""
CASES = recorded_dynamo.cases(sample=SAMPLE)


def test_there_are_cases_of_every_kind():
    files = recorded_dynamo.recordings()
    for path in files:
        rows = recorded_dynamo.all_rows(path)
        assert {row.kind for row in rows} == {"transformed", "resume"}
        assert len({row.program for row in rows}) > 80
        assert len({row.label for row in rows}) == len(rows)
    assert files or recorded_dynamo.HERE in ("py39", "py310")  # no recorded torch is for these


@pytest.mark.parametrize("part", range(8))
def test_recorded_code_is_proven_and_leaves_the_same_log(part: int):
    for case in CASES[part::8]:
        result: Result = analyze(case.code)
        if any(WRONG_TABLE in reason for reason in result.verdict.reasons):
            continue
        assert result.proven, (case.label, result.source, result.verdict.describe())
        code = recompile(result.source, case.code, "<test>")
        assert isinstance(code, types.CodeType)
        assert code.co_freevars == case.code.co_freevars
        assert code.co_name == case.code.co_name
        for seed in range(SEEDS):
            assert standins.run(case.code, seed) == standins.run(code, seed), (case.label, seed)


def test_text_depends_on_the_code_alone():
    for case in CASES[:20]:
        assert analyze(case.code).source == analyze(case.code).source


def codes_below(code: types.CodeType) -> list[types.CodeType]:
    return [one for one in code.co_consts if isinstance(one, types.CodeType)]


def test_free_variables_stand_in_the_order_that_they_had():
    unsorted = [
        case.code for case in recorded_dynamo.cases()
        if any(list(code.co_freevars) != sorted(code.co_freevars) for code in (case.code, *codes_below(case.code)))
    ]  # fmt: skip
    for code in unsorted[:40]:
        result = analyze(code)
        again = recompile(result.source, code, "<test>")
        assert again.co_freevars == code.co_freevars
        before = {(one.co_name, one.co_freevars) for one in codes_below(code)}
        after = {(one.co_name, one.co_freevars) for one in codes_below(again)}
        assert {pair for pair in before if pair[0] in {name for name, _ in after}} <= after
        for seed in range(SEEDS):
            assert standins.run(code, seed) == standins.run(again, seed), result.source


def test_a_function_in_nested_code_keeps_its_name_where_a_variable_has_it():
    """`@functools.lru_cache(None)` behind a graph break: `g` is the decorated function, and the one inside it."""
    for case in recorded_dynamo.cases():
        if case.label.endswith("/effect_decorator_broken-0"):
            result = analyze(case.code)
            assert result.proven, result.source
            if "def g_1" in result.source:  # up to torch 2.6, the function is made by the code itself
                again = recompile(result.source, case.code, "<test>")
                assert "g" in {one.co_name for below in codes_below(again) for one in codes_below(below)}
