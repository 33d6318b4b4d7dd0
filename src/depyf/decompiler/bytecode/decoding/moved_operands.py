"""Operands that only a call may use, where they are not pushed right before it as compilers do.

From 3.13 on a call takes its keyword names from the stack, from 3.14 on an empty slot for a missing mapping. The
compiler pushes them right before the call. Dynamo pushes them earlier, builds something else above, and moves that
below with SWAPs. The canonical call has neither operand: the stack entry is popped first.
"""

from __future__ import annotations

from typing import Sequence

from ..instruction import NO_FALL_THROUGH, OPERATIONS, Instruction, stack_use


def pushed_by(instructions: Sequence[Instruction]) -> Instruction | None:
    """The CONST or NULL that pushed the top of the stack after ``instructions``.

    None if another instruction did, or one outside of the straight-line code.
    """
    depth, copied = 0, False  # of the wanted entry, from the top
    for instruction in reversed(instructions):
        op, arg = instruction.op, instruction.arg
        if instruction.target >= 0 or op in NO_FALL_THROUGH or op not in OPERATIONS:
            return None
        if op == "SWAP":
            depth = arg - 1 if depth == 0 else 0 if depth == arg - 1 else depth
            continue
        if op == "COPY" and depth == 0:
            depth, copied = arg - 1, True
            continue
        pops, pushes = stack_use(instruction)
        if depth < pushes:
            return instruction if op == "CONST" or (op == "NULL" and not copied) else None
        depth += pops - pushes
    return None


def jumped_into(instructions: Sequence[Instruction], pairs: Sequence[tuple[Instruction, Instruction]]) -> bool:
    """Whether a jump or a handler leads between the two instructions of one of ``pairs``, the second included."""
    index_of = {id(instruction): index for index, instruction in enumerate(instructions)}
    targets = {i.target for i in instructions if i.target >= 0}
    targets |= {i.handler.target for i in instructions if i.handler is not None}
    return any(index_of[id(first)] < target <= index_of[id(last)] for first, last in pairs for target in targets)
