"""``{*()}`` as the empty set that it is: in one instruction no source makes that, but trees that tools make do."""

from __future__ import annotations

from ...bytecode import Instruction

BUILT = frozenset({"SET_UPDATE", "BUILD_SET_UNPACK"})
"""What such an expression ends with."""


def settle_empty_sets(instructions: list[Instruction]) -> list[Instruction]:
    """``instructions`` with BUILD_SET 0 for a new set that an empty tuple is added to: nobody else has that set yet."""
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
        if not targets.isdisjoint(run[1:]) or any(instructions[place].handler != first.handler for place in run):
            continue
        result[start] = Instruction("BUILD_SET", 0, -1, first.handler, first.offset, first.line, first.position)
        for place in run[1:]:
            result[place] = instructions[place].as_nop()
    return result
