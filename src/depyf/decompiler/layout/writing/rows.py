"""Elements of a display that the compiler folded, over rows: only those of the brackets are known."""

from __future__ import annotations

from itertools import accumulate
from typing import NamedTuple, Sequence

from ..literals.pieces import WIDTH
from ..matching.tokens import CLOSING, OPENING
from .item import INDENT, Item

_LONGEST = 200
"""The longest row that is tried: of one that is longer, nothing shows."""


class Rows(NamedTuple):
    """The column where each row begins, and their items."""

    column: int
    items: list[list[Item]]


def hanging_rows(elements: Sequence[Item], count: int, indent: int, closing: int) -> Rows | None:
    """Return ``count`` rows below an opening bracket, whose row begins in column ``indent``; None if none fit.

    The closing bracket begins the row after these, in column ``closing``.
    """
    if closing not in (indent, indent + INDENT):
        return None
    column = indent + INDENT
    rows = _filled(groups_of(elements), count, WIDTH - column)
    return Rows(column, rows) if rows is not None else None


def aligned_rows(elements: Sequence[Item], count: int, column: int, closing: int) -> Rows | None:
    """Return ``count`` rows, the first after an opening bracket, the others below it, in ``column``; None if none fit.

    The closing bracket ends the last row, in column ``closing``.
    """
    groups = groups_of(elements)
    width = 0  # with the space before the first of them
    for size in range(1, len(groups)):
        first = groups[-size]
        width += _width([first]) + first[0].space
        if width - first[0].space == closing - column:
            rows = _filled(groups[:-size], count - 1, WIDTH - column)
            return Rows(column, [*rows, _joined(groups[-size:])]) if rows is not None else None
    return None


def rows_of_parameters(items: Sequence[Item], depth: int) -> Rows | None:
    """Return what stays on the row, and a row for each parameter that follows it, up to the last item, whose column is
    known; ``depth``: the number of open brackets before these items. None if the last item is in other brackets.
    """
    rows: list[list[Item]] = [[]]
    for item in items:
        rows[-1].append(item)
        depth += (item.symbol in OPENING) - (item.symbol in CLOSING)
        if depth == 1 and (item.symbol == "," or item.symbol == "(" and len(rows) == 1):
            rows.append([])
    if depth != 1 or not rows[-1]:
        return None
    *before, last = rows[-1]
    column = (last.column or 0) - (_width([before]) + last.space if before else 0)
    return Rows(column, rows) if column > 0 else None


def groups_of(elements: Sequence[Item]) -> list[list[Item]]:
    """Return the items of each element, with the comma after it; an empty list if they can't be separated."""
    groups: list[list[Item]] = [[]]
    depth = 0
    for item in elements:
        if item.line is not None or item.is_glued or "\n" in item.text:
            return []
        depth += (item.symbol in OPENING) - (item.symbol in CLOSING)
        groups[-1].append(item)
        if item.text == "," and not depth:
            groups.append([])
    return [group for group in groups if group]


def _width(groups: Sequence[list[Item]]) -> int:
    items = _joined(groups)
    return sum(item.width + item.space for item in items) - items[0].space


def _joined(groups: Sequence[list[Item]]) -> list[Item]:
    return [item for group in groups for item in group]


def _filled(groups: list[list[Item]], count: int, width: int) -> list[list[Item]] | None:
    """Return ``count`` rows of these elements: one in each row, or as many as fit in the usual width, or rows of even
    width, or as little wider as necessary.
    """
    if not 0 < count <= len(groups):
        return None
    sizes = [_width([group]) for group in groups]
    for limit in (width, *range(max(sizes), _LONGEST)):
        ends = _ends(sizes, limit) if count < len(groups) else [*range(1, count + 1)]
        if len(ends) == count:
            return [_joined(groups[start:end]) for start, end in zip([0, *ends], ends)]
    return None


def _ends(sizes: list[int], limit: int) -> list[int]:
    """Return, for each row, the number of elements up to its end, if no row is wider than ``limit``."""
    ends: list[int] = []
    start, totals = 0, [0, *accumulate(size + 1 for size in sizes)]
    for number in range(1, len(sizes)):
        if totals[number + 1] - totals[start] - 1 > limit:
            ends.append(number)
            start = number
    return [*ends, len(sizes)]
