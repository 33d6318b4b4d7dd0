"""What canonical instructions may hold besides their number: all later work is proportional to both.

A few bytes can say that a million values are unpacked, or name a constant that shares its parts and has no end when it
is written out. Compilers make a store for each value that they unpack, and constants no larger than what was written.
"""

from __future__ import annotations

from typing import Any

from ..edit import ErrorMaker
from ..instruction import OPERATIONS, Instruction, stack_use

_MOST_PUSHED = 1_000
"""Values that are unpacked but not stored, for all instructions together."""
_MOST_PARTS, _MOST_COPIES = 200_000, 20
"""A constant of more items than the first is no larger than its distinct parts, so many times."""
_UNPACKS = ("UNPACK_SEQUENCE", "UNPACK_EX")


def check_size(instructions: list[Instruction], error: ErrorMaker) -> None:
    """Raises where an instruction is none of ours, unpacks what nothing takes, or has a constant without end."""
    pushed = 0
    for instruction in instructions:
        if instruction.op not in OPERATIONS:
            raise error(f"{instruction.op} is where no compiler puts it", instruction.offset)
        if instruction.op in _UNPACKS:
            pushed += stack_use(instruction)[1]
            if pushed > _MOST_PUSHED + len(instructions):
                raise error(f"{instruction!r} gives more values than there are instructions", instruction.offset)
        elif instruction.op == "CONST" and type(instruction.arg) in (tuple, frozenset):
            sizes: dict[int, int] = {}
            size = _size(instruction.arg, sizes)
            if size > _MOST_PARTS and size > _MOST_COPIES * _distinct(instruction.arg):
                raise error("a constant is too large when it is written out", instruction.offset)


def _size(value: Any, sizes: dict[int, int]) -> int:
    """How many items ``value`` has where each is counted wherever it is."""
    if type(value) not in (tuple, frozenset):
        return 1
    if id(value) not in sizes:
        sizes[id(value)] = 1 + sum(_size(item, sizes) for item in value)
    return sizes[id(value)]


def _distinct(value: Any) -> int:
    """How many items the containers in ``value`` have, each counted once."""
    todo, seen, count = [value], set(), 0
    while todo:
        container = todo.pop()
        if id(container) not in seen:
            seen.add(id(container))
            count += 1 + len(container)
            todo += [item for item in container if type(item) in (tuple, frozenset)]
    return count
