"""Names in class bodies (3.12 on): ``LOAD_LOCALS; LOAD_FROM_DICT_OR_DEREF x`` replaces LOAD_CLASSDEREF x."""

from __future__ import annotations

from ..edit import referred, without
from ..instruction import Instruction


def fold_class_names(instructions: list[Instruction]) -> list[Instruction]:
    """Return ``instructions`` with the pairs folded."""
    pairs = [
        index
        for index, i in enumerate(instructions[1:])
        if i.op == "LOAD_FROM_DICT_OR_DEREF" and instructions[index].op == "LOAD_LOCALS"
    ]
    if not pairs:
        return instructions
    targets = referred(instructions)
    dropped: set[int] = set()
    for index in pairs:
        if index + 1 not in targets and instructions[index].handler == instructions[index + 1].handler:
            instructions[index + 1].op = "LOAD_CLASSDEREF"
            dropped.add(index)
    return without(instructions, dropped)
