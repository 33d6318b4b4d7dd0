"""Variables of inlined comprehensions (3.12 on) that share the slot, or the name, of a cell of the enclosing code.

Reading a cell's slot as a plain local gives the cell (LOAD_CLOSURE). But inside a comprehension that saved the slot and
made no cell in it, the slot holds the comprehension's variable, a plain local.
"""

from __future__ import annotations

from typing import Collection

from ..edit import MOST_SLOTS, ErrorMaker
from ..instruction import Handler, Instruction

_PROLOGUE = ("LOAD_FAST_AND_CLEAR", "MAKE_CELL")
_USES = ("LOAD_FAST", "DELETE_FAST", "LOAD_CLOSURE")


def plain_in_comprehensions(
    instructions: list[Instruction], closures: Collection[str], error: ErrorMaker
) -> list[Instruction]:
    """Return ``instructions`` with LOAD_FAST for plain comprehension variables whose name is in ``closures``."""
    position, size, looked_at = 0, len(instructions), 0
    while position < size:
        if instructions[position].op != "LOAD_FAST_AND_CLEAR":
            position += 1
            continue
        saved: set[str] = set()
        cells: set[str] = set()
        while position < size and instructions[position].op in _PROLOGUE:
            (saved if instructions[position].op == "LOAD_FAST_AND_CLEAR" else cells).add(instructions[position].arg)
            position += 1
        # SWAP, then the container: from there on an exception restores the variables.
        handler = instructions[position + 1].handler if position + 1 < size else None
        shared = saved.intersection(closures)
        if handler is None or not shared:
            continue
        looked_at += size - position
        if looked_at > MOST_SLOTS:
            raise error("too many comprehensions that share a variable with a cell", instructions[position].offset)
        for index in range(position + 1, size):
            instruction = instructions[index]
            if instruction.op in ("LOAD_FAST", "LOAD_CLOSURE") and instruction.arg in shared:
                if _raises_to(instructions, index, {handler.target}):
                    instruction.op = "LOAD_CLOSURE" if instruction.arg in cells else "LOAD_FAST"
    return instructions


def _raises_to(instructions: list[Instruction], index: int, targets: set[int]) -> bool:
    """Whether one of ``targets`` is among the enclosing handlers of an instruction."""
    for _ in range(100):
        handler = instructions[index].handler
        if handler is None:
            return False
        if handler.target in targets:
            return True
        index = handler.target
    return False


def inside_comprehensions(instructions: list[Instruction]) -> list[bool]:
    """For each instruction, whether it is in an inlined comprehension with variables."""
    restoring = {
        instructions[index + 1].handler
        for index, instruction in enumerate(instructions[:-1])
        if instruction.op == "SWAP" and index and instructions[index - 1].op in _PROLOGUE
    }
    targets = {handler.target for handler in restoring if handler is not None}
    if not targets:
        return [False] * len(instructions)
    known: dict[Handler | None, bool] = {None: False}
    for index, instruction in enumerate(instructions):
        if instruction.handler not in known:
            known[instruction.handler] = _raises_to(instructions, index, targets)
    return [known[instruction.handler] for instruction in instructions]


def inside_any_comprehension(instructions: list[Instruction]) -> list[bool]:
    """For each instruction, whether it is in an inlined comprehension, be it one without variables."""
    inside = inside_comprehensions(instructions)
    for index, instruction in enumerate(instructions):
        if instruction.op != "FOR_ITER":
            continue
        before = [one for one in instructions[max(0, index - 3) : index] if one.op != "GET_ITER"]  # in between on 3.15
        is_empty = before[-2:-1] and before[-2].op in ("BUILD_LIST", "BUILD_SET", "BUILD_MAP") and not before[-2].arg
        if is_empty and before[-1].op == "SWAP":
            inside[index : instruction.target] = [True] * (instruction.target - index)
    return inside


def comprehension_variables(instructions: list[Instruction]) -> frozenset[str]:
    """The locals that only inlined comprehensions use."""
    hidden = {i.arg for i in instructions if i.op == "LOAD_FAST_AND_CLEAR"}
    if hidden:
        inside = inside_comprehensions(instructions)
        hidden -= {i.arg for i, within in zip(instructions, inside) if not within and i.op in _USES}
    return frozenset(hidden)
