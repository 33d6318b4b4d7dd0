"""Conditions and values that span blocks become expressions of one block."""

from __future__ import annotations

import pytest

from depyf.decompiler.bytecode import disassemble, load
from depyf.decompiler.definitions import Definitions
from depyf.decompiler.flowgraph import build_flowgraph, mark_regions
from depyf.decompiler.lift import fold, lift
from depyf.decompiler.syntax.printer import print_tree


def blocks_of(body: str):
    source = f"def f(a, b, c, d):\n {body}"
    code = next(c for c in compile(source, "case.py", "exec").co_consts if hasattr(c, "co_code"))
    raw = load(code)
    graph = build_flowgraph(disassemble(raw))
    mark_regions(graph)
    return fold(lift(graph, raw))


def text_of(block) -> str:
    """The test or value of a block, with what its slots turned out to hold."""
    return print_tree(Definitions(None, None).expression(block.test))


@pytest.mark.parametrize(
    "value",
    [
        "a and b",
        "a or b and c",
        "(a or b) and c",
        "a if b else c",
        "a if b and c else d",
        "a < b < c",
        "a < b < c < d",
        "a and b < c <= d",
        "(a if b else c) + d",
        "f(a, b or c, d)",
        "not (a and b)",
    ],
)
def test_a_value_is_one_expression(value):
    (block,) = blocks_of(f"return {value}")
    assert block.kind == "return" and not block.statements
    assert text_of(block) == value


@pytest.mark.parametrize(
    "test", ["a and b", "a or b", "a and (b or c)", "a < b < c", "b if a else c", "a is None or b"]
)
def test_a_condition_is_one_test(test):
    first, *rest = blocks_of(f"if {test}:\n  c()\n d()")
    assert first.kind == "branch" and text_of(first) == test
    assert all(block.kind != "branch" for block in rest)


def test_the_copy_of_a_loop_test_is_undone():
    blocks = blocks_of("while a and b:\n  c()\n d()")
    tests = [block for block in blocks if block.kind == "branch"]
    assert [text_of(block) for block in tests] == ["a and b"]
    assert tests[0].repeated


def test_two_tests_with_ways_of_their_own_stay_two():
    blocks = blocks_of("if a:\n  if b: c()\n  d()\n return 1")
    assert sum(block.kind == "branch" for block in blocks) == 2
