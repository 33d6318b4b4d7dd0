"""Blocks, what handlers are for, and the copies of finally bodies."""

from __future__ import annotations

import pytest

from depyf.decompiler.bytecode import disassemble, load
from depyf.decompiler.flowgraph import build_flowgraph, dominator_tree, mark_regions, strip_finally_copies


def graph_of(source: str):
    code = next(c for c in compile(source, "case.py", "exec").co_consts if hasattr(c, "co_code"))
    graph = build_flowgraph(disassemble(load(code)))
    return graph, mark_regions(graph)


def calls(graph, name: str) -> int:
    return sum(i.op == "LOAD_GLOBAL" and i.arg == name for block in graph.blocks for i in block.instructions)


@pytest.mark.parametrize(
    "statement, kinds",
    [
        ("try: f()\n except E: g()", ["except"]),
        ("try: f()\n except: g()", ["except"]),
        ("try: f()\n finally: g()", ["finally"]),
        ("with a: f()", ["with"]),
        ("try: f()\n except E as e: g()\n finally: h()", ["except", "finally"]),
        ("with a, b: f()", ["with", "with"]),
    ],
)
def test_what_handlers_are_for(statement, kinds):
    _, regions = graph_of(f"def f():\n {statement}")
    assert [region.kind for region in regions] == kinds
    for inner, outer in zip(regions, regions[1:]):
        assert inner.parent is outer


def test_a_finally_body_is_left_once():
    source = "def f(x):\n try:\n  if x: return a()\n  b()\n finally:\n  if c(): d()\n return 1"
    graph, regions = graph_of(source)
    assert calls(graph, "d") == 3
    strip_finally_copies(graph, regions)
    assert calls(graph, "d") == 1
    assert calls(graph, "a") == calls(graph, "b") == 1


def test_dominators_of_a_diamond():
    edges = {"a": "bc", "b": "d", "c": "d", "d": "ea", "e": ""}
    order, dominator = dominator_tree("a", lambda node: edges[node])
    assert order[0] == "a" and set(order) == set(edges)
    assert dominator == {"a": "a", "b": "a", "c": "a", "d": "a", "e": "d"}


def test_unreachable_code_is_gone():
    graph, _ = graph_of("def f():\n return 1\n g()")
    assert calls(graph, "g") == 0
