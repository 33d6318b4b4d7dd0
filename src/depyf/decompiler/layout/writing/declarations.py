"""Find lines for ``global`` and ``nonlocal``: no instruction locates them, and a body may lack room at its start."""

from __future__ import annotations

import re

from ..matching.tokens import CLAUSES
from .items import Line

_KEYWORDS = frozenset(("global", "nonlocal"))
_DEFINITIONS = frozenset(("def", "class", "async", "@"))
_NEVER = 10**9


def move_declarations(lines: list[Line]) -> None:
    """Move each declaration that has no free line down to the next one that is free, of its own block if there is one.

    The statements it moves past must not mention its names.
    """
    number = len(lines) - 1
    while number >= 0:
        line = lines[number]
        if line.items[0].text in _KEYWORDS and not any(item.line for item in line.items):
            index = _free(lines, number)
            if index is not None:
                lines.insert(index, line._replace(depth=lines[index].depth, parent=lines[index].parent))
                del lines[number]
                for at in range(number, len(lines)):
                    if number < lines[at].parent < index:
                        lines[at] = lines[at]._replace(parent=lines[at].parent - 1)
        number -= 1


def _free(lines: list[Line], number: int) -> int | None:
    """Return the index of the line to insert the declaration before; None to leave it where it is."""
    declaration, end = lines[number], _end(lines[number - 1]) if number else 0
    if end is None and lines[number - 1].items[0].text[-1] in "\"'":  # a docstring, on the next line
        header = _end(lines[number - 2]) if number > 1 else 0
        end = header + 1 + lines[number - 1].items[0].text.count("\n") if header is not None else None
    if end is None or number + 1 == len(lines) or lines[number + 1].parent != declaration.parent:
        return None
    start = lines[number + 1].items[0].line
    if start is None or start > end + 1:
        return None
    names = {item.text for item in declaration.items[1:]}
    deeper = None
    inner = _NEVER  # the depth of a definition between, whose lines are another scope's
    for index in range(number + 1, len(lines) - 1):
        line, following = lines[index], lines[index + 1]
        if following.depth < declaration.depth or _mentions(line, names):
            break
        if line.depth <= inner:
            inner = line.depth if line.items[0].text in _DEFINITIONS else _NEVER
        if following.items[0].text in CLAUSES or following.depth > inner:
            continue
        room = _room(line, following)
        if following.depth == declaration.depth and (room is None or room > 0):
            return index + 1 if room else deeper
        if room and deeper is None:
            deeper = index + 1
    return deeper


def _mentions(line: Line, names: set[str]) -> bool:
    return not names.isdisjoint(re.findall(r"\w+", " ".join(item.text for item in line.items)))


def _room(line: Line, following: Line) -> int | None:
    """Return how many free lines are between two logical lines; None if unknown."""
    end, start = _end(line), following.items[0].line
    return start - end - 1 if end is not None and start is not None else None


def _end(line: Line) -> int | None:
    return max([item.end_line for item in line.items if item.end_line is not None], default=None)
