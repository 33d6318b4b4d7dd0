"""Sets of numbers in files: finds the element order of the original display.

Iteration order depends on the order of insertion, and elements that share a hash slot swap each time a set is made
from another set. CPython creates a set constant once or twice when it compiles, and once more when it reads one from a
file: in the set's own order up to 3.10, sorted from 3.11 on, where any display gives the same. The printer searches a
display from which the *host's* compiler makes the set, so it gets the set that the host makes from the display; the
proof uses the set of the file.
"""

from __future__ import annotations

from typing import Any

from ..bytecode import Instruction, RawCode
from ..bytecode.code.formats import FORMATS
from ..bytecode.interpreters import HOST_VERSION
from ..syntax.set_order import display_order, hash_is_random

_LARGE = 1000
"""The size from which the order of a set is not searched."""


def is_of_file(raw: RawCode) -> bool:
    """Whether the code was read from a file, not from memory."""
    return bool(raw.stored)


def make_sets_here(instructions: list[Instruction], version: tuple[int, int]) -> None:
    """Replace set constants from a file of ``version`` by what the host makes from the same source."""
    for instruction in instructions:
        value = instruction.arg
        if instruction.op == "CONST" and type(value) is frozenset:
            instruction.arg = _made_here(value, version)


def _made_here(read: frozenset[Any], version: tuple[int, int]) -> frozenset[Any]:
    if len(read) > _LARGE or hash_is_random(read):
        return read
    if FORMATS[version].sorts_sets:
        order = display_order(list(read), lambda order: list(read))
    else:
        order = display_order(list(read), lambda order: list(_made(order, 1 + _times(version))))
    return _made(order, _times(HOST_VERSION)) if order else read


def _made(order: list[Any], times: int) -> frozenset[Any]:
    """A set filled in this order, then copied element by element for the rest of ``times``."""
    made = frozenset(order)
    for _ in range(times - 1):
        made = frozenset(list(made))  # from a list: from a set it would copy the hash table
    return made


def _times(version: tuple[int, int]) -> int:
    return 1 if FORMATS.get(version, FORMATS[max(FORMATS)]).makes_sets_once else 2
