"""Compare two location tables without reading every entry: most parts differ only in their lines.

A run is an entry with a line of its own, and those after it on the same line. Columns are absolute, so runs of the same
bytes have the same columns, and their lines are equally far apart (CPython's Objects/locations.md).
"""

from __future__ import annotations

import re
from typing import Callable, Iterator, List, NamedTuple, Optional

from ...bytecode import RawCode

_RUN = re.compile(rb"[\x80-\xff][\x00-\x7f]*(?:[\x80-\xd7\xf8-\xff][\x00-\x7f]*)*")
"""Kinds 11 to 14 have a line of their own; only the first bytes of entries are above 127."""
_ONE_LINE, _NO_COLUMNS, _LONG, _NONE = 10, 13, 14, 15
_ONE_LINE_FIRST = range(0x80 | _ONE_LINE << 3, 0x80 | _NO_COLUMNS << 3)
_NUMBERS = bytes(range(128))
_UNITS = bytes((first & 7) + 1 for first in range(256))
_OUTSIDE = re.compile(rb"(?:[\xf8-\xff]|[\x80-\x87]\0|[\xd0-\xe7]\0\0)+\Z")
"""Nowhere, or in columns 0 to 0, as instructions before the first one of the source are."""


class LineRun(NamedTuple):
    """The code units from ``start`` to ``end`` (excluded), on ``line`` of our text; ``last``: where the first one ends.

    ``down``: how many lines below ours the original is, in the same columns; None if columns differ.
    """

    line: int
    last: int
    down: int | None
    start: int
    end: int


RunsOf = Callable[[RawCode, RawCode], Optional[List[LineRun]]]
"""What finds the runs of two codes with the same instructions; None if it can't."""


def line_runs(original: RawCode, ours: RawCode) -> list[LineRun] | None:
    """The runs of two codes with the same instructions, without those that are nowhere in the source.

    None if the tables have other runs, or can't be read.
    """
    left, right = _RUN.findall(original.linetable), _RUN.findall(ours.linetable)
    if len(left) != len(right) or sum(map(len, left)) != len(original.linetable):
        return None
    try:
        return list(_runs(left, right, original.firstlineno, ours.firstlineno))
    except (IndexError, ValueError):
        return None


def equal_lines(original: RawCode, ours: RawCode) -> list[LineRun] | None:
    """The lines of two codes with the same instructions and the same line table, of any format; None if it differs."""
    if original.linetable != ours.linetable:
        return None
    down = original.firstlineno - ours.firstlineno
    lines = dict.fromkeys(position[0] for position in ours.positions())
    return [LineRun(line, line, down, 0, 0) for line in lines if line is not None]


def _runs(left: list[bytes], right: list[bytes], their_line: int, line: int) -> Iterator[LineRun]:
    end = 0
    for theirs, mine in zip(left, right):
        start, end = end, end + sum(mine.translate(_UNITS, _NUMBERS))
        if theirs == mine and mine[0] in _ONE_LINE_FIRST:  # by far the most frequent
            line += (mine[0] >> 3 & 15) - _ONE_LINE
            their_line += (mine[0] >> 3 & 15) - _ONE_LINE
            if mine[-1] or not _OUTSIDE.match(mine):
                yield LineRun(line, line, their_line - line, start, end)
            continue
        step, *extent, size = _first(mine)
        line += step
        if theirs == mine:
            their_line += step
            is_moved = True
        else:
            if sum(theirs.translate(_UNITS, _NUMBERS)) != end - start:
                raise ValueError("runs of other instructions")
            their_step, *their_extent, their_size = _first(theirs)
            their_line += their_step
            is_moved = extent == their_extent and mine[size:] == theirs[their_size:]
        if (len(mine) > size or extent[1] is not None) and not _OUTSIDE.match(mine):
            yield LineRun(line, line + (extent[0] or 0), their_line - line if is_moved else None, start, end)


def _first(run: bytes) -> tuple[int, int, int | None, int | None, int]:
    """Of the first entry: the line increment, the number of further lines, the columns, and its size in bytes."""
    kind = run[0] >> 3 & 15
    if kind < _ONE_LINE:
        return 0, 0, kind << 3 | run[1] >> 4, run[1] & 15, 2
    if kind < _NO_COLUMNS:
        return kind - _ONE_LINE, 0, run[1], run[2], 3
    if kind == _NONE:
        return 0, 0, None, None, 1
    number, at = _varint(run, 1)
    lines = column = end_column = 0
    if kind == _LONG:
        lines, at = _varint(run, at)
        column, at = _varint(run, at)
        end_column, at = _varint(run, at)
    down = -(number >> 1) if number & 1 else number >> 1
    return down, lines, column - 1 if column else None, end_column - 1 if end_column else None, at


def _varint(run: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        piece = run[at]
        at += 1
        value |= (piece & 63) << shift
        shift += 6
        if not piece & 64:
            return value, at
