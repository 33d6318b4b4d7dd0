"""Reads CPython's three line table formats: source positions, one for each two-byte code unit.

    up to 3.9    lnotab: pairs (bytes of code, signed lines)
    3.10         line ranges: pairs (bytes of code, signed lines), -128 for "no line"
    from 3.11    locations: a first byte 1cccclll with the kind of entry and the units it covers, then its numbers

All raise ValueError, with the position in the table, for entries that no compiler writes.
"""

from __future__ import annotations

from typing import Callable, Iterator

from ..instruction import Position

Decoder = Callable[[bytes, int, int], "list[Position]"]
"""(table, first line, number of code units) -> positions."""

NOWHERE: Position = (None, None, None, None)
NO_LINE = -128
"""The line delta of 3.10's ranges without a line."""

SHORT_KINDS, ONE_LINE_KINDS, NO_COLUMNS, LONG, NONE = range(10), range(10, 13), 13, 14, 15
MOST_VARINT_BITS = 36


def read_lnotab(table: bytes, first_line: int, units: int) -> list[Position]:
    """3.7 to 3.9: each pair is an increment of offset and line; lines only."""
    positions: list[Position] = []
    line, offset, covered = first_line, 0, 0
    for step, line_step in _pairs(table):
        offset += step
        end = offset // 2 if offset < 2 * units else units
        if end > covered:
            positions += [(line, None, None, None)] * (end - covered)
            covered = end
        line += line_step
    return positions + [(line, None, None, None)] * (units - covered)


def read_line_ranges(table: bytes, first_line: int, units: int) -> list[Position]:
    """3.10: each pair is a range of code with its line, or none; lines only."""
    positions: list[Position] = []
    line, offset, covered = first_line, 0, 0
    for step, line_step in _pairs(table):
        offset += step
        if line_step != NO_LINE:
            line += line_step
        position: Position = (line, None, None, None) if line_step != NO_LINE else NOWHERE
        end = offset // 2 if offset < 2 * units else units
        if end > covered:
            positions += [position] * (end - covered)
            covered = end
    return positions


def _pairs(table: bytes) -> Iterator[tuple[int, int]]:
    if len(table) % 2:
        raise ValueError(f"line table ends inside an entry, at byte {len(table)}")
    return zip(table[::2], [step - 256 if step > 127 else step for step in table[1::2]])


def read_locations(table: bytes, first_line: int, units: int) -> list[Position]:
    """3.11 and later: lines and columns, of the first and of the last character."""
    positions: list[Position] = []
    position: Position
    reader = _Locations(table)
    line, at, size, covered = first_line, 0, len(table), 0
    while at < size and covered < units:
        first = table[at]
        kind = first >> 3 & 15
        if not first & 0x80:
            raise ValueError(f"no entry of the line table begins at byte {at}")
        at += 1
        if kind < ONE_LINE_KINDS[0] and at < size and table[at] < 0x80:  # by far the most frequent, so inlined
            second = table[at]
            at += 1
            column = kind << 3 | second >> 4
            position = (line, line, column, column + (second & 15))
        elif ONE_LINE_KINDS[0] <= kind < NO_COLUMNS and at + 1 < size and table[at] < 0x80 > table[at + 1]:  # likewise
            line += kind - ONE_LINE_KINDS[0]
            position = (line, line, table[at], table[at + 1])
            at += 2
        elif kind == LONG and (numbers := _four_numbers(table, at)):  # likewise
            step, lines, column, last_column, at = numbers
            line += -(step >> 1) if step & 1 else step >> 1
            position = (line, line + lines, column - 1 if column else None, last_column - 1 if last_column else None)
        else:
            reader.at = at
            step, position = reader.position(kind, line)
            line += step
            at = reader.at
        positions += [position] * ((first & 7) + 1)
        covered += (first & 7) + 1
    del positions[units:]
    return positions


def _four_numbers(table: bytes, at: int) -> list[int]:
    """The four varints at ``at``, and where they end; none if an entry ends before, or a number is too long."""
    numbers: list[int] = []
    value = shift = 0
    for end, piece in enumerate(table[at : at + 4 * MOST_VARINT_BITS // 6], at + 1):
        if piece & 0x80 or shift >= MOST_VARINT_BITS:
            break
        value |= (piece & 63) << shift
        shift += 6
        if not piece & 64:
            numbers += (value, end) if numbers[2:] else (value,)
            value = shift = 0
            if numbers[4:]:
                return numbers
    return []


class _Locations:
    """A cursor over a location table."""

    def __init__(self, table: bytes) -> None:
        self.table = table
        self.at, self.size = 0, len(table)

    def position(self, kind: int, line: int) -> tuple[int, Position]:
        """Read the rest of an entry of this kind; return the line increment and the position."""
        if kind in SHORT_KINDS:
            self.byte()  # read_locations handles complete ones: this raises at the byte that is missing
        if kind in ONE_LINE_KINDS:
            step = kind - ONE_LINE_KINDS[0]
            return step, (line + step, line + step, self.byte(), self.byte())
        if kind == NO_COLUMNS:
            step = self.signed()
            return step, (line + step, line + step, None, None)
        if kind == LONG:
            self.varint(), self.varint(), self.varint(), self.varint()  # likewise: one of these raises
        return 0, NOWHERE

    def byte(self) -> int:
        if self.at >= len(self.table):
            raise ValueError(f"line table ends inside an entry, at byte {self.at}")
        value = self.table[self.at]
        if value & 0x80:
            raise ValueError(f"an entry of the line table is cut short at byte {self.at}")
        self.at += 1
        return value

    def varint(self) -> int:
        """A number in chunks of six bits, lowest first; the seventh bit says that more follow."""
        value = shift = 0
        while True:
            if self.at >= self.size or self.table[self.at] & 0x80:
                self.byte()  # which says what is wrong
            piece = self.table[self.at]
            self.at += 1
            value |= (piece & 63) << shift
            shift += 6
            if not piece & 64:
                return value
            if shift >= MOST_VARINT_BITS:
                raise ValueError(f"a number in the line table is too long, at byte {self.at}")

    def signed(self) -> int:
        """A varint whose lowest bit is the sign."""
        number = self.varint()
        return -(number >> 1) if number & 1 else number >> 1
