"""Cuts one definition out of a text with the author's layout, as a text that begins with it."""

from __future__ import annotations

import io
import token
import tokenize
from typing import Iterator, NamedTuple

_BLANK = {token.NEWLINE, token.NL, token.INDENT, token.DEDENT, token.COMMENT, token.ENDMARKER}
_STARTS = {getattr(token, name) for name in ("FSTRING_START", "TSTRING_START") if hasattr(token, name)}
_ENDS = {getattr(token, name) for name in ("FSTRING_END", "TSTRING_END") if hasattr(token, name)}
_ERRORS = (tokenize.TokenError, SyntaxError)  # the text may be that of another Python


class Cut(NamedTuple):
    """The definition's ``text``, which begins in the first column, and the ``row`` of its first line in the whole."""

    text: str
    row: int


def cut_out(text: str, number: int) -> Cut | None:
    """The definition of this number of a text, counted from 0 in the order of their headers.

    None if there is none, or if this Python can't tokenize the text.
    """
    try:
        tokens = _tokens(text)
        found = next((span for at, span in enumerate(_definitions(tokens)) if at == number), None)
        if found is None:
            return None
        inside = tokens[found[0] : found[1]]
        first, last = inside[0].start[0], inside[-1].end[0]
        lines = text.splitlines(keepends=True)[first - 1 : last]
        begun = _begun_in_strings(inside)
        indent = lines[0][: inside[0].start[1]]
        kept = [
            line[len(indent) :] if row not in begun and line.startswith(indent) else line
            for row, line in enumerate(lines, first)
        ]
        shown = "".join(kept)
        return Cut(shown, first) if _token_texts(_tokens(shown)) == _token_texts(inside) else None
    except _ERRORS:
        return None


def _tokens(text: str) -> list[tokenize.TokenInfo]:
    return list(tokenize.generate_tokens(io.StringIO(text).readline))


def _token_texts(tokens: list[tokenize.TokenInfo]) -> list[str]:
    return [one.string for one in tokens if one.type not in _BLANK]


def _definitions(tokens: list[tokenize.TokenInfo]) -> Iterator[tuple[int, int]]:
    """Where each definition begins, with its decorators, and ends."""
    starts = [index for index, one in enumerate(tokens) if one.type not in _BLANK and _is_first(tokens, index)]
    decorated: int | None = None
    for index in starts:
        text, following = tokens[index].string, tokens[index + 1].string
        if text == "@":
            decorated = index if decorated is None else decorated
            continue
        if text in ("def", "class") or text == "async" and following == "def":
            yield (index if decorated is None else decorated), _end(tokens, index)
        decorated = None


def _is_first(tokens: list[tokenize.TokenInfo], index: int) -> bool:
    """Whether a logical line begins with this token."""
    before = index - 1
    while before >= 0 and tokens[before].type in _BLANK - {token.NEWLINE}:
        if tokens[before].type in (token.INDENT, token.DEDENT):
            return True
        before -= 1
    return before < 0 or tokens[before].type == token.NEWLINE


def _end(tokens: list[tokenize.TokenInfo], header: int) -> int:
    """The index after the last token of the definition with this header."""
    depth = 0
    last = header
    for index in range(header, len(tokens)):
        kind = tokens[index].type
        if kind == token.DEDENT:
            depth -= 1
        elif kind == token.INDENT:
            depth += 1
        elif kind not in _BLANK or kind == token.NEWLINE:
            if depth <= 0 and tokens[last].type == token.NEWLINE:
                break
            last = index
    return last + 1


def _begun_in_strings(tokens: list[tokenize.TokenInfo]) -> set[int]:
    """The rows whose first column is inside a string."""
    rows: set[int] = set()
    opened: list[int] = []
    for one in tokens:
        if one.type in _STARTS:
            opened.append(one.start[0])
        elif one.type in _ENDS:
            rows.update(range(opened.pop() + 1, one.end[0] + 1))
        elif one.type == token.STRING:
            rows.update(range(one.start[0] + 1, one.end[0] + 1))
    return rows
