"""Statements of which nothing is left but their place."""

from __future__ import annotations

from ..matching.anchors import Extent
from .strings import width_of

_DOTS, _QUOTES = "...", '"""'


def idle(extent: Extent) -> str | None:
    """Return a statement without instructions that is as wide; None if there is none.

    ``pass`` and ``...`` are what they are. Of other constants, most of them strings, nothing is left but the place: a
    string with dots in it is written there, except one as wide as ``break`` or ``continue``: it is more likely that.
    """
    line, column, end_line, end_column = extent
    if line != end_line:
        blank, last = "\n" * (end_line - line - 1), " " * (end_column - len(_QUOTES))
        return f"{_QUOTES}{_DOTS}{blank}\n{last}{_QUOTES}" if end_column >= len(_QUOTES) else None
    width = end_column - column
    if width in (len("break"), len("continue")):
        return None
    quotes = _QUOTES if width >= len(_QUOTES + _DOTS + _QUOTES) else "'"
    text = quotes + _DOTS.ljust(width - 2 * len(quotes)) + quotes
    return {3: _DOTS, 4: "pass"}.get(width, text if width == width_of(text) else None)
