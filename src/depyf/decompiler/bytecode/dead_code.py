"""Unreachable code, which the compilers of 3.7 to 3.9 keep after statements that never fall through.

It is evidence of the source: `if a: raise b` with an `else` has a jump over the `else` after the `raise`; a function
whose last statement is not a `return` ends in `return None`, even if every branch of it returns.
"""

from __future__ import annotations

import difflib
import functools
import itertools
from typing import Any, NamedTuple

from ...errors import DecompilationError
from .code.raw_code import RawCode
from .decoding.decode import Decoder
from .instruction import Instruction

_LEAVING = frozenset({"RETURN_VALUE", "RAISE", "RAISE_VARARGS", "RERAISE", "JUMP"})
_ENDING = _LEAVING | {"BEGIN_FINALLY"}
"""What ends dead code that is no statement: a jump, or the end of the body of a `try` (BEGIN_FINALLY, 3.8)."""
_LONGEST = 4
"""The most instructions before a dead jump that leave blocks and handlers: one for each, and few nest."""

_COMPARED = 250_000
"""The size of the table of what lies between the first and the last difference, at most; else all of that differs."""


class DeadCode(NamedTuple):
    """Dead code, or a jump, that one code object has and another lacks, or has with another jump target.

    ``position`` is its instruction index, ``line`` that of its statement, ``target`` the line to which it jumps.
    ``missing`` is false if only the second code object has it: lines are unknown then. ``is_extra`` is true then, and
    if both have it. ``is_jump``: it runs, and only jumps. ``far`` is the number of instructions that only one of the
    two has, or with another target.
    """

    position: int
    missing: bool
    line: int | None = None
    target: int | None = None
    is_extra: bool = False
    is_jump: bool = False
    far: int = 0


def first_dead_difference(original: RawCode, recompiled: RawCode) -> DeadCode | None:
    """The first difference of two equivalent code objects if it is in dead code or a jump, otherwise None.

    None, too, for a piece of a body: control runs off its end.
    """
    try:
        left, right = _decoded(original), Decoder(recompiled, has_lines=False).run()
    except DecompilationError:
        return None
    found = _first(left, right)
    return found and found._replace(far=_distance(left, right))


@functools.lru_cache(maxsize=1)
def _decoded(raw: RawCode) -> list[Instruction]:
    """A search compares many texts with one original."""
    return Decoder(raw).run()


def _first(left: list[Instruction], right: list[Instruction]) -> DeadCode | None:
    for index, (mine, other) in enumerate(itertools.zip_longest(left, right)):
        if mine is None or other is None or mine.op != other.op:
            return _difference(left, right, index)
    for index, (mine, other) in enumerate(zip(left, right)):
        if mine.target != other.target:
            found = _described(left, index) if _is_dead(left, index) else None
            found = found or DeadCode(index, True, mine.line, _line(left, mine.target), is_jump=True)
            return found._replace(is_extra=True)
    return None


def _difference(left: list[Instruction], right: list[Instruction], index: int) -> DeadCode | None:
    """The difference of both at ``index``, if it is in dead code or a jump."""
    if _is_dead(left, index) or index == len(right):
        return _described(left, index)
    if _is_dead(right, index) or index == len(left):
        return DeadCode(index, False, is_extra=True)
    if index < len(left) and left[index].op == "JUMP":
        return DeadCode(index, True, left[index].line, _line(left, left[index].target), is_jump=True)
    if index < len(right) and right[index].op == "JUMP":
        return DeadCode(index, False, is_extra=True, is_jump=True)
    return None


def _distance(left: list[Instruction], right: list[Instruction]) -> int:
    """How many instructions only one of the two has, and how many that both have jump elsewhere."""
    start, mine, others = differing_parts([one.op for one in left], [one.op for one in right])
    pairs = [(at, at) for at in range(start)]
    if len(mine) * len(others) <= _COMPARED:
        for a, b, size in difflib.SequenceMatcher(None, mine, others, autojunk=False).get_matching_blocks():
            pairs += zip(range(start + a, start + a + size), range(start + b, start + b + size))
    pairs += zip(range(start + len(mine), len(left)), range(start + len(others), len(right)))
    partner = {**dict(pairs), -1: -1}
    targets = [(left[at].target, right[other].target) for at, other in pairs]
    elsewhere = [target not in partner or partner[target] != goal for target, goal in targets].count(True)
    return len(left) + len(right) - 2 * len(pairs) + elsewhere


def differing_parts(ours: list[Any], theirs: list[Any]) -> tuple[int, list[Any], list[Any]]:
    """How many items both begin with, and the rest of each without those that both end with."""
    least = min(len(ours), len(theirs))
    start = next((at for at in range(least) if ours[at] != theirs[at]), least)
    end = next((at for at in range(least - start) if ours[-1 - at] != theirs[-1 - at]), least - start)
    return start, ours[start : len(ours) - end], theirs[start : len(theirs) - end]


def _line(instructions: list[Instruction], index: int) -> int | None:
    return instructions[index].line if 0 <= index < len(instructions) else None


def _is_dead(instructions: list[Instruction], index: int) -> bool:
    """Whether nothing falls into the instruction, or into one of those just before it, and no jump or handler that
    may run leads there.
    """
    first = index
    while 0 < first < len(instructions) and instructions[first - 1].op not in _LEAVING and index - first < _LONGEST:
        first -= 1
    if not 0 < first < len(instructions) or instructions[first - 1].op not in _LEAVING:
        return False
    run = _reached(instructions)
    targets = {i.target for i in run} | {i.handler.target for i in run if i.handler is not None}
    return targets.isdisjoint(range(first, index + 1))


def _reached(instructions: list[Instruction]) -> list[Instruction]:
    """The instructions that control may reach: a dead jump leads to more dead code."""
    size = len(instructions)
    seen = bytearray(size)
    todo = [0]
    while todo:
        at = todo.pop()
        while 0 <= at < size and not seen[at]:
            seen[at] = True
            one = instructions[at]
            if one.target >= 0:
                todo.append(one.target)
            if one.handler is not None:
                todo.append(one.handler.target)
            if one.op in _LEAVING:
                break
            at += 1
    return list(itertools.compress(instructions, seen))


def _described(instructions: list[Instruction], index: int) -> DeadCode | None:
    leaving = next((i for i in instructions[index : index + _LONGEST] if i.op in _ENDING), None)
    if leaving is None:
        return None  # statements of the source
    if leaving.target >= len(instructions):
        return None  # nothing is checked in code that never runs
    target = instructions[leaving.target].line if leaving.op == "JUMP" else None
    return DeadCode(index, True, instructions[index].line, target)
