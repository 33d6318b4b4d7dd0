r"""Strings in triple quotes that have more lines than there is room for: some of their newlines were written ``\n``."""

from __future__ import annotations

import ast

from ..literals.pieces import WIDTH, in_rows, split
from ..literals.strings import OF_LITERAL, in_quotes, quote_of
from .item import INDENT
from .items import Line


def shorten_strings(lines: list[Line], rows: list[int | None], indents: list[int]) -> None:
    """Write strings on as few rows as there are before what follows; ``rows``: where the lines begin, if known."""
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
