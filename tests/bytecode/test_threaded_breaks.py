"""Tests that jump past a ``break`` are led back to it; wherever they lead, it is to the same place."""

from __future__ import annotations

import random

from depyf.decompiler.bytecode import Instruction
from depyf.decompiler.bytecode.canonical.threaded_breaks import unthread_breaks


def code(*lines):
    """Instructions, one each: the line, the operation and perhaps its target."""
    return [
        Instruction(op, target=target[0] if target else -1, offset=2 * index, line=line)
        for index, (line, op, *target) in enumerate(lines)
    ]


def goal(instructions, index):
    seen = set()
    while 0 <= index < len(instructions) and instructions[index].op == "JUMP":
        if index in seen:
            return None
        seen.add(index)
        index = instructions[index].target
    return index


def test_a_break_below_an_if():
    instructions = code(
        (1, "LOAD_FAST"), (1, "POP_JUMP_IF_FALSE", 10),  # while a:
        (2, "LOAD_FAST"), (2, "POP_JUMP_IF_FALSE", 8),  #     if b:
        (3, "LOAD_FAST"), (3, "POP_JUMP_IF_FALSE", 10),  #         if c:
        (4, "POP"),
        (5, "JUMP", 10),  #         break
        (6, "POP"), (6, "JUMP", 0),
        (7, "RETURN_VALUE"),
    )  # fmt: skip
    unthread_breaks(instructions)
    assert [one.target for one in instructions if one.op == "POP_JUMP_IF_FALSE"] == [10, 8, 7]


def test_a_dead_break_is_that_of_an_else_clause():
    instructions = code(
        (1, "POP"),  # while True:
        (2, "LOAD_FAST"), (2, "POP_JUMP_IF_FALSE", 7),  #     if b:
        (3, "POP"), (3, "JUMP", 0),
        (5, "JUMP", 7),  #     else: break
        (5, "JUMP", 0),
        (6, "RETURN_VALUE"),
    )  # fmt: skip
    unthread_breaks(instructions)
    assert instructions[2].target == 5


def test_a_dead_jump_on_the_line_of_the_statement_before_is_none_of_the_source():
    instructions = code(
        (1, "POP"), (2, "LOAD_FAST"), (2, "POP_JUMP_IF_FALSE", 7), (3, "POP"), (3, "JUMP", 0),
        (3, "JUMP", 7), (3, "JUMP", 0), (6, "RETURN_VALUE"),
    )  # fmt: skip
    unthread_breaks(instructions)
    assert instructions[2].target == 7


def test_no_jump_leads_elsewhere_then():
    changed = 0
    for seed in range(3000):
        choose = random.Random(seed)
        size = choose.randrange(4, 24)
        ops = ("POP", "LOAD_FAST", "JUMP", "JUMP", "POP_JUMP_IF_FALSE", "POP_JUMP_IF_TRUE", "RETURN_VALUE")
        lines = [(index // 2, choose.choice(ops)) for index in range(size)]
        instructions = code(*((*one, choose.randrange(size)) if "JUMP" in one[1] else one for one in lines))
        before = [(one.op, goal(instructions, one.target), one.target) for one in instructions]
        unthread_breaks(instructions)
        assert [(one.op, goal(instructions, one.target)) for one in instructions] == [one[:2] for one in before]
        changed += [one.target for one in instructions] != [one[2] for one in before]
    assert changed > 100
