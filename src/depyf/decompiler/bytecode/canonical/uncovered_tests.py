"""Tests that no handler covers, though those around them do (3.14 and 3.15).

Where `a and (b or c) or d` makes one test jump to another, CPython's flowgraph.c makes a new jump, and gives it no
handler: an exception of the truth test in the middle passes by the ``except`` clause around it (measured on 3.14.8
and 3.15.0). The source has nothing of that, and compiled again it is the same. What is proven keeps the difference.
Which test it is also tells `(a and b) and c` from `a and b and c`: in the second none jumps to another.
"""

from __future__ import annotations

from ..instruction import Handler, Instruction
from .conditions import OPPOSITE, OR_POP

_TESTS = frozenset({*OPPOSITE, *OR_POP.values()})


THREADED = "threaded"
"""The operand of such a test, once it is found."""


def uncovered_tests(instructions: list[Instruction]) -> dict[int, Handler]:
    """The indices of such tests, with the handler of what is around each."""
    found = {
        index: _handler_around(instructions, index)
        for index, test in enumerate(instructions[:-1])
        if test.handler is None and test.op in _TESTS
    }
    return {index: handler for index, handler in found.items() if handler is not None}


def cover_tests(instructions: list[Instruction]) -> None:
    """Give such tests the handler of what is around them."""
    for index, handler in uncovered_tests(instructions).items():
        instructions[index].handler, instructions[index].arg = handler, THREADED
        if instructions[index - 1].op == "COPY":
            instructions[index - 1].handler = handler


def _handler_around(instructions: list[Instruction], index: int) -> Handler | None:
    """The one handler of the instructions before and after a test, past the COPY of its value; None if there is none.
    """
    before = index - 1
    if before > 0 and instructions[before].op == "COPY" and instructions[before].handler is None:
        before -= 1
    handler = instructions[before].handler if before >= 0 else None
    return handler if handler == instructions[index + 1].handler else None
