"""``{*()}`` as an empty set, which no source can make in one instruction, but trees made by tools can."""

from __future__ import annotations

from ...bytecode import Instruction

BUILT = frozenset({"SET_UPDATE", "BUILD_SET_UNPACK"})
"""The operations that end such an expression."""


def settle_empty_sets(instructions: list[Instruction]) -> list[Instruction]:
    """Return ``instructions`` with BUILD_SET 0 for a new set updated by an empty tuple; nothing else has that set."""
    targets = {i.target for i in instructions} | {i.handler.target for i in instructions if i.handler is not None}
    result = list(instructions)
    for index, instruction in enumerate(instructions):
        steps = 2 if instruction.op == "SET_UPDATE" else 1
        start = index - steps
        if instruction.op not in BUILT or instruction.arg != 1 or start < 0:
            continue
        constant = instructions[index - 1]
        if constant.op != "CONST" or type(constant.arg) is not tuple or constant.arg:
            continue
        first = instructions[start]
        if steps == 2 and (first.op != "BUILD_SET" or first.arg != 0):
            continue
        run = range(start, index + 1)
        if not targets.isdisjoint(run[1:]) or any(instructions[position].handler != first.handler for position in run):
            continue
        result[start] = Instruction("BUILD_SET", 0, -1, first.handler, first.offset, first.line, first.position)
        for position in run[1:]:
            result[position] = instructions[position].as_nop()
    return result
