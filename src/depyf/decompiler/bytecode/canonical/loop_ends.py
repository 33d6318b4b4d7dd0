"""END_FOR and what follows it (3.12 on): part of the edge on which FOR_ITER leaves its loop.

3.12 pops the iterator in END_FOR, 3.13 in a POP_TOP after it, 3.14 in a POP_ITER after it; the interpreter jumps
past END_FOR when the iterator is exhausted. The canonical FOR_ITER pops it on that edge itself.
"""

from __future__ import annotations

from ..edit import ErrorMaker, without
from ..instruction import NO_FALL_THROUGH, Instruction

ENDS = {"END_FOR": 1, "END_FOR_THEN_POP": 2}
"""The number of instructions that end a loop, by the first of them."""
LOOP_ENDS = frozenset({*ENDS, "POP_ITER"})
"""Operations to fold: code with none of these is left alone."""


def fold_loop_ends(instructions: list[Instruction], error: ErrorMaker) -> list[Instruction]:
    """Return ``instructions`` without END_FOR and the pops after it, and with POP for POP_ITER."""
    ends: set[int] = set()
    dropped: set[int] = set()
    for index, instruction in enumerate(instructions):
        if instruction.op in ENDS:
            ends.add(index)
            dropped.update(range(index, index + ENDS[instruction.op]))
            pops = [step.op for step in instructions[index + 1 : index + ENDS[instruction.op]]]
            if len(pops) != ENDS[instruction.op] - 1 or not set(pops) <= {"POP", "POP_ITER"}:
                raise error("END_FOR without the pop of its iterator", instruction.offset)
    if ends:
        for index, instruction in enumerate(instructions):
            falls_in = index + 1 in ends and instruction.op not in NO_FALL_THROUGH
            leads_in = instruction.target in dropped
            if falls_in or leads_in != (instruction.op == "FOR_ITER"):
                raise error("END_FOR and FOR_ITER do not belong together", instruction.offset)
        instructions = without(instructions, dropped)
    for instruction in instructions:
        if instruction.op == "POP_ITER":
            instruction.op = "POP"
    return instructions
