"""Compare the source positions of two code objects."""

from __future__ import annotations

from ..bytecode import RawCode
from .matching.anchors import Location


def same_lines(original: RawCode, other: RawCode, moved: Location = (0, 0)) -> bool:
    """Whether each code unit has the same line; ``moved``: how far up (and left) ``other`` was shifted."""
    up = moved[0]
    if not up and _same_tables(original, other):
        return True
    ours, theirs = ([position[0] for position in raw.positions()] for raw in (original, other))
    if original.name != "<module>" and original.firstlineno - up != other.firstlineno:
        return False
    return [line if line is None else line - up for line in ours] == theirs


def _same_tables(original: RawCode, other: RawCode) -> bool:
    """Whether the tables are equal byte for byte, so that they need not be decoded."""
    same = original.linetable == other.linetable and original.firstlineno == other.firstlineno
    return same and original.version == other.version and len(original.bytecode) == len(other.bytecode)


def same_columns(original: RawCode, other: RawCode, moved: Location = (0, 0)) -> bool:
    """Whether each code unit has the same line, column, end line and end column."""
    if moved == (0, 0) and _same_tables(original, other):
        return any(position[2] is not None for position in original.positions())
    ours = [_moved(tuple(position), *moved) for position in original.positions()]
    if not any(position[2] is not None for position in ours):
        return False
    return same_lines(original, other, moved) and ours == [tuple(position) for position in other.positions()]


def _moved(position: tuple[int | None, ...], up: int, left: int) -> tuple[int | None, ...]:
    """Shift a position. That of the prologue, columns 0 to 0 of the first line, is no source: it keeps its columns."""
    left = 0 if position[2:] == (0, 0) else left
    return tuple(number if number is None else number - step for number, step in zip(position, (up, up, left, left)))
