"""Find statements of our text that the original has unchanged, only moved: their tokens need no further analysis.

All instructions of such a statement are shifted down and to the right by the same amount.
"""

from __future__ import annotations

from collections import Counter
from typing import Iterable, NamedTuple, Sequence, Tuple

from ...bytecode.instruction import Position
from .pairs import CodePair
from .runs import LineRun
from .tokens import Logical

Shift = Tuple[int, int]
"""How many lines down and columns to the right of ours the original is."""


class Unchanged(NamedTuple):
    """``shifts``: of unchanged statements, by index; without column information, ignore the columns.

    ``lines``: the line shifts of unchanged statements over several lines, which are tokenized all the same: only their
    beginning is used. ``changed``: the statements laid out differently; nothing is known of those in none of the three.
    ``of_pair``: for each pair, the statements that it gives positions for. ``rows``: how many lines down they begin.
    """

    shifts: dict[int, Shift]
    lines: dict[int, int]
    changed: set[int]
    of_pair: list[set[int]]
    rows: dict[int, int]


def unchanged(logical: Sequence[Logical], pairs: Sequence[CodePair], *, has_columns: bool) -> Unchanged:
    """Find the statements that moved unchanged."""
    finder = _Finder(logical, has_columns)
    of_pair = [finder.statements_of(pair) for pair in pairs]
    if has_columns:
        finder.compare_blocks(logical)
    shifts, lines = {}, {}
    for number, shift in finder.shifts.items():
        line = finder.first_lines.get(number)
        if line is not None and line != shift[0]:
            finder.changed.add(number)
        elif number not in finder.changed:
            if logical[number].line == logical[number].end_line:
                shifts[number] = shift
            else:
                lines[number] = shift[0]
    rows = {number: down for number, (down, _) in finder.shifts.items()}
    return Unchanged(shifts, lines, finder.changed, of_pair, rows)


class _Finder:
    def __init__(self, logical: Sequence[Logical], has_columns: bool) -> None:
        self.has_columns = has_columns
        self.statement_of: dict[int | None, int] = {}
        for number, one in enumerate(logical):
            for line in range(one.line, one.end_line + 1):
                self.statement_of[line] = number
        self.shifts: dict[int, Shift] = {}
        self.first_lines: dict[int, int] = {}  # the shift of the first line of each function or class
        self.columns = [4 * one.depth for one in logical]
        self.begun: set[int] = set()  # statements whose first token has a position
        self.changed = {number for number, one in enumerate(logical) if one.is_cut}

    def statements_of(self, pair: CodePair) -> set[int]:
        """Record the shifts from ``pair``; return the statements that it gives positions for."""
        found: set[int] = set()
        number = self.statement_of.get(pair.ours.firstlineno)
        if number is not None and pair.original.name != "<module>":
            step = pair.original.firstlineno - pair.ours.firstlineno
            if self.first_lines.setdefault(number, step) != step:
                self.changed.add(number)
        if pair.runs is not None:
            self._runs(pair, pair.runs, found)
        else:
            look = self._columns if self.has_columns else self._lines
            look(pair.position_pairs, found)
            look(pair.ends, found)
        folded = {here[0] for here, origin in pair.origins.items() if origin.is_folded or origin.first is not None}
        self.changed.update(self.statement_of[line] for line in folded if line in self.statement_of)
        if self.has_columns and pair.hides:
            self.changed |= found
        elif not self.has_columns:
            self.changed.update(self.statement_of[here[0]] for here in pair.spread if here[0] in self.statement_of)
        return found

    def compare_blocks(self, logical: Sequence[Logical]) -> None:
        """Mark statements as changed if later tokens alone give their column shift, and it differs from the block's."""
        blocks: dict[int, list[int]] = {}
        headers: list[int] = []  # the last statement at each depth
        for number, one in enumerate(logical):
            del headers[one.depth :]
            if number in self.shifts and number not in self.changed:
                blocks.setdefault(headers[-1] if headers else -1, []).append(number)
            headers.append(number)
        certain = Counter(self.shifts[n][1] for numbers in blocks.values() for n in numbers if n in self.begun)
        is_as_ours = certain[0] > sum(certain.values()) / 2  # the indentation of statements whose first token tells it
        for numbers in blocks.values():
            begun = [self.shifts[number][1] for number in numbers if number in self.begun]
            steps = Counter(begun or [0] * is_as_ours or [self.shifts[number][1] for number in numbers])
            usual = max(steps, key=lambda step: (steps[step], -step))
            self.changed.update(n for n in numbers if n not in self.begun and self.shifts[n][1] != usual)

    def _lines(self, paired: Iterable[tuple[Position, Position]], found: set[int]) -> None:
        for where, here in paired:
            number = self.statement_of.get(here[0])
            if number is not None and where[0] is not None:
                found.add(number)
                self._moved(number, (where[0] - here[0], 0))

    def _runs(self, pair: CodePair, runs: Iterable[LineRun], found: set[int]) -> None:
        statement_of, shifts = self.statement_of, self.shifts
        for line, last, down, start, end in runs:
            number = statement_of.get(line)
            if number is None:
                continue
            if down is None:
                self._columns(zip(pair.original.positions()[start:end], pair.ours.positions()[start:end]), found)
                continue
            found.add(number)
            shift = down, 0
            if shifts.setdefault(number, shift) != shift:
                self.changed.add(number)
            if last == line:
                self.begun.add(number)
            elif statement_of.get(last, number) != number:
                found.add(statement_of[last])
                self._moved(statement_of[last], shift)

    def _columns(self, paired: Iterable[tuple[Position, Position]], found: set[int]) -> None:
        statement_of, shifts, columns = self.statement_of, self.shifts, self.columns
        line_before, number = None, None
        for (line, end_line, column, end_column), (our_line, our_end_line, our_column, our_end_column) in paired:
            if column is None or our_column is None or end_column is None or column == end_column == 0:
                continue
            if our_line != line_before:
                line_before, number = our_line, statement_of.get(our_line)
                if number is not None:
                    found.add(number)
            if number is None:
                continue
            if our_column == columns[number]:
                self.begun.add(number)
            shift = line - our_line, column - our_column
            last = end_line - our_end_line, end_column - our_end_column
            end = number if our_end_line == our_line else statement_of.get(our_end_line)
            if end != number and end is not None:
                found.add(end)
                self._moved(end, last)
            elif shift != last:
                self.changed.add(number)
            if shifts.setdefault(number, shift) != shift:
                self.changed.add(number)

    def _moved(self, number: int, shift: Shift) -> None:
        if self.shifts.setdefault(number, shift) != shift:
            self.changed.add(number)
