"""Edits a list of canonical instructions, keeping its jump targets and handlers valid."""

from __future__ import annotations

from bisect import bisect_left
from typing import AbstractSet, Callable

from .instruction import Handler, Instruction

ErrorMaker = Callable[[str, int], Exception]
"""``error(reason, offset)`` makes the exception to raise."""

MOST_SLOTS = 5_000_000
"""The limit of stack slots, summed over all instructions, for a pass that simulates the stack; also of instructions for
a pass that scans the rest of the code repeatedly. Displays of some thousand elements stay below it. Without a limit a
hostile file would take quadratic time and memory."""


def referred(instructions: list[Instruction]) -> set[int]:
    """Indices that a jump or a handler leads to."""
    handlers = {i.handler for i in instructions}
    return {i.target for i in instructions if i.target >= 0} | {one.target for one in handlers if one is not None}


def without(
    instructions: list[Instruction], dropped: AbstractSet[int], error: ErrorMaker | None = None
) -> list[Instruction]:
    """The list without the dropped indices.

    Jumps and handlers that lead to a dropped instruction then lead to the next remaining one. With ``error`` they
    are errors instead: nothing may lead to the middle of a folded sequence.
    """
    if not dropped:
        return instructions
    if error is not None:
        for index, instruction in enumerate(instructions):
            handler = instruction.handler
            if index not in dropped and (
                instruction.target in dropped or (handler is not None and handler.target in dropped)
            ):
                raise error("jump into the middle of a folded sequence", instruction.offset)
    order = sorted(dropped)
    moved: dict[Handler, Handler] = {}
    result = [instruction for index, instruction in enumerate(instructions) if index not in dropped]
    for instruction in result:
        if instruction.target > order[0]:
            instruction.target -= bisect_left(order, instruction.target)
        handler = instruction.handler
        if handler is not None:
            if handler not in moved:
                moved[handler] = handler._replace(target=handler.target - bisect_left(order, handler.target))
            instruction.handler = moved[handler]
    return result


def prepended(first: Instruction, instructions: list[Instruction]) -> list[Instruction]:
    """``instructions`` with ``first`` inserted before them; jumps to the previous first one still lead there."""
    for instruction in instructions:
        if instruction.target >= 0:
            instruction.target += 1
        if instruction.handler is not None:
            instruction.handler = instruction.handler._replace(target=instruction.handler.target + 1)
    return [first, *instructions]
