"""Rows of an exception table (3.11 and later), by CPython's Objects/exception_handling_notes.txt."""

from __future__ import annotations

from typing import List, NamedTuple


class Row(NamedTuple):
    """One row, in units of code: from ``start`` to before ``end`` the handler is at ``target``."""

    start: int
    end: int
    target: int
    depth: int
    lasti: bool


def parse(table: bytes) -> List[Row]:
    numbers: List[int] = []
    at = 0
    while at < len(table):
        value = table[at] & 63
        while table[at] & 64:
            at += 1
            value = value << 6 | table[at] & 63
        at += 1
        numbers.append(value)
    return [
        Row(start, start + length, target, rest >> 1, bool(rest & 1))
        for start, length, target, rest in zip(*[iter(numbers)] * 4)
    ]


def write(rows: List[Row]) -> bytes:
    found = bytearray()
    for row in rows:
        begin = len(found)
        for value in (row.start, row.end - row.start, row.target, row.depth << 1 | row.lasti):
            found += _number(value)
        found[begin] |= 128
    return bytes(found)


def _number(value: int) -> bytes:
    parts = [value & 63]
    while value > 63:
        value >>= 6
        parts.append(value & 63 | 64)
    return bytes(reversed(parts))
