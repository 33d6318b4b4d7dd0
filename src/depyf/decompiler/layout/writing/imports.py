"""Put the names of ``from a import (b, c)`` in parentheses, or behind ``as``: only the extent of the whole statement is
known.

The names fill the lines. The end column shows whether the closing parenthesis is on a line of its own, or else which
names are on the last line.
"""

from __future__ import annotations

from typing import Iterator, Sequence

from ..matching.anchors import Extent
from .item import Item

_WIDTH = 79
_INDENT = 4


def wrapped(statements: Sequence[tuple[list[Item], Extent]]) -> list[list[Item]]:
    """Return the items of the import statements of a text, each on the lines of its extent.

    If a name on one row is imported as itself, so are all on several rows: where there are both, the module exports
    what it imports (in the library of CPython 3.13 and the packages that the tests need, 793 of 945 such names are).
    """
    rows = [_wrapped(items, extent) if extent[0] == extent[2] else None for items, extent in statements]
    are_exported = any(row is not None and _renames(row) > _renames(items) for row, (items, _) in zip(rows, statements))
    return [
        row if row is not None else _wrapped(_as_themselves(items) if are_exported else items, extent)
        for row, (items, extent) in zip(rows, statements)
    ]


def _renames(items: list[Item]) -> int:
    """Return how many names are imported under another, or as themselves."""
    return sum(item.text == "as" for item in items)


def _wrapped(items: list[Item], extent: Extent) -> list[Item]:
    """Return the items of the statement with its names in parentheses, on the lines of ``extent``, or behind ``as``."""
    symbols = [item.symbol for item in items]
    line, column, end_line, end_column = extent
    rows = end_line - line
    if symbols[0] == "import":
        return _renamed(items, extent)
    if "from" not in symbols[:2] or "import" not in symbols or symbols[-1] == "*":
        return items
    start = symbols.index("import") + 1
    if not rows:
        items = _renamed(items, extent)
        if _width([items]) + len("()") != end_column - column:
            return items
        items[-1].column = None  # it does not end where the statement does
        return _in_parentheses(items, start)
    groups = _groups(items[start:])
    opened = column + sum(item.width + item.space for item in items[:start]) + len(" (")
    if end_column <= column + 1 or end_column == column + _INDENT + 1:
        rest, last, indent = groups, [], column + _INDENT
        first_row, free = (0, 1) if rows == 1 else (1, rows - 1)
    else:
        count, indent = _last_row(groups, end_column, (opened, column + _INDENT))
        rest, last = groups[: len(groups) - count], groups[len(groups) - count :]
        first_row = 0 if indent == opened or rows == 1 else 1
        free = rows - first_row
    for number, row in enumerate(_filled(rest, free, _WIDTH - indent)):
        _put(row, line + first_row + number, indent if first_row + number else opened)
    _put(last, end_line, indent)
    if len(groups) > 1 and end_column <= column + 1 and len(groups) == rows - 1:
        items = [*items, Item(",", end_line - 1, None, 0, False, False)]
    found = _in_parentheses(items, start)
    found[start].line = line if not first_row else None
    found[-1].line, found[-1].column = end_line, end_column - 1
    return found


def _renamed(items: list[Item], extent: Extent) -> list[Item]:
    """Return the items of an import statement on one row with ``b as b`` for names of which the width shows that."""
    start = [item.symbol for item in items].index("import") + 1
    groups = _groups(items[start:])
    more = {number: group[0].width + len(" as ") for number, group in enumerate(groups) if _is_plain(group)}
    missing = extent[3] - extent[1] - _width([items])
    chosen = [*more] if sum(more.values()) == missing else [one for one, width in more.items() if width == missing]
    if extent[0] != extent[2] or not chosen or len(chosen) != 1 and len(chosen) != len(more):
        return items
    return [*items[:start], *_named_twice(groups, chosen)]


def _as_themselves(items: list[Item]) -> list[Item]:
    """Return the items of a ``from`` statement with ``b as b`` for all names without an ``as``."""
    symbols = [item.symbol for item in items]
    if symbols[0] == "import" or "import" not in symbols or symbols[-1] == "*":
        return items
    start = symbols.index("import") + 1
    groups = _groups(items[start:])
    return [*items[:start], *_named_twice(groups, [n for n, group in enumerate(groups) if _is_plain(group)])]


def _named_twice(groups: list[list[Item]], chosen: list[int]) -> Iterator[Item]:
    """Yield the items of the names, those ``chosen`` as themselves."""
    for number, group in enumerate(groups):
        name, *rest = group
        if number in chosen:
            name.column = None
            rest[:0] = [Item(text, None, None, 1, False, False) for text in ("as", name.text)]
        yield from (name, *rest)


def _is_plain(group: list[Item]) -> bool:
    """Whether this is a bare name, with or without a comma."""
    return group[0].symbol.isidentifier() and [item.symbol for item in group[1:]] in ([], [","])


def _in_parentheses(items: list[Item], start: int) -> list[Item]:
    items[start].space = 0
    opening, closing = (Item(text, None, None, text == "(", False, False) for text in "()")
    return [*items[:start], opening, *items[start:], closing]


def _groups(items: list[Item]) -> list[list[Item]]:
    groups: list[list[Item]] = [[]]
    for item in items:
        groups[-1].append(item)
        if item.symbol == ",":
            groups.append([])
    return groups


def _width(groups: list[list[Item]]) -> int:
    return sum(item.width + item.space for group in groups for item in group) - groups[0][0].space


def _last_row(groups: list[list[Item]], end_column: int, usual: tuple[int, int]) -> tuple[int, int]:
    """Return how many names are on the last line, and the column where it begins."""
    found = [(count, end_column - 1 - _width(groups[-count:])) for count in range(1, len(groups) + 1)]
    for wanted in usual:
        for one in found:
            if one[1] == wanted:
                return one
    return max((one for one in found if one[1] >= 0), default=found[0])


def _filled(groups: list[list[Item]], rows: int, width: int) -> list[list[list[Item]]]:
    """Distribute the names over at most ``rows`` lines."""
    if len(groups) <= rows:
        return [[group] for group in groups]
    found: list[list[list[Item]]] = [[]]
    for number, group in enumerate(groups):
        left = len(groups) - number
        if found[-1] and len(found) < rows:
            if _width([*found[-1], group]) > width or left <= rows - len(found):
                found.append([])
        found[-1].append(group)
    return found


def _put(groups: list[list[Item]], line: int, column: int) -> None:
    for item in (item for group in groups for item in group):
        item.line, item.column = line, None
    if groups:
        groups[0][0].column = column
