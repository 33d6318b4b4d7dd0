"""The opcode table against the interpreter's own list, in both directions."""

from __future__ import annotations

import opcode

from depyf.decompiler.bytecode.instruction import (
    CONDITIONAL_JUMPS,
    EXITS,
    NEVER_RAISES,
    OPERATIONS,
    Instruction,
    stack_use,
)
from depyf.decompiler.bytecode.load import HOST_VERSION
from depyf.decompiler.bytecode.versions import TABLES

TABLE = TABLES[HOST_VERSION]
FOLDED = {"SEND"}  # decoded, then folded into YIELD_FROM and ASYNC_FOR_ITER: never in a result


def test_every_opcode_of_the_interpreter_has_a_row_of_its_name():
    assert {name: TABLE.rows[number].name for name, number in opcode.opmap.items()} == {n: n for n in opcode.opmap}


def test_every_row_is_an_opcode_of_the_interpreter():
    assert {row.name: number for number, row in TABLE.rows.items()} == opcode.opmap


def test_every_row_makes_a_known_operation():
    assert {row.op for row in TABLE.rows.values() if row.op} - FOLDED <= set(OPERATIONS)


def test_every_operation_is_made_by_a_row_or_by_folding():
    made = {row.op for row in TABLE.rows.values()} | {"NULL", "YIELD_FROM", "ASYNC_FOR_ITER"}
    assert set(OPERATIONS) - made == set()


def test_sets_of_operations_name_operations():
    for names in (CONDITIONAL_JUMPS, EXITS, NEVER_RAISES):
        assert names <= set(OPERATIONS)


def test_binary_operators_are_those_of_the_interpreter():
    assert list(TABLE.binary_operators) == [symbol for _, symbol in opcode._nb_ops]
    assert TABLE.comparisons == opcode.cmp_op


def test_stack_use_agrees_with_the_interpreter():
    """Net effect of operations whose operand is a plain number, on both edges of a jump."""
    canonical_only = {"CALL", "CALL_EX", "YIELD_FROM", "SEND", "ASYNC_FOR_ITER", "FORMAT_VALUE", "UNPACK_EX"}
    checked = set()
    for number, row in TABLE.rows.items():
        if row.rule not in ("plain", "count", "name", "const", "local", "jump forward", "is", "in"):
            continue
        if row.op in canonical_only or row.op in ("RERAISE", "END_ASYNC_FOR", "GET_ANEXT", "PUSH_EXC_INFO"):
            continue
        argument = 3 if number >= opcode.HAVE_ARGUMENT else None
        instruction = Instruction(row.op, argument)
        for jump in (False, True):
            if jump and row.op not in CONDITIONAL_JUMPS:
                continue
            pops, pushes = stack_use(instruction, jump=jump)
            assert pushes - pops == opcode.stack_effect(number, argument, jump=jump), (row.name, jump)
            checked.add(row.op)
    assert len(checked) > 60
