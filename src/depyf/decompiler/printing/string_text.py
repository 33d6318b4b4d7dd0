"""Strings, docstrings, and the literal parts of formatted strings."""

from __future__ import annotations

import re
import unicodedata
from typing import Sequence

from ..syntax.grammar import cleaned

SINGLE_LINE_QUOTES = ("'", '"')
TRIPLE_QUOTES = ('"""', "'''")

# A string with at least so many newlines and characters is easier to read on several lines.
_LINE_ENDS, _CHARACTERS = 2, 50
LONGEST_PIECE = 80

_AS_IN_PATTERN = re.compile(r"[\\][dDwWsSbBAZ()\[\].+*?{}|^$1-]")


def in_order(preferred: str) -> Sequence[str]:
    """The quotes of one line, those ``preferred`` first."""
    return SINGLE_LINE_QUOTES if preferred == SINGLE_LINE_QUOTES[0] else SINGLE_LINE_QUOTES[::-1]


def string_text(value: str, quote: str = SINGLE_LINE_QUOTES[0]) -> str:
    """A literal that reads well: on one line, or between triple quotes for a text of several lines.

    ``quote`` is the kind to use where either needs no escape.
    """
    if reads_better_in_lines(value):
        return in_triple_quotes(value)
    return raw_text(value, quote) or plain_text(value, quote)


def plain_text(value: str | bytes, quote: str) -> str:
    """The literal that `repr` gives, in this kind of quotes where either needs no escape."""
    text = repr(value)
    prefix, rest = (text[0], text[1:]) if isinstance(value, bytes) else ("", text)
    return text if quote in rest or "\\'" in rest else f"{prefix}{quote}{rest[1:-1]}{quote}"


def raw_text(value: str, preferred: str = SINGLE_LINE_QUOTES[0]) -> str | None:
    """``r'...'`` on one line, for a text whose only escapes would be those of backslashes; None for others.

    Two characters that are no part of a pattern, as `'\\\\n'`, are none: they are as often escaped.
    """
    if "\\" not in value or not value.isprintable() or _ends_in_escape(value):
        return None
    if len(value) <= 2 and not _AS_IN_PATTERN.match(value):
        return None
    quote = next((quote for quote in in_order(preferred) if quote not in value), None)
    return None if quote is None else f"r{quote}{value}{quote}"


def in_triple_quotes(value: str) -> str:
    """A literal between triple quotes, a raw one if that leaves no escapes."""
    if "\\" in value and '"""' not in value and not value.endswith('"') and not _ends_in_escape(value):
        if all(line.isprintable() for line in value.split("\n")):
            return f'r"""{value}"""'
    return quoted(value, '"""')


def _ends_in_escape(value: str) -> bool:
    """Whether the text can't end a raw literal: its last backslash would escape the quote."""
    return (len(value) - len(value.rstrip("\\"))) % 2 == 1


def reads_better_in_lines(value: str) -> bool:
    """Whether a string holds text of several lines."""
    return value.count("\n") >= _LINE_ENDS and len(value) >= _CHARACTERS


def string_pieces(value: str, preferred: str = SINGLE_LINE_QUOTES[0]) -> list[str]:
    """The literals that a too long string is split into, after spaces; one if it is short enough."""
    if len(value) <= LONGEST_PIECE or reads_better_in_lines(value):
        return [string_text(value, preferred)]
    raw = raw_text(value, preferred)
    quote = raw[1] if raw is not None else plain_text(value, preferred)[0]
    pieces: list[str] = []
    start = 0
    while len(value) - start > LONGEST_PIECE:
        end = value.rfind(" ", start, start + LONGEST_PIECE) + 1
        if not end:  # no space in reach: up to the next one
            end = value.find(" ", start) + 1
            if not end:
                break
        pieces.append(value[start:end])
        start = end
    pieces += [value[start:]] if start < len(value) else []
    return [f"r{quote}{piece}{quote}" if raw is not None else quoted(piece, quote) for piece in pieces]


def docstring_text(value: str, indent: str = "") -> str:
    """A triple-quoted literal of exactly this value; with ``indent``, one that the compiler cleans to it."""
    first, *rest = value.split("\n")
    lines = [first, *(indent + line if line or index == len(rest) else line for index, line in enumerate(rest, 1))]
    indented = "\n".join(lines)
    return in_triple_quotes(indented if cleaned(indented) == value else value)


def quoted(value: str, quote: str) -> str:
    """A literal between the given quotes, with escapes where they are needed."""
    return quote + escaped(value, quote) + quote


def escaped(value: str, quote: str) -> str:
    """The text between the quotes. Line ends are kept only between triple quotes."""
    triple = len(quote) == 3
    mark = quote[0]
    text = ("\n" if triple else "\\n").join(map(_line, value.split("\n")))
    if not triple:
        return text.replace(mark, "\\" + mark) if mark in text else text
    last = ""
    if text.endswith(mark):  # it would be parsed as part of the closing quotes
        text, last = text[:-1], "\\" + mark
    return text.replace(quote, ("\\" + mark) * 3) + last


def _line(text: str) -> str:
    """A text without line ends, escaped but for quotes."""
    if text.isprintable():
        return text.replace("\\", "\\\\")
    return "".join(char if char.isprintable() and char != "\\" else repr(char)[1:-1] for char in text)


def without_escapes(value: str, quotes: Sequence[str]) -> str | None:
    """A literal without a backslash, in one of the given quotes, or None if there is none.

    Before 3.12 no other kind is allowed within the braces of an f-string.
    """
    for char in value:
        if char == "\\" or (char not in "\n\t" and unicodedata.category(char) in ("Cc", "Cs")):
            return None
    for quote in quotes:
        if len(quote) == 1 and (quote in value or "\n" in value):
            continue
        if len(quote) == 3 and (quote in value or value.endswith(quote[0])):
            continue
        return quote + value + quote
    return None
