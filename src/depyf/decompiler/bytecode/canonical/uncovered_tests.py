"""Tests and jumps that no handler covers, though one covers the code around them (3.13 to 3.15).

Where `a and (b or c) or d` makes one test jump to another, CPython's flowgraph.c creates a new jump without a
handler: an exception in the truth test in the middle bypasses the enclosing ``except`` clause (measured on 3.14.8
and 3.15.0). The source shows nothing of it, and recompiling gives the same. The proof still compares the difference.
Which test it is also distinguishes `(a and b) and c` from `a and b and c`: in the latter no test jumps to another.

Where the body of a loop ends with a statement of which nothing is left, such as ``while 0``, the jump back to the loop
is such a one too (measured on 3.13.0), and so is the jump from behind an ``except*`` clause to what follows the
statement around (measured on 3.12.1). It raises nothing.
"""

from __future__ import annotations

from ..instruction import Handler, Instruction
from .conditions import OPPOSITE, OR_POP

_TESTS = frozenset({*OPPOSITE, *OR_POP.values()})


THREADED = "threaded"
"""The operand that marks such a test."""


def uncovered_tests(instructions: list[Instruction]) -> dict[int, Handler]:
    """The indices of such tests, each with the handler of the code around it."""
    found = {
        index: _handler_around(instructions, index)
        for index, test in enumerate(instructions[:-1])
        if test.handler is None and test.op in _TESTS
    }
    return {index: handler for index, handler in found.items() if handler is not None}


def cover_tests(instructions: list[Instruction]) -> None:
    """Give such tests the handler of the code around them."""
    for index, handler in uncovered_tests(instructions).items():
        instructions[index].handler, instructions[index].arg = handler, THREADED
        if instructions[index - 1].op == "COPY":
            instructions[index - 1].handler = handler


def cover_jumps(instructions: list[Instruction]) -> None:
    """Give unconditional jumps the handler that the code before them and their targets have.

    A jump from behind a try statement to its beginning is none of these: that is a loop around the statement.
    """
    first: dict[Handler, int] = {}
    for index, one in enumerate(instructions):
        if one.handler is not None and one.handler not in first:
            first[one.handler] = index
    for index, jump in enumerate(instructions[1:-1], 1):
        if jump.op == "JUMP" and jump.handler is None:
            handler = instructions[jump.target].handler
            if handler is None or handler != instructions[index - 1].handler:
                continue
            if handler == instructions[index + 1].handler or first[handler] < jump.target:
                jump.handler = handler


def _handler_around(instructions: list[Instruction], index: int) -> Handler | None:
    """The common handler of the instructions around a test, past the COPY of its value; None if there is none.
    """
    before = index - 1
    if before > 0 and instructions[before].op == "COPY" and instructions[before].handler is None:
        before -= 1
    handler = instructions[before].handler if before >= 0 else None
    return handler if handler == instructions[index + 1].handler else None
