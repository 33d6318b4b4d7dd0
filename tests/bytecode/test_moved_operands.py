"""Operands that only a call knows of are found wherever straight-line code moved them."""

from __future__ import annotations

from typing import Any

import pytest

from depyf.decompiler.bytecode.decoding.moved_operands import jumped_into, pushed_by
from depyf.decompiler.bytecode.instruction import Handler, Instruction


def code(*steps: Any) -> list[Instruction]:
    made = []
    for step in steps:
        op, arg, *target = step if isinstance(step, tuple) else (step, None)
        made.append(Instruction(op, arg, target[0] if target else -1, None, 2 * len(made)))
    return made


NAMES = ("CONST", ("end",))
NOTHING_ELSE = ("CONST", 0)
FIRST = [("LOAD_GLOBAL", "f"), "NULL", ("LOAD_FAST", "x"), ("CONST", ("key",))]


def place_of(steps: Any) -> int:
    instructions = code(*steps)
    pushed = pushed_by(instructions)
    return -1 if pushed is None else [id(i) for i in instructions].index(id(pushed))


@pytest.mark.parametrize(
    ("steps", "place"),
    [
        ([NAMES], 0),
        ([NAMES, ("NOP", None)], 0),
        ([NAMES, NOTHING_ELSE, ("SWAP", 2)], 0),
        ([NOTHING_ELSE, NAMES, NOTHING_ELSE, ("POP", None)], 1),
        ([NAMES, NOTHING_ELSE, NOTHING_ELSE, ("BUILD_LIST", 2), ("SWAP", 2)], 0),
        ([NAMES, NOTHING_ELSE, ("COPY", 2)], 0),
        ([NAMES, NOTHING_ELSE, ("COPY", 1), ("POP", None), ("SWAP", 2)], 0),
        ([NAMES, NOTHING_ELSE, NOTHING_ELSE, ("SWAP", 3)], 0),
        ([NAMES, NOTHING_ELSE, NOTHING_ELSE, ("SWAP", 2)], 1),
        ([NAMES, NOTHING_ELSE, ("STORE_FAST", "x")], 0),
        ([], -1),
        ([NAMES, ("SWAP", 2)], -1),
    ],
)
def test_what_has_pushed_the_top_of_the_stack(steps, place):
    assert place_of(steps) == place


def test_right_before_the_call():
    instructions = code(*FIRST)
    assert pushed_by(instructions) is instructions[3]


def test_something_built_above_and_moved_below():
    instructions = code(*FIRST, ("LOAD_FAST", "y"), ("BUILD_LIST", 1), *[("SWAP", n) for n in (5, 4, 3, 2)])
    assert pushed_by(instructions) is instructions[3]
    assert pushed_by(instructions[:-1]) is None  # the argument is on top
    empty = code(("LOAD_GLOBAL", "f"), ("LOAD_FAST", "args"), "NULL", "NULL", ("SWAP", 3), ("SWAP", 2))
    assert pushed_by(empty) is empty[2]


def test_copies_of_constants():
    instructions = code(*FIRST, ("LOAD_FAST", "y"), ("COPY", 2))
    assert pushed_by(instructions) is instructions[3]


def test_not_beyond_jumps_and_other_operations():
    assert pushed_by(code(*FIRST, ("POP_JUMP_IF_TRUE", None, 9))) is None
    assert pushed_by(code(*FIRST, ("COPY", 2))) is None
    assert pushed_by(code("NULL", ("COPY", 1))) is None
    assert pushed_by(code("NULL", ("BUILD_LIST", 0), "POP", ("JUMP", None, 3))) is None
    assert pushed_by([]) is None


def test_jumps_into_the_middle():
    instructions = code(*FIRST, ("LOAD_FAST", "y"), "POP", "POP", ("CALL", (1, ("key",))), ("JUMP", None, 5))
    pair = [(instructions[3], instructions[6])]
    assert jumped_into(instructions, pair)
    instructions[8].target = 6
    assert jumped_into(instructions, pair)
    for outside in (3, 7):
        instructions[8].target = outside
        assert not jumped_into(instructions, pair)
    instructions[0].handler = Handler(4, 0, False)
    assert jumped_into(instructions, pair)
