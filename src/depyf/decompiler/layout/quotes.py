"""The kind of quotes that an author probably uses: no position shows it, but the formatter does."""

from __future__ import annotations

import contextlib
from typing import Iterator, NamedTuple, Sequence

from ...errors import DecompilationError
from ..bytecode import Instruction, RawCode, known_instructions

_CALLS = ("CALL", "CALL_EX")
_OF_STATEMENTS = ("LOAD_BUILD_CLASS", "LOAD_ASSERTION_ERROR", "MAKE_FUNCTION")
"""They have the position of a whole statement, and so does what is called or loaded for it."""
_DISPLAYS = ("BUILD_LIST", "BUILD_MAP", "BUILD_SET", "BUILD_CONST_KEY_MAP", "CONST")
_NOWHERE = (None, None, None, None)
_LEAST_CALLS, _MOST_OF_CALLS = 2, 0.7
_LEAST_DISPLAYS, _MOST_OF_DISPLAYS = 3, 1.0


class _Closed(NamedTuple):
    """A bracket that is ``opened`` on one row and ends on another, before ``column``."""

    opened: int
    row: int
    column: int
    is_constant: bool

    def is_on_own_row(self, first: dict[int, int]) -> bool:
        """Whether nothing is left of the closing bracket. Elements of a constant have no positions: it must then be
        below the beginning of the row that opens it.
        """
        return self.column == (first[self.opened] + 1 if self.is_constant else first[self.row])


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
        closed = {one for instructions in known for one in _closed_in(operations, instructions)}
        rows = {one.row for one in closed}
        if len(rows) >= least:
            first = _first_columns({*rows, *(one.opened for one in closed)}, known)
            own = {one.row for one in closed if one.is_on_own_row(first)}
            return '"' if len(own) >= share * len(rows) else "'"
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


def _closed_in(operations: Sequence[str], instructions: list[Instruction]) -> Iterator[_Closed]:
    """Yield where each call or display over several rows is closed."""
    found = [
        one for one in instructions if one.op in operations and (one.op != "CONST" or _is_display(one.arg))
    ]
    over_rows = [one for one in found if one.position is not None and one.position[0] != one.position[1]]
    if not over_rows:
        return
    statements = {one.position for one in instructions if one.op in _OF_STATEMENTS}
    for one in over_rows:
        line, end_line, column, end_column = one.position or _NOWHERE
        if line is None or end_line is None or column is None or end_column is None:
            continue
        if line < end_line and one.position not in statements:
            yield _Closed(line, end_line, end_column, one.op == "CONST")


def _is_display(constant: object) -> bool:
    return isinstance(constant, (tuple, frozenset))
