"""Copies of short exits are told from code that was written twice by their positions, and joined."""

from __future__ import annotations

from depyf.decompiler.bytecode import Instruction
from depyf.decompiler.flowgraph import build_flowgraph, join_exit_copies
from depyf.decompiler.flowgraph.stack_entries import ITERATOR, entries_at_starts


def line(number, *operations):
    return [Instruction(op, arg, line=number, position=(number, None, None, None)) for op, arg in operations]


def graph_of(*lines, target):
    instructions = [i for part in lines for i in part]
    next(i for i in instructions if i.op.startswith("POP_JUMP")).target = target
    return build_flowgraph(instructions)


TEST = line(1, ("LOAD_FAST", "a"), ("POP_JUMP_IF_FALSE", None))


def exits(graph):
    return [block for block in graph.blocks if block.last.op == "RETURN_VALUE"]


def test_copies_of_a_statement_are_one_place():
    first = line(2, ("CONST", 1), ("STORE_FAST", "b")) + line(4, ("LOAD_FAST", "b"), ("RETURN_VALUE", None))
    second = line(3, ("CONST", 2), ("STORE_FAST", "b")) + line(4, ("LOAD_FAST", "b"), ("RETURN_VALUE", None))
    graph = graph_of(TEST, first, second, target=6)
    join_exit_copies(graph)
    (end,) = exits(graph)
    assert end.operations() == ["LOAD_FAST", "RETURN_VALUE"]
    assert sum(end in block.successors for block in graph.blocks) == 2


def test_the_same_statement_on_two_lines_was_written_twice():
    first = line(2, ("LOAD_FAST", "b"), ("RETURN_VALUE", None))
    second = line(3, ("LOAD_FAST", "b"), ("RETURN_VALUE", None))
    graph = graph_of(TEST, first, second, target=4)
    join_exit_copies(graph)
    assert len(exits(graph)) == 2


def test_without_lines_nothing_is_joined():
    first = line(None, ("LOAD_FAST", "b"), ("RETURN_VALUE", None))
    graph = graph_of(TEST, first, line(None, ("LOAD_FAST", "b"), ("RETURN_VALUE", None)), target=4)
    join_exit_copies(graph)
    assert len(exits(graph)) == 2


def test_values_that_differ_meet_before_what_uses_them():
    """``z = b if a else c; return z`` on one line: the store belongs to the copy."""
    end = (("STORE_FAST", "z"), ("LOAD_FAST", "z"), ("RETURN_VALUE", None))
    graph = graph_of(TEST, line(1, ("LOAD_FAST", "b"), *end), line(1, ("LOAD_FAST", "c"), *end), target=6)
    join_exit_copies(graph)
    (last,) = exits(graph)
    assert last.operations() == ["STORE_FAST", "LOAD_FAST", "RETURN_VALUE"]
    assert entries_at_starts(graph)[last] == (False,)


def test_what_statements_keep_on_the_stack_is_known():
    loop = line(1, ("LOAD_FAST", "x"), ("GET_ITER", None), ("FOR_ITER", None), ("STORE_FAST", "y"), ("JUMP", None))
    loop[2].target, loop[4].target = 5, 2
    graph = build_flowgraph(loop + line(2, ("CONST", None), ("RETURN_VALUE", None)))
    entries = entries_at_starts(graph)
    assert [entries[block] for block in graph.blocks] == [(), (False,), (ITERATOR, False), ()]
