"""What the source of Dynamo's code looks like: recorded from torch 2.13 on 3.11."""

from __future__ import annotations

import recorded_dynamo

from depyf.decompiler.events import analyze


def text_of(label: str) -> str:
    return analyze(recorded_dynamo.case_of(label).code).text


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


def is_new(case: recorded_dynamo.Case) -> bool:
    return recorded_dynamo.number(case.torch) >= (2, 9) and case.kind == "transformed"


def test_private_lists_are_folded():
    folded = {case.label: analyze(case.code) for case in recorded_dynamo.cases("py311", 80) if is_new(case)}
    assert sum(result.folded for result in folded.values()) > 4 * len(folded)
    assert not [label for label, result in folded.items() if "+= [" in result.text]
