"""Which try or with statement a block stands in, and the copies of ``finally`` bodies."""

from __future__ import annotations

import pytest

from depyf.decompiler.bytecode import disassemble, load
from depyf.decompiler.flowgraph import build_flowgraph, mark_regions, separate_with_exits, strip_finally_copies


def function(body):
    names = {}
    exec("def f(a, b, c):\n" + "\n".join("    " + line for line in body.splitlines()), names)
    return names["f"].__code__


def graph_of(body):
    graph = build_flowgraph(disassemble(load(function(body))))
    return graph, mark_regions(graph)


@pytest.mark.parametrize(
    ("body", "kinds"),
    [
        ("a()", []),
        ("try:\n    a()\nexcept ValueError:\n    b()", ["except"]),
        ("try:\n    a()\nexcept ValueError as e:\n    b(e)", ["except"]),
        ("try:\n    a()\nexcept:\n    b()", ["except"]),
        ("try:\n    a()\nfinally:\n    b()", ["finally"]),
        ("try:\n    a()\nexcept ValueError:\n    b()\nfinally:\n    c()", ["except", "finally"]),
        ("with a:\n    b()", ["with"]),
        ("with a:\n    try:\n        b()\n    finally:\n        c()", ["finally", "with"]),
    ],
)
def test_regions_inner_ones_first(body, kinds):
    assert [region.kind for region in graph_of(body)[1]] == kinds


def calls_of(graph, name):
    return sum(i.op.startswith("LOAD_") and i.arg == name for block in graph.blocks for i in block.instructions)


@pytest.mark.parametrize(
    ("body", "copies"),
    [
        ("try:\n    a()\nfinally:\n    c()", 2),
        ("try:\n    if a:\n        return b()\n    b(1)\nfinally:\n    c()", 3),
        ("for x in a:\n    try:\n        if b(x):\n            break\n        b(1)\n    finally:\n        c()", 3),
    ],
)
def test_one_copy_of_a_finally_body_is_left(body, copies):
    graph, regions = graph_of(body)
    assert calls_of(graph, "c") == copies
    separate_with_exits(graph, regions)
    strip_finally_copies(graph, regions)
    assert calls_of(graph, "c") == 1
