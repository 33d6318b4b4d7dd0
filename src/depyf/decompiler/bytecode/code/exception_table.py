"""Reads the exception table of CPython 3.11 and later (format: CPython's Objects/exception_handling_notes.txt)."""

from __future__ import annotations

from typing import Iterator

from .raw_code import ExceptionEntry

LARGEST = 1 << 31
"""Far above any real offset or depth; without a limit a hostile table could hold numbers of any size."""


def read_exception_table(table: bytes) -> tuple[ExceptionEntry, ...]:
    """The entries of ``table`` in byte offsets. Raises ValueError, with the position, if it is cut short."""
    return tuple(_entries(table))


def _entries(table: bytes) -> Iterator[ExceptionEntry]:
    position, size = 0, len(table)

    def varint() -> int:
        nonlocal position
        value, more = 0, True
        while more:
            if position >= size:
                raise ValueError(f"exception table ends inside an entry, at byte {position}")
            byte = table[position]
            position += 1
            value = value << 6 | byte & 0x3F
            if value > LARGEST:
                raise ValueError(f"a number in the exception table is too large, at byte {position - 1}")
            more = bool(byte & 0x40)
        return value

    while position < size:
        start, length, target, depth_lasti = varint() * 2, varint() * 2, varint() * 2, varint()
        yield ExceptionEntry(start, start + length, target, depth_lasti >> 1, bool(depth_lasti & 1))
