"""Every code object that Dynamo made of the programs in lab/dynamo_programs.py becomes source that is proven."""

from __future__ import annotations

import types
from typing import List

import pytest
import recorded_dynamo
import standins

from depyf.decompiler.events import analyze

CASES = recorded_dynamo.cases()
SEEDS = 6


def programs() -> List[str]:
    return list(dict.fromkeys(case.program for case in CASES))


def test_there_are_cases():
    assert len(CASES) > 200
    assert len(programs()) > 80


@pytest.mark.parametrize("program", programs())
def test_recorded_code_is_proven_and_leaves_the_same_log(program: str):
    for case in CASES:
        if case.program != program:
            continue
        result = analyze(case.code)
        assert result.verdict.proven, (case.label, result.text, result.verdict.describe())
        assert isinstance(result.code, types.CodeType)
        assert result.code.co_freevars == case.code.co_freevars
        assert result.code.co_name == case.code.co_name
        for seed in range(SEEDS):
            assert standins.run(case.code, seed) == standins.run(result.code, seed), (case.label, seed)


def text_of(label: str) -> str:
    return next(analyze(case.code).text for case in CASES if case.label == label)


def test_the_toy_of_the_readme():
    lines = text_of("toy-0").splitlines()
    assert lines[0] == "def toy_example(a, b):"
    assert lines[-3].strip() == "if out_0:"
    assert lines[-2].strip().startswith("return __resume_at_") and lines[-2].endswith("([], [], b, out_1)")
    assert lines[-1].strip().startswith("return __resume_at_") and lines[-1].endswith("([], [], b, out_1)")
    assert "    del graph_out_0" in lines
    assert len(lines) <= 15


def test_a_context_manager_entered_again_is_a_try_with_finally():
    text = text_of("no_grad-0")
    assert "    try:\n        result = graph_break_1()\n    finally:\n" in text
    assert text.count("__exit__(None, None, None)") == 1


def test_cells_are_handed_on_as_cells():
    text = text_of("closure_written-0")
    assert "nonlocal count" in text
    assert "((lambda: count).__closure__[0],)" in text


def test_private_lists_are_folded():
    folded = [analyze(case.code).folded for case in CASES]
    assert sum(folded) > 1000
    assert not [case.label for case in CASES if "+= [" in analyze(case.code).text]


def test_text_depends_on_the_code_alone():
    for case in CASES[:20]:
        assert analyze(case.code).text == analyze(case.code).text
