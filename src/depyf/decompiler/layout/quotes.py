"""The kind of quotes that an author probably uses: no position shows it, but the formatter does."""

from __future__ import annotations

from collections import defaultdict

from ...errors import DecompilationError
from ..bytecode import RawCode, known_instructions

_CALLS = ("CALL", "CALL_EX")
_NO_CALLS = ("LOAD_BUILD_CLASS", "LOAD_ASSERTION_ERROR")
"""What they load is called with the position of the whole statement."""
_LEAST_CALLS = 2
_MOST_OF_THEM = 0.7


def usual_quote(original: RawCode) -> str:
    r"""Return ``"`` if most calls over several rows have their closing parenthesis on a row of its own, else ``'``.

    The formatters that put it there write double quotes. Of the strings of modules with two such calls or more, of
    which 70 % do, 98 % have double quotes in twenty packages of others (two seeds of author_layout.py), and 77 % in the
    standard library of 3.13; of all its strings 28 % have them.
    """
    ends: set[tuple[int, int]] = set()
    first: dict[int, int] = defaultdict(lambda: 1 << 30)  # of each row, the first column where anything begins or ends
    for raw in original.walk():
        try:
            positions = [(one.op, one.position) for one in known_instructions(raw) if one.position is not None]
        except DecompilationError:
            continue
        statements = {position for op, position in positions if op in _NO_CALLS}
        for op, position in positions:
            line, end_line, column, end_column = position
            if line is None or end_line is None or column is None or end_column is None:
                continue
            first[line] = min(first[line], column)
            first[end_line] = min(first[end_line], end_column)
            if op in _CALLS and line < end_line and position not in statements:
                ends.add((end_line, end_column))
    rows = {row for row, _ in ends}
    own = sum((row, first[row]) in ends for row in rows)
    return '"' if len(rows) >= _LEAST_CALLS and own >= _MOST_OF_THEM * len(rows) else "'"
