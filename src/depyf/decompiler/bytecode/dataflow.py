"""Forward data flow over canonical instructions: what is known before each of them, on all paths together."""

from __future__ import annotations

from typing import Callable, TypeVar

from .instruction import NO_FALL_THROUGH, Instruction

State = TypeVar("State")


def states_before(
    instructions: list[Instruction],
    start: State,
    *,
    after: Callable[[int, State, bool], State],
    raised: Callable[[Instruction, State], State | None],
    met: Callable[[int, State, State], State],
) -> list[State | None]:
    """For each instruction what is known before it, None where control never comes.

    ``after(index, state, jump)`` is what is known after an instruction, on its jump or where control falls through;
    of one that does not fall through it is asked too, and the answer not used. ``raised(instruction, state)`` is what a
    handler finds, None if the instruction can't raise. ``met(index, known, state)`` is what holds where a second path
    comes; it must settle after some turns. Whatever these raise ends the walk.
    """
    states: list[State | None] = [None] * len(instructions)
    todo = [(0, start)]
    while todo:
        index, state = todo.pop()
        while index < len(instructions):
            known = states[index]
            if known is not None:
                state = met(index, known, state)
                if state == known:
                    break
            states[index] = state
            instruction = instructions[index]
            if instruction.handler is not None:
                found = raised(instruction, state)
                if found is not None:
                    todo.append((instruction.handler.target, found))
            if instruction.target >= 0:
                todo.append((instruction.target, after(index, state, True)))
            state = after(index, state, False)
            if instruction.op in NO_FALL_THROUGH:
                break
            index += 1
    return states
