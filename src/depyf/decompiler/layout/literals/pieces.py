"""Split strings and bytes into adjacent literals, one per line."""

from __future__ import annotations

import heapq
import re

from .strings import OTHER_QUOTE, ascii_only, in_quotes, in_usual_quotes, plain, width_of

WIDTH = 79
_NAME = 20
"""Columns that the name of a keyword argument takes, at most."""
_MOST = 12
"""The most literals on one row."""


def on_one_row(value: str | bytes, width: int, quote: str) -> str | None:
    """Return adjacent literals that are ``width`` wide together; None if no number of them is."""
    for raw in (False, True):
        escapes = () if raw else (plain,)
        whole = next(in_quotes(value, quote, escapes, raw=raw), None)
        if whole is None:
            continue
        count, rest = divmod(width - width_of(whole), len("' '") + whole.index(quote))
        if rest or not 0 < count < min(len(value), _MOST):
            continue
        pieces = split(value, count + 1, len(value))
        texts = [next(in_quotes(piece, quote, escapes, raw=raw), "") for piece in pieces]
        joined = " ".join(texts)
        if width_of(joined) == width and all(texts):
            return joined
    return None


def in_rows(pieces: list[str | bytes], quote: str, column: int) -> str:
    """Return adjacent literals of the ``pieces``, one per line, the first one without indentation."""
    is_ascii = any(map(_has_control_characters, pieces))
    return ("\n" + " " * column).join(_written(piece, quote, is_ascii=is_ascii) for piece in pieces)


_CONTROL = re.compile(r"[\x00-\x06\x0e-\x1f\x7f-\x9f]")
"""Characters that have no escape of one letter, and are no line breaks."""


def _has_control_characters(value: str | bytes) -> bool:
    return isinstance(value, str) and _CONTROL.search(value) is not None


def _written(piece: str | bytes, quote: str, *, is_ascii: bool) -> str:
    """Return a literal of the piece. ``is_ascii``: others beside it need escapes, so that it has them too."""
    return next(in_quotes(piece, quote, (ascii_only,))) if is_ascii else in_usual_quotes(piece, quote)


def in_pieces(
    value: str | bytes, rows: int, column: int, end_column: int, quote: str, first: object = None
) -> str | None:
    """Split the value into literals, one per line; the last one ends in ``end_column``. ``first``: the first one, if
    known.
    """
    if isinstance(first, (str, bytes)) and type(first) is type(value) and 0 < len(first) < len(value):
        if rows == 1:
            return _in_two(value, first, end_column, quote)
        rest = in_pieces(value[len(first) :], rows - 1, column, end_column, quote)
        is_first = value[: len(first)] == first
        return in_rows([first], quote, column) + "\n" + " " * column + rest if rest is not None and is_first else None
    is_ascii = _has_control_characters(value)
    sizes = _sizes_of_last_piece(value, end_column, quote, is_ascii=is_ascii)
    starts = [one for one in (column, *range(max(end_column - 3, 0), -1, -1)) if end_column - one in sizes]
    if not starts:
        return None
    usual = (column, *range(column - column % 4, max(column - _NAME, 0), -4))
    between = (one for one in usual if _is_between_words(value, sizes.get(end_column - one, 0)))
    start: int = next(between, starts[0])
    size = sizes[end_column - start]
    lines = split(value[: len(value) - size], rows, WIDTH - column - 2)
    last, *texts = (_written(piece, quote, is_ascii=is_ascii) for piece in (value[len(value) - size :], *lines))
    blank = "\n" * (rows - len(lines))
    return ("\n" + " " * column).join(texts) + blank + "\n" + " " * start + last


def _is_between_words(value: str | bytes, size: int) -> bool:
    """Whether a blank is at either side of where the last ``size`` characters begin."""
    return size > 0 and (value[-size - 1 : -size].isspace() or value[-size:][:1].isspace())


def _in_two(value: str | bytes, first: str | bytes, end_column: int, quote: str) -> str | None:
    """Split the value behind ``first``; the second literal ends in ``end_column`` of the next line."""
    start, last = (next(in_quotes(piece, quote)) for piece in (first, value[len(first) :]))
    blanks = end_column - width_of(last)
    is_first = value[: len(first)] == first
    return f"{start}\n{' ' * blanks}{last}" if is_first and blanks >= 0 else None


def in_rows_that_end(value: str | bytes, rows: int, column: int, end_column: int, quote: str) -> str:
    """Split the value into literals, one per line, at most ``rows`` of them after the first; the last one ends in
    ``end_column`` if it fits.
    """
    pieces = split(value, rows + 1, WIDTH - column - 2)
    last = next(in_quotes(pieces[-1], quote))
    if len(pieces) == 1:
        return last
    blanks = "\n" * (rows + 1 - len(pieces)) + "\n" + " " * max(end_column - width_of(last), 0)
    return in_rows(pieces[:-1], quote, column) + blanks + last


def _sizes_of_last_piece(value: str | bytes, most: int, quote: str, *, is_ascii: bool) -> dict[int, int]:
    """Return how many characters at the end make a literal, by its width, which is at most ``most``."""
    found: dict[int, int] = {}
    width = empty = width_of(_written(value[:0], quote, is_ascii=is_ascii))
    own = others = 0
    ours, theirs = (one if isinstance(value, str) else one.encode() for one in (quote, OTHER_QUOTE[quote]))
    for at in range(len(value) - 1, 0, -1):
        piece = value[at : at + 1]
        own += piece == ours
        others += piece == theirs
        width += width_of(_written(piece, quote, is_ascii=is_ascii)) - empty  # no escape depends on what follows
        escapes = own if others or is_ascii else 0
        if width + escapes > most:
            break
        found[width + escapes] = len(value) - at
    return found


def split(value: str | bytes, most: int, width: int) -> list[str | bytes]:
    """Split into at most ``most`` pieces, after newlines if that gives as many, otherwise after spaces too."""
    lines: list[str | bytes] = [*value.splitlines(keepends=True)]
    if len(lines) >= most > 0:
        return _joined(lines, most)
    broken = _broken(lines, most, width) if len(lines) > 1 else []
    if broken:
        return broken
    blank = b" " if isinstance(value, bytes) else " "
    even = _even(value, blank, most, width)
    if even:
        return even
    pieces: list[str | bytes] = []
    rest = value
    while rest and len(pieces) < most - 1:
        cut = rest.rfind(blank, 0, max(min(width, len(rest) - (most - len(pieces) - 1)), 1)) + 1  # type: ignore[arg-type]
        cut = cut or max(len(rest) // (most - len(pieces)), 1)
        pieces.append(rest[:cut])
        rest = rest[cut:]
    return [*pieces, rest] if rest else pieces


def _joined(lines: list[str | bytes], most: int) -> list[str | bytes]:
    """Join neighbours until ``most`` are left: each time the first two of those that are shortest together."""
    sizes, following = [len(line) for line in lines], [*range(1, len(lines) + 1)]
    before = [*range(-1, len(lines) - 1)]
    pairs = [(sizes[number] + sizes[number + 1], number) for number in range(len(lines) - 1)]
    heapq.heapify(pairs)
    left = len(lines)
    while left > most:
        size, number = heapq.heappop(pairs)
        other = following[number] if sizes[number] else len(lines)
        if other == len(lines) or size != sizes[number] + sizes[other]:
            continue  # one of them has been joined to another since
        sizes[number], sizes[other] = size, 0
        following[number] = following[other]
        left -= 1
        if following[number] < len(lines):
            before[following[number]] = number
            heapq.heappush(pairs, (size + sizes[following[number]], number))
        if before[number] >= 0:
            heapq.heappush(pairs, (sizes[before[number]] + size, before[number]))
    empty = lines[0][:0]
    return [empty.join(lines[at : following[at]]) for at in range(len(lines)) if sizes[at]]  # type: ignore[arg-type]


_WORD = re.compile(r"\S+\s*|\s+")
_WORD_OF_BYTES = re.compile(rb"\S+\s*|\s+")
_LEAST = 20
"""The least width that lines are broken to."""


def _broken(lines: list[str | bytes], most: int, width: int) -> list[str | bytes]:
    """Split lines that are too long after words, so that there are ``most`` pieces; empty if no width gives as many."""
    words = [_WORD_OF_BYTES.findall(one) if isinstance(one, bytes) else _WORD.findall(one) for one in lines]
    low, high = _LEAST, 2 * width - _LEAST  # the given width is the first one
    while low <= high:
        limit = (low + high) // 2
        pieces = [piece for line in words for piece in _within(line, limit)]
        if len(pieces) == most:
            return pieces
        low, high = (limit + 1, high) if len(pieces) > most else (low, limit - 1)
    return []


def _within(words: list[str | bytes], limit: int) -> list[str | bytes]:
    """Join the words to pieces whose literals have at most this width between their quotes, or have one word."""
    pieces, piece = [], words[0]
    for word in words[1:]:
        longer = piece + word  # type: ignore[operator]
        if len(repr(longer)) - len(repr(longer[:0])) > limit:
            pieces.append(piece)
            longer = word
        piece = longer
    return [*pieces, piece]


def _even(value: str | bytes, blank: str | bytes, most: int, width: int) -> list[str | bytes]:
    """Split after blanks into ``most`` pieces as even as possible, the widest first; empty if there are no such.

    A lower limit never gives fewer pieces, and none at all once a piece has no blank.
    """
    low, high = (len(value) // most if most > 1 else width) + 1, width
    found: list[str | bytes] = []
    while low <= high:
        limit = (low + high) // 2
        pieces = _filled(value, blank, limit)
        if pieces and len(pieces) < most:
            high = limit - 1
        else:
            found, low = pieces, limit + 1
    return found if len(found) == most else []


def _filled(value: str | bytes, blank: str | bytes, limit: int) -> list[str | bytes]:
    """Split after blanks into pieces no longer than ``limit``, each as long as possible; not at all if one has none."""
    pieces: list[str | bytes] = []
    while len(value) > limit:
        end = value.rfind(blank, 0, limit) + 1  # type: ignore[arg-type]
        if not end:
            return []
        pieces.append(value[:end])
        value = value[end:]
    return [*pieces, value]
