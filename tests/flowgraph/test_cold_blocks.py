"""Handlers laid out behind all other code come back behind their bodies."""

from __future__ import annotations

from depyf.decompiler.bytecode.instruction import Handler, Instruction
from depyf.decompiler.flowgraph import build_flowgraph, mark_regions, move_handlers_back

SIMPLE = ("PUSH_EXC_INFO", "POP", "POP_EXCEPT")


def laid_out(*parts):
    """The first local or operation of each block of code made of (handler's label or None, label, steps)."""
    places, instructions = {}, []
    for _, label, steps in parts:
        places[label] = len(instructions)
        instructions += [Instruction(*step) for step in steps]
    position = 0
    for handler, _, steps in parts:
        for instruction in instructions[position : position + len(steps)]:
            if handler is not None:
                instruction.handler = Handler(places[handler], 0, False)
            if instruction.op == "JUMP":
                instruction.target = places[instruction.arg]
        position += len(steps)
    graph = build_flowgraph(instructions)
    move_handlers_back(graph, mark_regions(graph))
    assert [b.start for b in graph.blocks] == sorted({b.start for b in graph.blocks})
    return [next((i.arg for i in block.instructions if i.op == "LOAD_FAST"), block.last.op) for block in graph.blocks]


def load(name):
    return [("LOAD_FAST", name), ("POP",)]


def handler(name, then):
    return [*[(op,) for op in SIMPLE], *load(name), ("JUMP", then)]


RETURN = [("CONST", None), ("RETURN_VALUE",)]


def test_each_handler_follows_its_body():
    order = laid_out(
        ("first", "a", load("body one")),
        (None, "b", load("between")),
        ("second", "c", load("body two")),
        (None, "d", [*load("after"), *RETURN]),
        (None, "first", handler("handler one", "b")),
        (None, "second", handler("handler two", "d")),
    )
    assert order == ["body one", "handler one", "between", "body two", "handler two", "after"]


def test_the_handlers_of_nested_bodies_stay_in_order():
    order = laid_out(
        ("inner", "a", load("inner body")),
        ("outer", "b", load("outer body")),
        (None, "c", [*load("after"), *RETURN]),
        ("outer", "inner", handler("inner handler", "b")),
        (None, "outer", handler("outer handler", "c")),
    )
    assert order == ["inner body", "inner handler", "outer body", "outer handler", "after"]


def test_a_return_of_the_body_that_is_not_covered_stays_before_the_handler():
    order = laid_out(
        ("h", "a", load("body")),
        (None, "b", RETURN),
        (None, "h", [*handler("handler", "c")]),
        (None, "c", [*load("after"), *RETURN]),
    )
    assert order[:3] == ["body", "RETURN_VALUE", "handler"]
