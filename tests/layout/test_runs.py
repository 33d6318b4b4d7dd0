"""Runs of a location table against the positions that it is decoded to."""

from __future__ import annotations

import random
import types
from typing import Any, List, Set, Tuple

import pytest

from depyf.decompiler.bytecode.code.line_table import read_locations
from depyf.decompiler.layout.matching.runs import equal_lines, line_runs

Entry = Tuple[int, int, int, int, int]
"""Line increment, further lines, column, end column, code units; a column of -1 for none, an increment of -99 for
nowhere."""
NOWHERE = -99
PROLOGUE: Entry = (0, 0, 0, 0, 1)


def varint(number: int) -> bytes:
    pieces = []
    while number > 63:
        pieces.append(number & 63 | 64)
        number >>= 6
    return bytes([*pieces, number])


def encoded(entries: List[Entry]) -> bytes:
    """As CPython writes them: the shortest form that holds an entry."""
    table = b""
    for step, lines, column, end_column, units in entries:
        size, width = units - 1, end_column - column
        number = step << 1 if step >= 0 else -step << 1 | 1
        if step == NOWHERE:
            table += bytes([0xF8 | size])
        elif column < 0:
            table += bytes([0xE8 | size]) + varint(number)
        elif not lines and not step and column < 80 and 0 <= width < 16:
            table += bytes([0x80 | column >> 3 << 3 | size, (column & 7) << 4 | width])
        elif not lines and 0 <= step < 3 and column < 128 > end_column:
            table += bytes([0x80 | 10 + step << 3 | size, column, end_column])
        else:
            table += bytes([0xF0 | size]) + b"".join(map(varint, (number, lines, column + 1, end_column + 1)))
    return table


def code_of(entries: List[Entry], first_line: int) -> Any:
    units = sum(entry[4] for entry in entries)
    return types.SimpleNamespace(linetable=encoded(entries), firstlineno=first_line, bytecode=bytes(2 * units))


def made(rng: random.Random) -> Entry:
    column = rng.choice([-1, 0, rng.randrange(90), rng.randrange(300)])
    step = rng.choice([0, 0, 0, 0, 1, 1, 2, 5, -3, 70, -200, NOWHERE])
    lines = rng.choice([0, 0, 0, 0, 2, 80]) if column >= 0 else 0
    return step, lines, column, column + rng.randrange(30) if column >= 0 else -1, rng.randint(1, 8)


def moved(rng: random.Random, entry: Entry) -> Entry:
    """Most stay, some are on other lines, a few in other columns."""
    step, lines, column, end_column, units = entry
    if rng.random() < 0.3 and step > 0:
        step += rng.choice([1, 4, 100])
    if rng.random() < 0.1 and column >= 0:
        column, end_column = column + 1, end_column + rng.choice([1, 2])
    return step, lines + (rng.random() < 0.05 and column >= 0), column, end_column, units


def test_runs_are_what_is_decoded() -> None:
    rng = random.Random(28)
    known = moves = 0
    for _ in range(400):
        ours = [made(rng) for _ in range(rng.randint(1, 12))]
        theirs = [moved(rng, entry) for entry in ours]
        if rng.random() < 0.5:
            ours, theirs = [PROLOGUE, *ours], [PROLOGUE, *theirs]
        original, text = code_of(theirs, rng.randint(1, 300)), code_of(ours, 7)
        found = line_runs(original, text)
        if found is None:
            continue  # the original has other runs
        known += 1
        there, mine = (
            read_locations(code.linetable, code.firstlineno, len(code.bytecode) // 2) for code in (original, text)
        )
        inside: Set[int] = set()
        for run in found:
            inside.update(range(run.start, run.end))
            here = [position for position in mine[run.start : run.end] if position[0] is not None]
            assert {position[0] for position in here} == {run.line}
            assert max(position[1] for position in here) == run.last
            shifted = [
                (line, end) if line is None else (line + (run.down or 0), end + (run.down or 0), *columns)
                for line, end, *columns in mine[run.start : run.end]
            ]
            is_moved = shifted == [p[: len(s)] for p, s in zip(there[run.start : run.end], shifted)]
            assert run.down is None or is_moved
            moves += run.down is not None
        for unit in set(range(len(mine))) - inside:  # nowhere, or before the source
            assert mine[unit][2] is None or mine[unit][2:] == (0, 0)
    assert known > 100 and moves > 300


def test_equal_columns_on_other_lines_are_one_shift() -> None:
    """An increment of one line takes a short form, one of nine a long form: the columns are the same all the same."""
    ours = [PROLOGUE, (1, 0, 4, 9, 2), (0, 0, 4, 20, 1), (1, 0, 4, 5, 1), (1, 3, 8, 2, 1)]
    original = [PROLOGUE, (1, 0, 4, 9, 2), (0, 0, 4, 20, 1), (9, 0, 4, 5, 1), (1, 3, 8, 2, 1)]
    found = line_runs(code_of(original, 10), code_of(ours, 1))
    assert found == [(2, 2, 9, 1, 4), (3, 3, 17, 4, 5), (4, 7, 17, 5, 6)]


def test_other_columns_and_other_ends_are_no_shift() -> None:
    ours = [(1, 0, 4, 9, 1), (0, 0, 4, 20, 1), (1, 3, 8, 2, 1)]
    for changed in ([(1, 0, 5, 9, 1), *ours[1:]], [ours[0], (0, 0, 4, 21, 1), ours[2]], [*ours[:2], (1, 2, 8, 2, 1)]):
        found = line_runs(code_of(changed, 1), code_of(ours, 1))
        assert found is not None and [run.down for run in found].count(None) == 1


@pytest.mark.parametrize(
    "table", [b"\x01", b"\xd8\x01", b"\xf0\x41", b"\xd8\x01\x02\xd8\x01\x02"], ids=["no start", "short", "long", "more"]
)
def test_other_tables_are_not_compared(table: bytes) -> None:
    ours = code_of([(1, 0, 4, 9, 1)], 1)
    original: Any = types.SimpleNamespace(linetable=table, firstlineno=1, bytecode=b"\0\0")
    assert line_runs(original, ours) is None


def test_equal_tables_of_any_format_are_one_shift() -> None:
    table = bytes([2, 1, 4, 2, 2, 0])
    original, ours = (
        types.SimpleNamespace(linetable=table, firstlineno=line, positions=lambda: [(3,), (3,), (None,), (5,)])
        for line in (12, 2)
    )
    found: Any = equal_lines(original, ours)  # type: ignore[arg-type]
    assert [(run.line, run.last, run.down) for run in found] == [(3, 3, 10), (5, 5, 10)]
    original.linetable = table[:-1] + b"\1"
    assert equal_lines(original, ours) is None  # type: ignore[arg-type]
