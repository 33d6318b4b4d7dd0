"""Drops the ``iter()`` of what is an iterator already.

Releases of 3.13 differ in how often a comprehension makes its iterator: 3.13.0 once, later ones twice. So code of one
release and text compiled by another are compared without the second call.
"""

from __future__ import annotations

from ...bytecode import Instruction, RawCode
from ...bytecode.edit import referred, without
from ...bytecode.kinds import is_comprehension

_PUSHES_ONE = frozenset({"LOAD_FAST_AND_CLEAR", "BUILD_LIST", "BUILD_SET", "BUILD_MAP"})


def without_repeated_iterators(raw: RawCode, instructions: list[Instruction]) -> list[Instruction]:
    """Return ``instructions`` without each GET_ITER of an iterator that was made just before.

    Between the two are at most the saved variables and the empty container of an inlined comprehension. Code of a
    comprehension is called with an iterator: if its caller makes none, the callers differ.
    """
    entries = referred(instructions)
    dropped = set()
    depth = 0  # of the iterator in the stack: 1 is the top, 0 if there is none
    for index, instruction in enumerate(instructions):
        op, arg = instruction.op, instruction.arg
        if index in entries:
            depth = 0
        if op == "GET_ITER":
            if depth == 1:
                dropped.add(index)
            depth = 1
        elif op == "LOAD_FAST" and arg == ".0" and is_comprehension(raw):
            depth = 1
        elif depth and op == "SWAP" and depth in (1, arg):
            depth = arg if depth == 1 else 1
        elif depth and op in _PUSHES_ONE and not (op.startswith("BUILD") and arg):
            depth += 1
        elif op not in ("NOP", "MAKE_CELL") and not (depth and op == "SWAP"):
            depth = 0
    return without(instructions, dropped)
