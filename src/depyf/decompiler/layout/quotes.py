"""The kind of quotes that an author probably uses: no position shows it, but the formatter does."""

from __future__ import annotations

import contextlib
from typing import Iterator, Sequence

from ...errors import DecompilationError
from ..bytecode import Instruction, RawCode, known_instructions

_CALLS = ("CALL", "CALL_EX")
_OF_STATEMENTS = ("LOAD_BUILD_CLASS", "LOAD_ASSERTION_ERROR", "MAKE_FUNCTION")
"""They have the position of a whole statement, and so does what is called or loaded for it."""
_DISPLAYS = ("BUILD_LIST", "BUILD_MAP", "BUILD_SET", "BUILD_CONST_KEY_MAP", "CONST")
_NOWHERE = (None, None, None, None)
_LEAST_CALLS, _MOST_OF_CALLS = 2, 0.7
_LEAST_DISPLAYS, _MOST_OF_DISPLAYS = 3, 1.0


def usual_quote(original: RawCode) -> str:
    r"""Return ``"`` if most calls over several rows have their closing parenthesis on a row of its own, else ``'``.

    The formatters that put it there write double quotes. Where there are fewer than two such calls, all displays over
    several rows must be closed so, three at least. ``benchmarks/measure/quotes.py`` measures how often that is right.
    """
    known: list[list[Instruction]] = []
    for raw in original.walk():
        with contextlib.suppress(DecompilationError):
            known.append(known_instructions(raw))
    for operations, least, share in (
        (_CALLS, _LEAST_CALLS, _MOST_OF_CALLS),
        (_DISPLAYS, _LEAST_DISPLAYS, _MOST_OF_DISPLAYS),
    ):
        ends = {end for instructions in known for end in _ends_of(operations, instructions)}
        rows = {row for row, _ in ends}
        if len(rows) >= least:
            first = _first_columns(rows, known)
            return '"' if sum((row, first[row]) in ends for row in rows) >= share * len(rows) else "'"
    return "'"


def _first_columns(rows: set[int], known: list[list[Instruction]]) -> dict[int, int]:
    """Return, for each of the rows, the first column where anything begins or ends."""
    first = dict.fromkeys(rows, 1 << 30)
    for instructions in known:
        for one in instructions:
            line, end_line, column, end_column = one.position or _NOWHERE
            if line is None or end_line is None or column is None or end_column is None:
                continue
            if line in rows and column < first[line]:
                first[line] = column
            if end_line in rows and end_column < first[end_line]:
                first[end_line] = end_column
    return first


def _ends_of(operations: Sequence[str], instructions: list[Instruction]) -> Iterator[tuple[int, int]]:
    """Yield where each call or display over several rows ends."""
    found = [
        one.position for one in instructions if one.op in operations and (one.op != "CONST" or _is_display(one.arg))
    ]
    over_rows = [position for position in found if position is not None and position[0] != position[1]]
    if not over_rows:
        return
    statements = {one.position for one in instructions if one.op in _OF_STATEMENTS}
    for position in over_rows:
        line, end_line, column, end_column = position
        if line is None or end_line is None or column is None or end_column is None:
            continue
        if line < end_line and position not in statements:
            yield end_line, end_column


def _is_display(constant: object) -> bool:
    return isinstance(constant, (tuple, frozenset))
