"""Instruction patterns that both rooms driving the machine look for."""

from __future__ import annotations

from typing import NamedTuple

from ..bytecode import Instruction
from ..limits.budget import STEP, spend

_RESTORED = ("COPY", "POP_EXCEPT", "RERAISE")
_ENTERED = ("PUSH_EXC_INFO", "WITH_EXCEPT_START")
_AWAITED = ("GET_AWAITABLE", "CONST", "YIELD_FROM")
_TESTED = ("POP_JUMP_IF_TRUE", "RERAISE")
_SUPPRESSED = ("POP", "POP_EXCEPT", "POP", "POP")
_AWAITS_EXIT = 2
"""The operand of GET_AWAITABLE for the result of ``__aexit__``."""


def skip_jumps(instructions: list[Instruction], index: int, task: str) -> int:
    """Return the first instruction at or after ``index`` that is no NOP or jump; steps are charged to ``task``."""
    while instructions[index].op in ("NOP", "JUMP"):
        spend(STEP, task)
        index = instructions[index].target if instructions[index].op == "JUMP" else index + 1
    return index


def only_restores(instructions: list[Instruction], start: int) -> bool:
    """Whether the handler at ``start`` only restores the previously handled exception and reraises.

    The compiler puts one around each handler; it corresponds to no statement.
    """
    return tuple(ins.op for ins in instructions[start : start + len(_RESTORED)]) == _RESTORED


class WithHandler(NamedTuple):
    """The handler of a with statement; ``suppressed``: where control continues if the exception is suppressed."""

    suppressed: int
    is_async: bool


def with_handler(instructions: list[Instruction], start: int, task: str) -> WithHandler | None:
    """Return the handler at ``start`` if it is that of a with statement.

    It calls the exit function, and reraises unless the result is true: the code that `compiler_with_except_finish` in
    CPython's compile.c emits.
    """

    def follow(index: int, operations: tuple[str, ...]) -> int:
        """Return the index after these operations; -1 if they are not there."""
        for operation in operations:
            index = skip_jumps(instructions, index, task)
            if instructions[index].op != operation:
                return -1
            index += 1
        return index

    position = follow(start, _ENTERED)
    if position < 0:
        return None
    position = skip_jumps(instructions, position, task)
    is_async = instructions[position].op == "GET_AWAITABLE" and instructions[position].arg == _AWAITS_EXIT
    if is_async:
        position = follow(position, _AWAITED)
    if position < 0 or follow(position, _TESTED) < 0:
        return None
    test = instructions[skip_jumps(instructions, position, task)]
    suppressed = follow(test.target, _SUPPRESSED)
    return None if suppressed < 0 else WithHandler(suppressed, is_async)
