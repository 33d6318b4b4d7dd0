"""Tools that insert NOPs put them before the jumps of an ``await`` too, where they change nothing."""

from __future__ import annotations

import pytest

from depyf.decompiler.bytecode.decoding.dropped import without_padding
from depyf.decompiler.bytecode.instruction import Instruction


class Decoded:
    def __init__(self, *operations):
        self.out = [Instruction(op, None, target) for op, target in operations]


def shown(decoder):
    return [(one.op, one.target) for one in without_padding(decoder)]


LOOP = [("SEND", 3), ("YIELD_VALUE", -1), ("JUMP", 0), ("POP", -1)]


@pytest.mark.parametrize(
    "padded",
    [
        [("SEND", 4), ("YIELD_VALUE", -1), ("NOP", -1), ("JUMP", 0), ("POP", -1)],
        [("NOP", -1), ("SEND", 4), ("YIELD_VALUE", -1), ("JUMP", 0), ("POP", -1)],
        [
            ("NOP", -1),
            ("NOP", -1),
            ("SEND", 7),
            ("YIELD_VALUE", -1),
            ("NOP", -1),
            ("NOP", -1),
            ("JUMP", 0),
            ("POP", -1),
        ],
        LOOP,
    ],
)
def test_nops_in_a_delegation_are_dropped(padded):
    decoder = Decoded(*padded)
    assert shown(decoder) == LOOP
    assert [(one.op, one.target) for one in decoder.out] == LOOP


@pytest.mark.parametrize(
    "other",
    [
        [("SEND", 4), ("YIELD_VALUE", -1), ("POP", -1), ("JUMP", 0), ("POP", -1)],
        [("NOP", -1), ("YIELD_VALUE", -1), ("NOP", -1), ("RETURN_VALUE", -1)],
        [("NOP", -1), ("POP", -1), ("CONST", -1), ("YIELD_VALUE", -1), ("NOP", -1), ("JUMP", 1)],
        [("YIELD_VALUE", -1)],
    ],
)
def test_other_nops_stay(other):
    assert shown(Decoded(*other)) == other
