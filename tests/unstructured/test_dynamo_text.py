"""What the source of Dynamo's code looks like: recorded from torch 2.13 on 3.11."""

from __future__ import annotations

import re

import recorded_dynamo
from one_engine import analyze as analyze_events
from recorded_dynamo import analyze


def text_of(label: str) -> str:
    return analyze_events(recorded_dynamo.case_of(label).code).text


def test_the_toy_of_the_readme():
    lines = [line.strip() for line in text_of("toy-0").splitlines()]
    assert lines[0] == "def toy_example(a, b):"
    assert "out_0, out_1 = graph_out[0], graph_out[1]" in lines
    assert lines[-5:-3] == ["if out_0:", "del graph_out, out_0"]
    assert lines[-3].startswith("return __resume_at_") and lines[-3].endswith("([], [], b, out_1)")
    assert lines[-2] == "del graph_out, out_0"
    assert lines[-1].startswith("return __resume_at_") and lines[-1].endswith("([], [], b, out_1)")
    assert len(lines) <= 11


def test_one_result_needs_no_variable():
    assert text_of("no_break-0").endswith("    return compiled_fn(x)[0]\n")


def test_a_context_manager_entered_again_is_a_try_with_finally():
    text = text_of("no_grad-0")
    assert "    try:\n        result = graph_break_()\n    finally:\n" in text
    assert text.count("__exit__(None, None, None)") == 1


def test_names_say_what_is_held():
    text = text_of("linear-0")
    assert "weight, bias, args_0 = parameters['weight'], parameters['bias'], args[0]\n" in text
    assert "probe = " in text and "(probe)\n" in text


def test_nothing_is_held_longer():
    for case in recorded_dynamo.cases("py311", 40):
        verdict = analyze(case.code).verdict
        assert not verdict.held, (case.label, verdict.describe())


def test_cells_are_handed_on_as_cells():
    text = text_of("closure_written-0")
    assert "nonlocal count" in text
    assert "((lambda: count).__closure__[0],)" in text


def is_new(case: recorded_dynamo.Case) -> bool:
    return recorded_dynamo.number(case.torch) >= (2, 9) and case.kind == "transformed"


def test_private_lists_are_folded():
    results = [analyze(case.code) for case in recorded_dynamo.cases("py311", 80) if is_new(case)]
    folded = {result.source: result.folded for result in results if result.form == "events"}
    assert len(folded) > 40
    assert sum(folded.values()) > 4 * len(folded)
    assert not [text for text in folded if re.search(r"\b(?!items)\w+ \+= \[", text)]  # `items` is a parameter's
