"""The kind of quotes that an author probably uses: no position shows it, but the formatter does."""

from __future__ import annotations

import contextlib
import itertools
from typing import Iterator, NamedTuple

from ...errors import DecompilationError
from ..bytecode import Instruction, RawCode, known_instructions
from ..bytecode.kinds import gives_annotations, kind_of

_CALLS = frozenset(("CALL", "CALL_EX"))
_OF_STATEMENTS = frozenset(
    ("LOAD_BUILD_CLASS", "LOAD_ASSERTION_ERROR", "MAKE_FUNCTION", "BEFORE_WITH", "BEFORE_ASYNC_WITH")
)
"""They have the position of a whole statement, and so does what is called or loaded for it."""
_DISPLAYS = frozenset(("BUILD_LIST", "BUILD_MAP", "BUILD_SET", "BUILD_CONST_KEY_MAP", "CONST"))
_ANNOTATIONS = frozenset(("annotations", "annotate"))
_NOWHERE = (None, None, None, None)
_LEAST_CALLS, _MOST_OF_CALLS = 2, 0.7
_LEAST_OF_ALL = 3


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
    r"""Return ``"`` if brackets over several rows are closed where the formatters that write double quotes close them,
    on rows of their own, else ``'``.

    Most calls must be closed so, two at least; or all calls and displays, three at least, fewer if the code has
    annotations or formatted strings. If no bracket is over several rows, functions are enough; if there are no columns,
    annotations. ``benchmarks/measure/quotes.py`` measures how often that is right.
    """
    known: list[list[Instruction]] = []
    for raw in original.walk():
        if gives_annotations(raw):
            continue  # its display has the position of the whole definition
        with contextlib.suppress(DecompilationError):
            known.append(known_instructions(raw))
    every = [*itertools.chain.from_iterable(known)]
    closed = [*itertools.chain.from_iterable(map(_closed_in, known))]
    calls, displays = ({one for is_call, one in closed if is_call is kind} for kind in (True, False))
    if not calls and not displays:
        has_functions = any(raw is not original and kind_of(raw) in ("function", "class") for raw in original.walk())
        return '"' if any(_has_annotations(one) or has_functions and _has_column(one) for one in every) else "'"
    first = _first_columns({row for one in calls | displays for row in (one.opened, one.row)}, known)
    own_calls, of_calls = _on_own_rows(calls, first)
    own_displays, of_displays = _on_own_rows(displays, first)
    if of_calls >= _LEAST_CALLS and own_calls >= _MOST_OF_CALLS * of_calls:
        return '"'
    if (own_calls, own_displays) != (of_calls, of_displays):
        return "'"
    is_modern = any(one.op == "FORMAT_VALUE" or _has_annotations(one) for one in every)
    return '"' if is_modern or of_calls + of_displays >= _LEAST_OF_ALL else "'"


def _on_own_rows(closed: set[_Closed], first: dict[int, int]) -> tuple[int, int]:
    """Return how many rows close one of them and have nothing left of the bracket, and how many close one at all."""
    return len({one.row for one in closed if one.is_on_own_row(first)}), len({one.row for one in closed})


def _has_column(one: Instruction) -> bool:
    return one.position is not None and one.position[2] is not None


def _has_annotations(one: Instruction) -> bool:
    return one.op == "MAKE_FUNCTION" and not _ANNOTATIONS.isdisjoint(one.arg)


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


def _closed_in(instructions: list[Instruction]) -> Iterator[tuple[bool, _Closed]]:
    """Yield where each call or display over several rows is closed, and whether it is a call."""
    over_rows = [one for one in instructions if one.position is not None and one.position[0] != one.position[1]]
    if not over_rows:
        return
    statements = {one.position for one in over_rows if one.op in _OF_STATEMENTS}
    for one in over_rows:
        line, end_line, column, end_column = one.position or _NOWHERE
        if line is None or end_line is None or column is None or end_column is None or line >= end_line:
            continue
        is_call = one.op in _CALLS
        is_display = one.op in _DISPLAYS and (one.op != "CONST" or _is_display(one.arg))
        if (is_call or is_display) and one.position not in statements:
            yield is_call, _Closed(line, end_line, end_column, one.op == "CONST")


def _is_display(constant: object) -> bool:
    return isinstance(constant, (tuple, frozenset))
