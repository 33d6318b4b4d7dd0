"""The names of keyword arguments on the stack: found wherever straight code has pushed them."""

from __future__ import annotations

import pytest

from depyf.decompiler.bytecode.instruction import Instruction
from depyf.decompiler.bytecode.rules import _pusher

NAMES = ("CONST", ("end",))
NOTHING_ELSE = ("CONST", 0)


@pytest.mark.parametrize(
    ("code", "place"),
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
def test_what_has_pushed_the_top_of_the_stack(code, place):
    assert _pusher([Instruction(*ins) for ins in code]) == place


def test_nothing_is_known_behind_a_jump():
    assert _pusher([Instruction(*NAMES), Instruction("JUMP", None, 4)]) == -1
    assert _pusher([Instruction(*NAMES), Instruction("RETURN_VALUE", None)]) == -1
