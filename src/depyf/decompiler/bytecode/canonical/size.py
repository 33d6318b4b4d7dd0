"""Limits on what canonical instructions may hold: all later work is proportional to that and to their number.

A few bytes can unpack a million values, or name a constant whose shared parts make it endless when written out.
Compilers emit a store for each unpacked value, and constants no larger than their source text.
"""

from __future__ import annotations

from typing import Any

from ..edit import ErrorMaker
from ..instruction import OPERATIONS, Instruction, stack_use

_MOST_PUSHED = 1_000
"""The limit of values unpacked but not stored, over all instructions."""
_MOST_PARTS, _MOST_COPIES = 200_000, 20
"""A constant of more items than the first may be at most the second times the size of its distinct parts."""
_UNPACKS = ("UNPACK_SEQUENCE", "UNPACK_EX")


def check_size(instructions: list[Instruction], error: ErrorMaker) -> None:
    """Raise ``error`` for an unknown operation, unpacked values that nothing takes, or an oversized constant."""
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
    """The number of items in ``value``, shared ones counted at each occurrence."""
    if type(value) not in (tuple, frozenset):
        return 1
    if id(value) not in sizes:
        sizes[id(value)] = 1 + sum(_size(item, sizes) for item in value)
    return sizes[id(value)]


def _distinct(value: Any) -> int:
    """The number of items in the containers of ``value``, each container counted once."""
    todo, seen, count = [value], set(), 0
    while todo:
        container = todo.pop()
        if id(container) not in seen:
            seen.add(id(container))
            count += 1 + len(container)
            todo += [item for item in container if type(item) in (tuple, frozenset)]
    return count
