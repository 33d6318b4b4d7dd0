"""The handler of a with statement, whatever empty instructions and jumps are in it, and what is none."""

from __future__ import annotations

import pytest

from depyf.decompiler.bytecode import Instruction
from depyf.decompiler.stack_machine.shapes import WithHandler, only_restores, with_handler

PLAIN = "PUSH_EXC_INFO, WITH_EXCEPT_START, POP_JUMP_IF_TRUE @5, RERAISE, NOP, POP, POP_EXCEPT, POP, POP, CONST"
SPREAD = (
    "NOP, PUSH_EXC_INFO, JUMP @4, CONST, WITH_EXCEPT_START, NOP, POP_JUMP_IF_TRUE @9, NOP, RERAISE, "
    "NOP, POP, POP_EXCEPT, JUMP @14, CONST, POP, POP, CONST"
)
AWAITED = (
    "PUSH_EXC_INFO, WITH_EXCEPT_START, GET_AWAITABLE 2, CONST, YIELD_FROM, POP_JUMP_IF_TRUE @7, RERAISE, "
    "POP, POP_EXCEPT, POP, POP, CONST"
)


def code(text: str) -> list[Instruction]:
    """``OPERATION``, ``OPERATION argument`` and ``OPERATION @target``."""
    found = []
    for part in text.split(", "):
        op, _, rest = part.partition(" ")
        target = int(rest[1:]) if rest.startswith("@") else -1
        found.append(Instruction(op, int(rest) if rest and target < 0 else None, target))
    return found


@pytest.mark.parametrize("text, suppressed, is_async", [(PLAIN, 9, False), (SPREAD, 16, False), (AWAITED, 11, True)])
def test_the_handler_of_a_with_statement(text: str, suppressed: int, is_async: bool):
    assert with_handler(code(text), 0, "a test") == WithHandler(suppressed, is_async)


@pytest.mark.parametrize("text", [PLAIN, SPREAD, AWAITED])
def test_another_operation_anywhere_makes_it_another_handler(text: str):
    instructions = code(text)
    skipped = 0
    for index, instruction in enumerate(instructions[:-1]):
        other = instructions[:]
        other[index] = Instruction("COPY", 1)
        if with_handler(other, 0, "a test") is not None:
            skipped += 1
            assert instruction.op in ("NOP", "CONST")  # jumped over
    assert skipped == {PLAIN: 1, SPREAD: 2, AWAITED: 0}[text]


def test_an_await_of_something_else_is_another_handler():
    assert with_handler(code(AWAITED.replace("GET_AWAITABLE 2", "GET_AWAITABLE 1")), 0, "a test") is None


def test_a_handler_that_only_restores_the_exception_handled_before():
    assert only_restores(code("NOP, COPY 3, POP_EXCEPT, RERAISE"), 1)
    assert not only_restores(code("NOP, COPY 3, POP_EXCEPT, RERAISE"), 0)
    assert not only_restores(code("COPY 3, POP_EXCEPT"), 0)
    assert not only_restores(code("COPY 3, POP_EXCEPT, POP, RERAISE"), 0)
