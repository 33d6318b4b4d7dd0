"""The opcode table against the interpreter's own list, in both directions."""

from __future__ import annotations

import opcode

from depyf.decompiler.bytecode import disassemble, load
from depyf.decompiler.bytecode.decoding.rules import RULES
from depyf.decompiler.bytecode.instruction import (
    CONDITIONAL_JUMPS,
    EXITS,
    NEVER_RAISES,
    OPERATIONS,
    Instruction,
    stack_use,
)
from depyf.decompiler.bytecode.reading.load import HOST_VERSION
from depyf.decompiler.bytecode.versions import TABLES

TABLE = TABLES[HOST_VERSION]
FOLDED = {"YIELD_FROM", "ASYNC_FOR_ITER", "LETS_STOP_ITERATION_PASS", "STORE_FIRST_LINE",
          "STORE_STATIC_ATTRIBUTES"}
BY_RULE = {"unary", "binary", "internal", "skip"}  # rules whose rows hold no operation
BY_RULES = {
    "NULL", "UNARY_OP", "BUILD_SLICE", "LAZY_IMPORT_NAME", "EAGER_IMPORT_NAME", "INTRINSIC", "STOPITERATION_ERROR",
}  # fmt: skip


def operations(tables) -> set[str]:
    """What the rows of the tables make; ``fixed`` rows and those of two locals hold more than a name."""
    made = set()
    for row in (row for table in tables for row in table.rows.values() if row.rule not in BY_RULE):
        names = row.op if isinstance(row.op, tuple) else (row.op,)
        made.update(name for name in names if isinstance(name, str) and name)
    return made


def test_every_rule_exists():
    assert {row.rule for table in TABLES.values() for row in table.rows.values()} - {"extended"} == set(RULES)


def test_nothing_of_one_version_is_left_in_a_result(codes):
    """What rows make and no later room knows is gone after the passes."""
    intermediate = operations(TABLES.values()) - set(OPERATIONS)
    assert "SEND" in intermediate
    assert {i.op for code in codes for i in disassemble(load(code))} & intermediate == set()


def test_every_operation_is_made_by_a_row_or_by_a_rule_or_by_folding():
    made = operations(TABLES.values()) | BY_RULES | FOLDED
    assert set(OPERATIONS) - made == set()


def test_sets_of_operations_name_operations():
    for names in (CONDITIONAL_JUMPS, EXITS, NEVER_RAISES):
        assert names <= set(OPERATIONS)


def test_stack_use_agrees_with_the_interpreter():
    """Net effect of operations whose operand is a plain number, on both edges of a jump."""
    canonical_only = {"CALL", "CALL_EX", "YIELD_FROM", "SEND", "ASYNC_FOR_ITER", "FORMAT_VALUE", "UNPACK_EX"}
    checked = set()
    for number, row in TABLE.rows.items():
        if row.rule not in ("plain", "count", "name", "const", "local", "jump by", "is", "in"):
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
