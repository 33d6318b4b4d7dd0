r"""Strings that have more rows than there is room for, as some of their newlines were written ``\n``, or fewer, as they
were written as adjacent literals.
"""

from __future__ import annotations

import ast
import re

from ..literals.pieces import WIDTH, in_rows, split
from ..literals.strings import OF_LITERAL, in_quotes, quote_of, width_of
from .item import INDENT
from .items import Line

_LITERAL = re.compile(r"[rRbBuU]{0,2}['\"]")
_MOST_AROUND = 2
"""The most rows that a text in triple quotes has more than newlines: one that is continued, and one for its end."""
_LEAST_OF_WIDEST = 40
"""The least width of the widest of some adjacent literals."""
_MOST_BELOW = 6
"""The most rows below a table of characters, with one on each row: a bracket, blank lines and comments."""


def fit_strings(
    lines: list[Line], rows: list[int | None], indents: list[int], *, has_columns: bool
) -> None:
    """Write strings on as few rows as there are before what follows, and on as many if nothing else is known of where
    they end; ``rows``: where the lines begin, if known.
    """
    followed: list[int | None] = []  # the next known row after each line
    following: int | None = None
    for row in reversed(rows):
        followed.append(following)
        following = row if row is not None else following
    before = 0
    for line, row, limit, indent in zip(lines, rows, reversed(followed), indents):
        here = row if row is not None else before + 1
        before = here
        has_rows = False
        if not has_columns and len(line.items) > 1:
            _spread_in(line, limit, indent + INDENT)
        for item in line.items:
            if "\n" in item.text:
                has_rows = True
            if item.line is not None and item.line > before:
                before = item.line
        if has_rows:
            _shorten_in(line, here, limit, indent + INDENT)


def _shorten_in(line: Line, row: int, limit: int | None, indent: int) -> None:
    last = limit - 1 if limit is not None else None
    for index, item in enumerate(line.items):
        row = max(row, item.line or row)
        marks = item.text.count("\n")
        if not marks or item.is_joined:
            continue
        end = next((one.line for one in line.items[index + 1 :] if one.line is not None), last)
        if end is None or row + marks <= end or item.in_string:
            continue
        is_docstring = len(line.items) == 1
        text = on_fewer_lines(item.text, max(end - row, 0), is_docstring=is_docstring, indent=indent)
        item.is_joined = text != item.text and "\n" in text and not is_docstring
        item.text = text


def _spread_in(line: Line, limit: int | None, indent: int) -> None:
    """Write strings as adjacent literals if that explains how far below them the next item is."""
    for index, item in enumerate(line.items):
        if item.line is None or item.is_joined or item.in_string or not _LITERAL.match(item.text):
            continue
        following = next((one.line for one in line.items[index + 1 :] if one.line is not None), None)
        end = following if following is not None else limit
        pieces = _pieces(item.text, end - item.line, indent, is_last=following is None) if end is not None else []
        if len(pieces) > 1:
            item.text = in_rows(pieces, quote_of(item.text), 0)
            item.is_joined = True


def _pieces(text: str, rows: int, indent: int, *, is_last: bool) -> list[str | bytes]:
    """Return the parts of the literal ``text`` that are on as many rows, or on some fewer if it ``is_last`` in the
    statement; nothing if it fits as it is.
    """
    marks = text.count("\n")
    fits = rows <= marks + _MOST_AROUND if marks else width_of(text) <= WIDTH - indent
    if rows < 2 or fits:
        return []
    value = ast.literal_eval(text)
    if is_last:
        return [value[at : at + 1] for at in range(len(value))] if rows - _MOST_BELOW <= len(value) < rows else []
    lines = [one for one in value.splitlines() if one.strip()]
    if 2 * sum(one[:1].isspace() for one in lines) > len(lines):
        return []  # indented as the code is: rather a text in triple quotes
    pieces = split(value, rows, WIDTH - indent - 2)
    return pieces if len(pieces) == rows and _LEAST_OF_WIDEST <= max(map(len, pieces)) < WIDTH else []


def on_fewer_lines(text: str, newlines: int, *, is_docstring: bool, indent: int) -> str:
    """Return the literal ``text`` with so many line breaks; ``text`` itself if it is no literal.

    A docstring keeps some of its newlines; other strings become adjacent literals, one per line.
    """
    match = OF_LITERAL.match(text)
    try:
        value = ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text
    if match is None or not isinstance(value, (str, bytes)):
        return text
    if not is_docstring or not newlines:
        return in_rows(split(value, newlines + 1, WIDTH - indent), quote_of(text), indent)
    first, *rest = next(in_quotes(value, match["quote"])).split("\n")
    usual = sorted(range(len(rest)), key=lambda number: _is_indented(rest[number]), reverse=True)
    kept = set(usual[:newlines])
    return first + "".join(("\n" if number in kept else "\\n") + part for number, part in enumerate(rest))


def _is_indented(part: str) -> bool:
    """Whether a part of a string looks like a line: an escaped newline is rarely followed by blanks."""
    return not part or part[0] in " \t"
