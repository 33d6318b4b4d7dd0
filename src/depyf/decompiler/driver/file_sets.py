"""Sets of numbers in files: the order of the display that a compiler made them of.

A loop sees the order in which a set was filled, and elements that share a slot change places each time a set is made
of another. CPython makes a set constant once or twice when it compiles, and once more when it reads one from a file: of
its own order up to 3.10, of a sorted one from 3.11 on, so that any display comes to the same there. The printer looks
for a display of which the *host's* compiler makes the set. So it gets the set that the host makes of the display;
what is proven keeps the set of the file.
"""

from __future__ import annotations

from typing import Any

from ..bytecode import Instruction, RawCode
from ..bytecode.code.formats import FORMATS
from ..bytecode.interpreters import HOST_VERSION
from ..syntax.constant_text import display_order, hash_is_random

_LARGE = 1000
"""The size of sets from where on their order is not looked for."""


def is_of_file(raw: RawCode) -> bool:
    """Whether the code was read from a file, not from memory."""
    return bool(raw.stored)


def make_sets_here(instructions: list[Instruction], version: tuple[int, int]) -> None:
    """Give sets among the constants, of a file of ``version``, what the host makes of the same source."""
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
    """A set that is filled in this order, and made of the one before it as often as is left of ``times``."""
    made = frozenset(order)
    for _ in range(times - 1):
        made = frozenset(list(made))  # of a list: of a set it would be a copy, slots and all
    return made


def _times(version: tuple[int, int]) -> int:
    return 1 if FORMATS.get(version, FORMATS[max(FORMATS)]).makes_sets_once else 2
