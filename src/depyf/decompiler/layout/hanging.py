"""Operands of a test in parentheses, on rows of their own: `if a and (`, the rows of the operand, `):`.

Neither parenthesis has a position: the column of the operand and the row that is left below it tell.
"""

from __future__ import annotations

from .matching.anchors import Location
from .matching.tokens import CLOSING, OPENING
from .parentheses import ends_of_group
from .writing.indents import first_line
from .writing.item import INDENT, Item
from .writing.items import Line

_TESTS = frozenset(("if", "elif", "while"))
_OPERATORS = frozenset("and or not in is == != < > <= >=".split())


def hang_operands(lines: list[Line], indents: list[int]) -> None:
    """Insert the parentheses in the headers among ``lines``, which are indented by ``indents``."""
    for number, line in enumerate(lines[:-1]):
        items = line.items
        if line.is_header and items[0].text in _TESTS and items[-1].symbol == ":":
            below = first_line(lines[number + 1], indents[number + 1])
            if below is not None and (lines[number + 1].is_definition or lines[number + 1].items[0].text[0] == "@"):
                below -= 1  # a blank row
            at = 1
            while at < len(items):
                at = _hang(items, at, indents[number], below) or at + 1


def _hang(items: list[Item], known: int, indent: int, below: int | None) -> int | None:
    """Put the operand that begins with the ``known`` item, or right before it, in parentheses if it hangs.

    Returns the number of the closing parenthesis, None if there is none.
    """
    row = items[known].line
    first, column = known, items[known].column
    while column is not None and _is_prefix(items, first - 1):
        first -= 1
        column -= items[first].width + items[first + 1].space
    begins = items[first - 1].symbol in _OPERATORS and items[first - 1].line is None
    if row is None or not begins or column != indent + INDENT or items[known].symbol in OPENING:
        return None
    depth = sum((one.symbol in OPENING) - (one.symbol in CLOSING) for one in items[:first])
    above = [one.end_line for one in items[:first] if one.end_line is not None]
    if depth or above and above[-1] >= row:
        return None
    for end in (*ends_of_group(items, first), len(items) - 1):
        closes = _closes(items, first, end, indent, below)
        if closes is not None:
            begin = items[first]
            items.insert(end, Item(")", *closes, 0, False, False))
            items.insert(first, Item("(", None, None, begin.space, False, False))
            begin.line, begin.column, begin.space = row, column, 0
            return end + 1
    return None


def _is_prefix(items: list[Item], number: int) -> bool:
    """Whether this begins an operand, and has no position of its own."""
    is_operator = items[number].symbol == "not" and items[number - 1].symbol == "is"
    return items[number].line is None and items[number].symbol in ("not", "(") and not is_operator


def _closes(items: list[Item], first: int, end: int, indent: int, below: int | None) -> Location | None:
    """Return where the parenthesis closes that is before item ``end``, on a row of its own; None if there is none."""
    rows = [one.end_line for one in items[first:end] if one.end_line is not None]
    if any(one.column is not None and one.column <= indent for one in items[first:end]):
        return None
    if end == len(items) - 1:
        return (rows[-1] + 1, indent) if below is not None and rows[-1] + 1 < below else None
    after = next((one for one in items[end + 1 :] if one.line is not None), None)
    if after is None or after.line is None or after is not items[end + 1]:
        return None
    if after.line > rows[-1] and after.column == indent + len(") ") + items[end].width + items[end + 1].space:
        return after.line, indent
    if after.line > rows[-1] + 1 and after.column == indent + INDENT:  # `) or (`
        return after.line - 1, indent
    return None
