"""Changing a list of canonical instructions while its jump targets and handlers stay right."""

from __future__ import annotations

from typing import Callable, Container

from .instruction import Handler, Instruction

ErrorMaker = Callable[[str, int], Exception]
"""``error(reason, offset)`` makes the exception to raise."""

MOST_SLOTS = 5_000_000
"""Stack slots, summed over all instructions, that a pass which simulates the stack looks at before it gives up; as many
instructions for one that looks at the rest of the code again and again. Displays of some thousand elements stay below.
Without a limit a hostile file would take time and memory by its square."""


def referred(instructions: list[Instruction]) -> set[int]:
    """Indices that a jump or a handler leads to."""
    found = {i.target for i in instructions if i.target >= 0}
    found.update(i.handler.target for i in instructions if i.handler is not None)
    return found


def without(
    instructions: list[Instruction], dropped: Container[int], error: ErrorMaker | None = None
) -> list[Instruction]:
    """The list without the dropped indices.

    What leads to a dropped one leads to the next that stays; with ``error`` it is an error instead: nothing that
    stays may lead to the middle of what was folded.
    """
    if error is not None:
        for index, instruction in enumerate(instructions):
            handler = instruction.handler
            if index not in dropped and (
                instruction.target in dropped or (handler is not None and handler.target in dropped)
            ):
                raise error("jump into the middle of a folded sequence", instruction.offset)
    new_index: list[int] = []
    kept = 0
    for index in range(len(instructions)):
        new_index.append(kept)
        kept += index not in dropped
    moved: dict[Handler, Handler] = {}
    result = []
    for index, instruction in enumerate(instructions):
        if index in dropped:
            continue
        if instruction.target >= 0:
            instruction.target = new_index[instruction.target]
        handler = instruction.handler
        if handler is not None:
            if handler not in moved:
                moved[handler] = handler._replace(target=new_index[handler.target])
            instruction.handler = moved[handler]
        result.append(instruction)
    return result


def moved_down(first: Instruction, instructions: list[Instruction]) -> list[Instruction]:
    """``instructions`` after ``first``; what leads to the old first one still does."""
    for instruction in instructions:
        if instruction.target >= 0:
            instruction.target += 1
        if instruction.handler is not None:
            instruction.handler = instruction.handler._replace(target=instruction.handler.target + 1)
    return [first, *instructions]
