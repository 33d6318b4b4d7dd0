"""Forward data flow over canonical instructions: the facts that hold before each of them on all paths."""

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
    meet: Callable[[int, State, State], State],
) -> list[State | None]:
    """Return the state before each instruction, None where it is unreachable.

    ``after(index, state, jump)`` is the transfer function, for the jumping edge or the one that falls through (also
    called, with its result ignored, where there is no such edge). ``raised(instruction, state)`` is the state at the
    handler, None if the instruction can't raise. ``meet(index, known, state)`` joins two states; it must reach a fixed
    point. Exceptions of these functions propagate.
    """
    size = len(instructions)
    states: list[State | None] = [None] * size
    todo = [(0, start)]
    while todo:
        index, state = todo.pop()
        while index < size:
            known = states[index]
            if known is not None:
                state = meet(index, known, state)
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
