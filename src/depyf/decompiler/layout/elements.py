"""Parentheses around the element of a comprehension: the column of ``for``, on a row below, is that of the parenthesis.

Neither parenthesis has a position, but the variable after ``for`` has.
"""

from __future__ import annotations

from .matching.tokens import CLOSING, OPENING
from .writing.item import INDENT, Item


def parenthesize_elements(items: list[Item]) -> None:
    """Insert the parentheses into the items of a logical line: beside the element, or on rows of their own."""
    if not any(one.symbol == "for" for one in items[1:]):
        return
    number = 1
    while number < len(items):
        end = _for_of(items, number) if items[number - 1].symbol in OPENING else None
        if end is not None:
            _parenthesize(items, number, end)
        number += 1


def _for_of(items: list[Item], number: int) -> int | None:
    """Return the ``for`` of the comprehension whose element begins with the item; None if there is none."""
    depth = 0
    for index in range(number, len(items)):
        symbol = items[index].symbol
        depth += (symbol in OPENING) - (symbol in CLOSING)
        if depth < 0 or not depth and symbol in (",", ":", "async"):
            return None
        if not depth and symbol == "for":
            return index
    return None


def _parenthesize(items: list[Item], start: int, end: int) -> None:
    first, variable = items[start], items[end + 1]
    rows = [one.end_line for one in items[start:end] if one.end_line is not None]
    if first.line is None or first.column is None or first.symbol in OPENING or first.in_string:
        return
    if variable.line is None or variable.column is None or items[end].line is not None or variable.line <= rows[-1]:
        return
    before = [one.end_line for one in items[:start] if one.end_line is not None]
    if before and before[-1] >= first.line:
        return
    column = variable.column - len("for ")
    above: int | None = first.line
    below: int | None = None
    if column == first.column - INDENT and rows[-1] + 1 < variable.line:
        above, below = first.line - 1, variable.line - 1
        if before and before[-1] >= above:
            return
    elif column != first.column - len("("):
        return
    items.insert(end, Item(")", below, column if below is not None else None, 0, False, False))
    items.insert(start, Item("(", above, column, first.space, False, False))
    first.space = 0
