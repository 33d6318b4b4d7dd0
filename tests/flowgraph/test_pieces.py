"""A body is cut where nothing is open; the pieces in a row do what the body does."""

from __future__ import annotations

import ast

import pytest

from depyf.decompiler.bytecode import disassemble, known_instructions, load
from depyf.decompiler.bytecode.part import part_of
from depyf.decompiler.flowgraph.pieces import joined, pieces_of

SOURCES = {
    "statements": "a = 1\nb.c = d(2)\ndel e\nimport f\n",
    "if": "a()\nif b:\n    c()\nelif d:\n    e()\nelse:\n    g()\nh()\n",
    "loops": "while a:\n    b()\nfor c in d:\n    if e:\n        break\nelse:\n    f()\ng()\n",
    "try": "a()\ntry:\n    b()\nexcept C as d:\n    e()\nexcept F:\n    g()\nelse:\n    h()\nfinally:\n    i()\nj()\n",
    "with": "a()\nwith b as c:\n    d()\ne()\n",
    "assert and raise": "assert a\nassert b, c\nif d:\n    raise E\nf()\n",
    "values": "a = b and c or d\ne = [f for g in h if i]\nj(k if l else m)\n",
    "definitions": "def a(): pass\nclass B: pass\n@c\ndef d(): pass\n",
    "a test at the end": "a()\nif b:\n    c()\nelse:\n    d()\n",
}


def _pieces(source):
    raw = load(compile(source, "<module>", "exec"))
    instructions = known_instructions(raw)
    return instructions, pieces_of(instructions)


@pytest.mark.parametrize("name", SOURCES)
def test_a_statement_is_a_piece(name):
    instructions, pieces = _pieces(SOURCES[name])
    statements = [statement.lineno for statement in ast.parse(SOURCES[name]).body]
    lines = [min(instructions[index].line or 99 for index in piece.members) for piece in pieces]
    assert [line for line in dict.fromkeys(lines) if line in statements] == statements
    copies = SOURCES[name].count("finally") * 3  # its body stands behind the try statement too, once for each way there
    assert len(pieces) <= len(statements) + copies + 1  # the return at the end


@pytest.mark.parametrize("name", SOURCES)
def test_all_that_is_reached_is_in_one_piece(name):
    _, pieces = _pieces(SOURCES[name])
    members = [index for piece in pieces for index in piece.members]
    assert len(members) == len(set(members))
    assert pieces[0].start == 0
    assert [piece.end for piece in pieces] == [*(piece.start for piece in pieces[1:]), None]


@pytest.mark.parametrize("name", SOURCES)
def test_control_leaves_a_piece_for_the_next_alone(name):
    instructions, pieces = _pieces(SOURCES[name])
    for piece in pieces:
        inside = {*piece.members, piece.end}
        for index in piece.members:
            instruction = instructions[index]
            assert instruction.target < 0 or instruction.target in inside
            assert instruction.handler is None or instruction.handler.target in inside


@pytest.mark.parametrize("name", SOURCES)
def test_all_pieces_together_are_the_code(name):
    raw = load(compile(SOURCES[name], "<module>", "exec"))
    instructions = known_instructions(raw)
    together = joined(instructions, pieces_of(instructions), [])
    assert [i.op for i in together if i.op != "NOP"] == [
        i.op for index, i in enumerate(instructions) if i.op != "NOP" and _is_reached(instructions, index)
    ]


def _is_reached(instructions, index):
    return any(index in piece.members for piece in pieces_of(instructions))


def test_a_part_has_the_instructions_that_it_is_given():
    raw = load(compile(SOURCES["definitions"], "<module>", "exec"))
    instructions = known_instructions(raw)
    pieces = pieces_of(instructions)
    end = [i for i in instructions if i.op in ("CONST", "RETURN_VALUE")][-2:]
    part = part_of(raw, joined(instructions, pieces[1:2], end))
    assert [nested.name for nested in part.nested] == ["B"]
    assert [i.op for i in disassemble(part)][-2:] == ["CONST", "RETURN_VALUE"]


def test_a_loop_around_everything_is_not_cut():
    _, pieces = _pieces("while True:\n    a()\n    b()\n    if c:\n        d()\n")
    assert len(pieces) == 1
