"""Unreachable code, which the compilers of 3.7 to 3.9 keep after statements that never fall through.

It is evidence of the source: `if a: raise b` with an `else` has a jump over the `else` after the `raise`; a function
whose last statement is not a `return` ends in `return None`, even if every branch of it returns.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import NamedTuple

from .code.raw_code import RawCode
from .decoding.decode import Decoder
from .instruction import Instruction

_LEAVING = frozenset({"RETURN_VALUE", "RAISE", "RAISE_VARARGS", "RERAISE", "JUMP"})
_LONGEST = 4
"""The most instructions before a dead jump that leave blocks and handlers: one for each, and few nest."""


class DeadCode(NamedTuple):
    """Dead code that one code object has and another lacks, or has with another jump target.

    ``position`` is its instruction index, ``line`` that of its statement, ``target`` the line to which it jumps.
    ``missing`` is false if only the second code object has it: lines are unknown then.
    """

    position: int
    missing: bool
    line: int | None = None
    target: int | None = None


def first_dead_difference(original: RawCode, recompiled: RawCode) -> DeadCode | None:
    """The first difference of two equivalent code objects if it is in dead code, otherwise None."""
    left, right = Decoder(original).run(), Decoder(recompiled).run()
    for index, (mine, other) in enumerate(zip_longest(left, right)):
        if mine is None or other is None or mine.op != other.op:
            if _is_dead(left, index):
                return _described(left, index)
            return DeadCode(index, False) if _is_dead(right, index) else None
    for index, (mine, other) in enumerate(zip(left, right)):
        if mine.target != other.target:
            return _described(left, index) if _is_dead(left, index) else None
    return None


def _is_dead(instructions: list[Instruction], index: int) -> bool:
    """Whether nothing falls into the instruction, or into one of those just before it, and no jump or handler leads
    there.
    """
    first = index
    while 0 < first < len(instructions) and instructions[first - 1].op not in _LEAVING and index - first < _LONGEST:
        first -= 1
    if not 0 < first < len(instructions) or instructions[first - 1].op not in _LEAVING:
        return False
    dead = range(first, index + 1)
    return all(i.target not in dead and (i.handler is None or i.handler.target not in dead) for i in instructions)


def _described(instructions: list[Instruction], index: int) -> DeadCode | None:
    leaving = next((i for i in instructions[index : index + _LONGEST] if i.op in _LEAVING), None)
    if leaving is None:
        return None  # statements of the source
    if leaving.target >= len(instructions):
        return None  # nothing is checked in code that never runs
    target = instructions[leaving.target].line if leaving.op == "JUMP" else None
    return DeadCode(index, True, instructions[index].line, target)
