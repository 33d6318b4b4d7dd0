"""The code of patterns becomes one test per case; whatever is not a match statement stays as it is."""

from __future__ import annotations

import ast

import pytest

from depyf.decompiler.bytecode import Instruction
from depyf.decompiler.flowgraph import build_flowgraph, find_match_statements
from depyf.decompiler.syntax import nodes

HEAD = ["1 LOAD_FAST 'subject'"]
ONE = ["2 COPY 1", "2 CONST 1", "2 COMPARE_OP '=='", "2 POP_JUMP_IF_FALSE -> other"]
TESTS_PAIR = ["2 COPY 1", "2 MATCH_SEQUENCE", "2 POP_JUMP_IF_FALSE -> unpopped", "2 GET_LEN", "2 CONST 2"]
TAKES_PAIR = ["2 COMPARE_OP '=='", "2 POP_JUMP_IF_FALSE -> unpopped", "2 UNPACK_SEQUENCE 2", "2 STORE_FAST 'a'"]
PAIR = [*TESTS_PAIR, *TAKES_PAIR, "2 STORE_FAST 'b'"]
POP = ["2 POP"]
FIRST = ["3 CONST 'first'", "3 RETURN_VALUE"]
UNPOPPED = ["unpopped: 2 POP"]
OTHER = ["other: 4 POP", "5 CONST 'other'", "5 RETURN_VALUE"]
GUARD = ["2 LOAD_FAST 'condition'", "2 POP_JUMP_IF_FALSE -> other"]


def graph_of(rows):
    """The flow graph of rows `[LABEL:] LINE OPERATION [ARGUMENT] [-> LABEL]`."""
    labels, code, jumps = {}, [], []
    for number, row in enumerate(rows):
        if ":" in row.split()[0]:
            label, row = row.split(": ")
            labels[label] = number
        row, _, target = row.partition(" -> ")
        line, op, *argument = row.split(maxsplit=2)
        code.append(Instruction(op, ast.literal_eval(argument[0]) if argument else None, line=int(line), offset=number))
        jumps.append(target)
    for instruction, label in zip(code, jumps):
        if label:
            instruction.target = labels[label]
    return build_flowgraph(code)


def operations(graph):
    return [(i.op, i.arg) for block in graph.blocks for i in block.instructions if i.op.startswith("MATCH_")]


VALUE = nodes.MatchValue(nodes.Constant(1))
SEQUENCE = nodes.MatchSequence([nodes.MatchAs(None, "a"), nodes.MatchAs(None, "b")])


@pytest.mark.parametrize(
    ("rows", "pattern", "is_guarded"),
    [
        ([*HEAD, *ONE, *POP, *FIRST, *OTHER], VALUE, False),
        ([*HEAD, *ONE, *GUARD, *POP, *FIRST, *OTHER], VALUE, True),
        ([*HEAD, *PAIR, *POP, *FIRST, *UNPOPPED, *OTHER], SEQUENCE, False),
    ],
    ids=["value", "guard", "sequence"],
)
def test_a_case_is_one_test(rows, pattern, is_guarded):
    graph = graph_of(rows)
    assert find_match_statements(graph)
    subject, case = operations(graph)[:2]
    assert subject[0] == "MATCH_SUBJECT"
    assert case == ("MATCH_CASE", (0, pattern, is_guarded))
    rest = [i.op for block in graph.blocks for i in block.instructions]
    assert not {"COPY", "COMPARE_OP", "UNPACK_SEQUENCE"}.intersection(rest)


@pytest.mark.parametrize(
    "rows",
    [
        [*HEAD, "2 COPY 1", "2 CONST 1", "2 COMPARE_OP '<'", "2 POP_JUMP_IF_FALSE -> other", *POP, *FIRST, *OTHER],
        [*HEAD, *ONE, "2 RETURN_VALUE", *OTHER],
        [*HEAD, *ONE, GUARD[0], "2 COPY 2", "2 COMPARE_OP '<'", GUARD[1], *POP, *FIRST, *OTHER],
    ],
    ids=["no pattern compares so", "the subject is returned", "the guard reads the subject"],
)
def test_other_code_stays(rows):
    graph = graph_of(rows)
    before = [(i.op, i.arg) for block in graph.blocks for i in block.instructions]
    assert not find_match_statements(graph)
    assert [(i.op, i.arg) for block in graph.blocks for i in block.instructions] == before
