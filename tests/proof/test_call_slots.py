"""Slots of calls: what the interpreter takes for callable, self and nothing, and what no proof may take for these."""

from __future__ import annotations

import types

import pytest

from depyf.decompiler.bytecode import Instruction
from depyf.decompiler.proof.side_conditions import call_slots

CONST, NULL, CALL = ("CONST", 1), ("NULL", None), ("CALL", (0, ()))
POP, END = ("POP", None), ("RETURN_VALUE", None)
METHOD = [CONST, ("LOAD_ATTR", "a"), NULL]
"""Both of one raw instruction, as they have the same offset."""


class Code:
    def __init__(self, steps, empty_first, iterator_pairs=False):
        self.instructions = []
        for op, arg in steps:
            same = op == "NULL" and self.instructions and self.instructions[-1].op == "LOAD_ATTR"
            offset = 2 * len(self.instructions)
            if same:
                offset = self.instructions[-1].offset
            self.instructions.append(Instruction(op, arg, offset=offset))
        self.table = types.SimpleNamespace(empty_slot_is_first=empty_first, iterator_pairs=iterator_pairs)


def misplaced(monkeypatch, steps, empty_first, **more):
    monkeypatch.setattr(call_slots, "known_instructions", lambda raw: raw.instructions)
    return call_slots.misplaced_slot(Code(steps, empty_first, **more))


@pytest.mark.parametrize(
    "steps, empty_first",
    [
        ([NULL, CONST, CALL, END], True),
        ([CONST, NULL, CALL, END], False),
        ([*METHOD, CALL, END], True),
        ([*METHOD, CALL, END], False),
        ([NULL, CONST, CONST, POP, CALL, END], True),
        ([NULL, CONST, ("SWAP", 2), ("SWAP", 2), CALL, END], True),
        ([NULL, CONST, END], True),
        ([NULL, CONST, CONST, ("CALL_EX", False), END], True),
    ],
)
def test_slots_in_their_place(steps, empty_first, monkeypatch):
    assert misplaced(monkeypatch, steps, empty_first) == ""


@pytest.mark.parametrize(
    "steps, empty_first, offset",
    [
        ([CONST, NULL, CALL, END], True, 4),
        ([NULL, CONST, CALL, END], False, 4),
        ([CONST, NULL, POP, CONST, END], True, 4),
        ([NULL, END], True, 2),
        ([*METHOD, CONST, CALL, END], True, 8),  # the call takes self and an argument for its slots
        ([*METHOD, POP, END], True, 6),
        ([*METHOD, ("SWAP", 2), CALL, END], False, 6),
        ([*METHOD, ("COPY", 2), POP, CALL, END], False, 6),
        ([NULL, CONST, ("COPY", 2), CALL, END], True, 4),
        ([NULL, CONST, CONST, ("SWAP", 3), ("BUILD_LIST", 1), END], True, 8),
        ([*METHOD, CONST, ("CALL_EX", False), END], True, 8),
    ],
)
def test_slots_elsewhere(steps, empty_first, offset, monkeypatch):
    assert misplaced(monkeypatch, steps, empty_first).endswith(f"at offset {offset}")


def test_the_second_slot_of_an_iterator_may_be_dropped_where_iterators_have_one(monkeypatch):
    steps = [CONST, NULL, POP, END]
    assert misplaced(monkeypatch, steps, False)
    assert misplaced(monkeypatch, steps, False, iterator_pairs=True) == ""


def test_slots_are_followed_over_jumps(monkeypatch):
    """On one way a value lies where on the other an empty slot is."""
    steps = [CONST, ("POP_JUMP_IF_FALSE", None), NULL, ("JUMP", None), CONST, CONST, CALL, END]
    code = Code(steps, True)
    code.instructions[1].target, code.instructions[3].target = 4, 5
    monkeypatch.setattr(call_slots, "known_instructions", lambda raw: raw.instructions)
    assert call_slots.misplaced_slot(code).startswith("CALL takes an empty slot")
