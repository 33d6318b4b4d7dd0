"""Shapes of instructions that both rooms which drive the machine look for."""

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
"""The operand of GET_AWAITABLE for what ``__aexit__`` gives."""


def skip_jumps(instructions: list[Instruction], index: int, task: str) -> int:
    """The first instruction from ``index`` on that does something; ``task`` is what the steps are spent on."""
    while instructions[index].op in ("NOP", "JUMP"):
        spend(STEP, task)
        index = instructions[index].target if instructions[index].op == "JUMP" else index + 1
    return index


def only_restores(instructions: list[Instruction], start: int) -> bool:
    """Whether the handler at ``start`` only restores the exception handled before and raises again.

    The compiler puts it around each handler; no statement has it.
    """
    return tuple(ins.op for ins in instructions[start : start + len(_RESTORED)]) == _RESTORED


class WithHandler(NamedTuple):
    """The handler of a with statement: where control continues if the exit function suppresses the exception."""

    suppressed: int
    is_async: bool


def with_handler(instructions: list[Instruction], start: int, task: str) -> WithHandler | None:
    """What is at ``start``, if that is the handler of a with statement.

    It calls the exit function, and raises the exception again unless that gives true: as `compiler_with_except_finish`
    in CPython's compile.c writes it.
    """

    def follow(index: int, operations: tuple[str, ...]) -> int:
        """After these operations; -1 if others are there."""
        for operation in operations:
            index = skip_jumps(instructions, index, task)
            if instructions[index].op != operation:
                return -1
            index += 1
        return index

    place = follow(start, _ENTERED)
    if place < 0:
        return None
    place = skip_jumps(instructions, place, task)
    is_async = instructions[place].op == "GET_AWAITABLE" and instructions[place].arg == _AWAITS_EXIT
    if is_async:
        place = follow(place, _AWAITED)
    if place < 0 or follow(place, _TESTED) < 0:
        return None
    test = instructions[skip_jumps(instructions, place, task)]
    suppressed = follow(test.target, _SUPPRESSED)
    return None if suppressed < 0 else WithHandler(suppressed, is_async)
