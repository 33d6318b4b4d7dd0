"""Where rows break."""

from __future__ import annotations

from itertools import accumulate

from ..matching.tokens import CLOSING, OPENING
from .indents import first_line, last_line
from .item import INDENT, Item
from .items import Line

OPERATORS = frozenset("% + - * / or and not in is".split())
_FARTHEST = 1000
"""How many rows of a text without a location may be between a line and the last one that has one."""
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
    if before in ("not", "for") or before in ("=", ":") and not item.space:
        score -= 15
    return score


def open_above(lines: list[Line], found: list[int | None], indents: list[int]) -> None:
    """Put the ``if (`` of a test on the row above it where there is one, and one below for the closing parenthesis.

    ``found`` are the rows of the lines. In the column where the test begins, ``if (`` fits before it, too.
    """
    for number, line in enumerate(lines[1:-1], 1):
        row, after = found[number], found[number + 1]
        if row is None or after is None or not _may_open_above(line, indents[number], row):
            continue
        before, end = _row_before(lines, number), last_line(line)
        if before is not None and end is not None and before < row - 1 and end + 1 < after:
            found[number] = row - 1


def rows_below(lines: list[Line], number: int, row: int) -> int | None:
    """Return how many rows are free between ``row``, where the line ends, and what follows it; None if unknown."""
    least = row + 1
    for line in lines[number + 1 :]:
        following = first_line(line)
        if following is not None:
            return max(following - least, 0)
        least += _least_rows(line)
    return None


def _least_rows(line: Line) -> int:
    return 1 + sum(item.text.count("\n") for item in line.items)


def _row_before(lines: list[Line], number: int) -> int | None:
    """Return the last row of what precedes the line, at least; None if unknown."""
    rows = 0
    for line in reversed(lines[:number]):
        row = last_line(line)
        if row is not None or rows > _FARTHEST:
            return row if row is None else row + rows
        rows += _least_rows(line)
    return None


def _may_open_above(line: Line, indent: int, row: int) -> bool:
    """Whether this is ``if (``, where neither parenthesis has a location, with the test on ``row`` in its usual column.
    """
    if not line.is_header or len(line.items) < 5 or line.items[0].text != "if":
        return False
    opening, first, closing = line.items[1], line.items[2], line.items[-2]
    is_open = (opening.text, closing.text) == ("(", ")") and opening.line is None and closing.line is None
    prefix = 0
    if first.text == "not" and first.line is None:
        first, prefix = line.items[3], len("not ")
    if not is_open or first.line != row or first.column != indent + INDENT + prefix:
        return False
    depths = accumulate((one.symbol in OPENING) - (one.symbol in CLOSING) for one in line.items[1:-2])
    return all(depth > 0 for depth in depths)
