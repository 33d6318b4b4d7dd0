"""Tests of what is a bool and of what may be none, in instructions as 3.13 and later have them."""

from __future__ import annotations

import pytest

from depyf.decompiler.bytecode import Handler, Instruction
from depyf.decompiler.bytecode.canonical.tested_bools import check_tested_bools

A, B = ("LOAD_FAST", "a"), ("LOAD_FAST", "b")
TEST, BOOL, NOT, END = ("POP_JUMP_IF_FALSE", None), ("TO_BOOL", None), ("UNARY_OP", "not"), ("RETURN_VALUE", None)
REFUSES = ("LOAD_COMMON_CONSTANT", "NotImplementedError"), ("RAISE_VARARGS", 1)
"""What ``__annotate__`` begins with: it refuses other formats than the first two."""


def refused(steps, **targets):
    """Where the first wrong test is; None if all are right. ``i1=4``: instruction 1 leads to instruction 4."""
    instructions = [Instruction(op, arg, offset=2 * n) for n, (op, arg) in enumerate(steps)]
    for index, instruction in enumerate(instructions):
        if instruction.op in ("POP_JUMP_IF_FALSE", "JUMP"):
            instruction.target = targets.get(f"i{index}", len(steps) - 2)
    try:
        check_tested_bools(instructions, lambda reason, offset: LookupError(offset))
    except LookupError as error:
        return error.args[0]
    return None


@pytest.mark.parametrize(
    "steps",
    [
        [A, BOOL, TEST, A, END],
        [A, B, ("IS_OP", "is"), TEST, A, END],
        [A, B, ("CONTAINS_OP", "in"), TEST, A, END],
        [A, BOOL, NOT, TEST, A, END],
        [A, BOOL, ("COPY", 1), TEST, A, END],
        [("CONST", True), TEST, A, END],
        [A, BOOL, B, ("SWAP", 2), TEST, A, END],
        [("LOAD_FAST", "format"), ("CONST", 2), ("COMPARE_OP", ">"), TEST, *REFUSES, A, END],
        [("LOAD_FAST", "renamed"), ("CONST", 2), ("COMPARE_OP", ">"), TEST, *REFUSES, A, END],
    ],
)
def test_bools(steps):
    assert refused(steps) is None


@pytest.mark.parametrize(
    "steps, offset",
    [
        ([A, TEST, A, END], 2),
        ([A, NOT, END], 2),
        ([A, B, ("COMPARE_OP", ">"), TEST, A, END], 6),
        ([A, ("CONST", 2), ("COMPARE_OP", ">"), TEST, A, END], 6),
        ([A, ("CONST", 1), ("COMPARE_OP", ">"), TEST, *REFUSES, A, END], 6),
        ([B, A, ("CONST", 2), ("COMPARE_OP", ">"), TEST, *REFUSES, A, END], 8),
        ([A, BOOL, B, TEST, A, END], 6),
        ([B, A, BOOL, ("SWAP", 2), TEST, A, END], 8),
        ([("CONST", 1), TEST, A, END], 2),
        ([A, ("LOAD_ATTR", "format"), ("COPY", 1), TEST, A, END], 6),
    ],
)
def test_what_may_be_no_bool(steps, offset):
    assert refused(steps) == offset


def test_both_ways_to_a_test_bring_a_bool():
    brought = [A, BOOL, ("COPY", 1), TEST, BOOL, ("JUMP", None), TEST, A, END]
    assert refused(brought, i3=6, i5=6, i6=7) is None
    brought[1] = ("NOP", None)
    assert refused(brought, i3=6, i5=6, i6=7) == 6


def test_an_exception_brings_none():
    steps = [A, BOOL, TEST, A, END]
    instructions = [Instruction(op, arg, offset=2 * n) for n, (op, arg) in enumerate(steps)]
    instructions[2].target = 3
    instructions[1].handler = Handler(2, 0, False)
    with pytest.raises(LookupError):
        check_tested_bools(instructions, lambda reason, offset: LookupError(offset))
