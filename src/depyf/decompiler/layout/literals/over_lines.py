"""Strings over several lines: in triple quotes, or added up."""

from __future__ import annotations

import itertools
import re
from typing import Iterator

from ..matching.anchors import Extent
from .expressions import expressions
from .pieces import in_pieces, in_rows_that_end
from .strings import in_quotes, in_usual_quotes, width_of


def text_over_lines(value: str | bytes, rows: int, end_column: int) -> str | None:
    """Return the literal in triple quotes that has ``rows`` newlines and ends in this column; None if there is none."""
    marks = value.count(b"\n") if isinstance(value, bytes) else value.count("\n")
    if not marks or rows not in (1, marks, marks + 1):
        return None  # a spelling has all of the newlines or none, and one more if it is continued
    has_backslash = (b"\\" if isinstance(value, bytes) else "\\") in value  # type: ignore[operator]
    for quote in ('"""', "'''"):
        spellings = in_quotes(value, quote)
        if has_backslash:  # as in a regular expression: nobody doubles them if the text can be raw
            spellings = itertools.chain(in_quotes(value, quote, ()), in_quotes(value, quote, raw=False))
        for one in spellings:
            for whole in (one, *_continued(one)):
                if whole.count("\n") == rows and width_of(whole[whole.rindex("\n") + 1 :]) == end_column:
                    return whole
    return None


def folded_over_lines(
    value: str | bytes, rows: int, column: int, end_column: int, quote: str, first: object
) -> str | None:
    """Return the sum of literals that has ``rows`` newlines and, if possible, ends in this column.

    ``first``: the first literal, if known.
    """
    whole = _sum_with_text(value, rows, end_column, first)
    if whole is not None or len(value) < 2:
        return whole
    pieces = in_pieces(value, rows, column, end_column, quote, first)
    if pieces is None and isinstance(first, (str, bytes)) and value[: len(first)] == first and 0 < len(first):
        return _first_and_rest(value, rows, end_column, quote, first)
    if pieces is None:
        pieces = in_rows_that_end(value, rows, column, end_column, quote)
    return re.sub(r"\n+", lambda blank: " +" + blank[0], pieces)


def _first_and_rest(value: str | bytes, rows: int, end_column: int, quote: str, first: str | bytes) -> str:
    """Return the first literal and, on the last line, the rest: the widest text that has room, or the shortest."""
    rest = value[len(first) :]
    texts = [in_usual_quotes(rest, quote), *expressions(rest, None, quote=quote)]
    narrow = [one for one in texts if width_of(one) <= end_column]
    last = max(narrow, key=width_of) if narrow else min(texts, key=width_of)
    blanks = "\n" * rows + " " * max(end_column - width_of(last), 0)
    return f"{in_usual_quotes(first, quote)} +{blanks}{last}"


def _sum_with_text(value: str | bytes, rows: int, end_column: int, first: object) -> str | None:
    """Return a literal and a text in triple quotes added; None if the newlines of the latter do not match the lines."""
    size = len(first) if isinstance(first, (str, bytes)) and type(first) is type(value) else 1
    if isinstance(first, (str, bytes)) and value[:size] != first or not 0 < size < len(value):
        return None
    whole = text_over_lines(value[size:], rows, end_column)
    return f"{next(in_quotes(value[:size], whole[-1]))} + {whole}" if whole is not None else None


def _continued(text: str) -> Iterator[str]:
    """Insert a backslash and a newline after the opening quotes, unless the text is raw: there, both would be text."""
    if "r" not in text[: text.index(text[-1])]:
        end = text.index(text[-1]) + 3
        yield text[:end] + "\\\n" + text[end:]


def indented(text: str, extent: Extent) -> str:
    """Return the docstring ``text`` with the indentation that its end has in the original, if it fits: from 3.13 on,
    the compiler strips it.
    """
    line, _, end_line, end_column = extent
    first, *rest = text.split("\n")
    if len(rest) != end_line - line or text[-3:] not in ('"""', "'''"):
        return text
    more = end_column - width_of(rest[-1])
    lines = [" " * more + one if more > 0 and one.strip() else one[-more:] if more < 0 else one for one in rest]
    if more < 0 and any(one[:-more].strip() for one in rest):
        return text
    return "\n".join([first, *lines])
