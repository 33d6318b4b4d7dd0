"""Reads the exception table of CPython 3.11 and later (format: CPython's Objects/exception_handling_notes.txt)."""

from __future__ import annotations

from .raw_code import ExceptionEntry

LARGEST = 1 << 31
"""Far above any real offset or depth; without a limit a hostile table could hold numbers of any size."""


def read_exception_table(table: bytes) -> tuple[ExceptionEntry, ...]:
    """The entries of ``table`` in byte offsets. Raises ValueError, with the position, if it is cut short."""
    numbers = _numbers(table)
    return tuple([
        ExceptionEntry(2 * start, 2 * (start + length), 2 * target, depth_lasti >> 1, depth_lasti & 1 == 1)
        for start, length, target, depth_lasti in zip(*[iter(numbers)] * 4)
    ])


def _numbers(table: bytes) -> list[int]:
    """Four for each entry, each six bits a byte, the highest first; another bit tells that more follow."""
    found: list[int] = []
    value, byte = 0, 0
    for position, byte in enumerate(table):
        value = value << 6 | byte & 0x3F
        if value > LARGEST:
            raise ValueError(f"a number in the exception table is too large, at byte {position}")
        if not byte & 0x40:
            found.append(value)
            value = 0
    if byte & 0x40 or found[len(found) // 4 * 4 :]:
        raise ValueError(f"exception table ends inside an entry, at byte {len(table)}")
    return found
