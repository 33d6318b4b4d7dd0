"""Where rows break."""

from __future__ import annotations

from ..matching.tokens import CLOSING, OPENING
from .indents import last_line
from .item import INDENT, Item
from .items import Line

OPERATORS = frozenset("% + - * / or and not in is".split())
_BEFORE_OPERATOR = frozenset("if else for and or in not is .".split())


def break_habit(before: str, item: Item, *, hangs: bool) -> int:
    """Score how usual a line break between these two is; ``hangs``: what follows is indented as little as most is."""
    score = 0
    if before in OPENING:
        score += 12 if item.symbol not in CLOSING else -5
    elif before == ",":
        score += 10
    elif item.symbol in _BEFORE_OPERATOR:
        score += 5
    if item.symbol == "(" and before in OPERATORS and not hangs:
        score += 13  # a tuple or an operand
    if item.symbol in CLOSING or item.text in (",", ":", "="):
        score -= 15
    if before == ".":
        score -= 10
    return score


def open_above(lines: list[Line], found: list[int | None], indents: list[int]) -> None:
    """Put the ``if (`` of a test on the row above it where there is one, and one below for the closing parenthesis.

    ``found`` are the rows of the lines. In the column where the test begins, ``if (`` fits before it, too.
    """
    for number, line in enumerate(lines[1:-1], 1):
        row, after = found[number], found[number + 1]
        if row is None or after is None or not _may_open_above(line, indents[number]) or line.items[2].line != row:
            continue
        before, end = last_line(lines[number - 1]), last_line(line)
        if before is not None and end is not None and before < row - 1 and end + 1 < after:
            found[number] = row - 1


def _may_open_above(line: Line, indent: int) -> bool:
    """Whether this is ``if (``, with the test in its usual column, and where both parentheses are is unknown."""
    if not line.is_header or len(line.items) < 5 or line.items[0].text != "if":
        return False
    opening, first, closing = line.items[1], line.items[2], line.items[-2]
    is_open = (opening.text, closing.text) == ("(", ")") and opening.line is None and closing.line is None
    return is_open and first.column == indent + INDENT
