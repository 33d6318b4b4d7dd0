"""The text between the quotes of formatted strings, cut at characters and escapes."""

from __future__ import annotations

import re
from typing import Sequence

from .strings import width_of

_UNIT = re.compile(
    r"\\(?:N\{[^}]*\}|x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[0-7]{1,3}|.)|\{\{|\}\}|.", re.DOTALL
)


def in_lines(text: str) -> str:
    """Return the text with real newlines, and without backslashes before quotes."""
    return "".join(_OF_LINES.get(unit, unit) for unit in _UNIT.findall(text))


_OF_LINES = {"\\n": "\n", "\\'": "'", '\\"': '"'}


def _as_raw(text: str) -> str | None:
    """Return the body of the equivalent raw string; None if there is none."""
    units = _UNIT.findall(text)
    if any(unit[0] == "\\" and unit != "\\\\" for unit in units):
        return None
    return "".join(unit if unit != "\\\\" else "\\" for unit in units)


def all_raw(texts: dict[int, str]) -> dict[int, str] | None:
    """Return the bodies of the equivalent raw strings; None if one of them has none."""
    found = {start: raw for start, text in texts.items() if (raw := _as_raw(text)) is not None}
    return found if len(found) == len(texts) else None


def with_escaped(text: str, marks: str) -> str:
    """Return the text with these quotation marks escaped, and no others."""
    units = (unit[-1] if unit in ("\\'", '\\"') else unit for unit in _UNIT.findall(text))
    return "".join("\\" + unit if unit in marks else unit for unit in units)


def text_between(body: str, others: Sequence[str]) -> tuple[str, str]:
    """Return how to write the body of a triple-quoted string on one line.

    The result is the quotes in ``others`` that make the text shortest, and the text between them.
    """
    units = _UNIT.findall(body)

    def written(mark: str) -> str:
        made = []
        for unit in units:
            if unit == "\n":
                made.append("\\n")
            elif unit in ("\\'", '\\"'):
                made.append(unit if unit[1] == mark else unit[1])
            else:
                made.append("\\" + unit if unit == mark else unit)
        return "".join(made).replace("\\\n", "")

    found = {mark: written(mark) for mark in others}
    best = min(found, key=lambda mark: len(found[mark]))
    return best, found[best]


def cut_off(text: str, width: int) -> tuple[str, str]:
    """Split the text so that the second part is at least ``width`` wide, or all of the text."""
    units = _UNIT.findall(text)
    index, found = len(units), 0
    while index and found < width:
        index -= 1
        found += width_of(units[index])
    return "".join(units[:index]), "".join(units[index:])


def in_rows_of(text: str, count: int) -> list[str]:
    """Split the text after spaces or newlines into ``count`` pieces, or fewer if it is too short."""
    rows = []
    rest = text
    for left in range(count, 1, -1):
        breaks = [found.end() for found in re.finditer(r" +|\\n", rest)]
        aim = len(rest) // left
        cut = min(breaks, key=lambda end: abs(end - aim), default=0)
        if not cut or cut >= len(rest):
            break
        rows.append(rest[:cut])
        rest = rest[cut:]
    return [*rows, rest]


def width_after_last_break(text: str) -> int:
    """Return the width of the text after its last newline or space."""
    ends = [found.end() for found in re.finditer(r"\\n| ", text)]
    return width_of(text[ends[-1] :]) if ends else width_of(text)
