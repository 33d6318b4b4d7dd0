"""Join neighbouring statements that only moved, all by the same number of lines, to one statement."""

from __future__ import annotations

import re
from typing import Sequence

from .tokens import CLAUSES, Logical
from .unchanged import Unchanged

_WORD = re.compile(r"\w*")
_WITHOUT_POSITIONS = frozenset(("else:", "finally:", "try:"))


def joined(text: str, logical: Sequence[Logical], moved: Unchanged) -> tuple[list[Logical], Unchanged]:
    """Return the logical lines of ``text`` with such statements joined, and what is known of those.

    Only whole statements are joined: a header with its block, and the clauses that follow.
    """
    joiner = _Joiner(text, logical, moved)
    found: list[Logical] = []
    index_of: list[int] = []  # for each of ``logical``, in ``found``
    start = 0
    while start < len(logical):
        end = max(joiner.end(start), start + 1)
        index_of += [len(found)] * (end - start)
        first, last = logical[start], logical[end - 1]
        found.append(first if first is last else first._replace(end=last.end, end_line=last.end_line))
        start = end
    return found, Unchanged(
        {index_of[number]: shift for number, shift in moved.shifts.items()},
        {index_of[number]: line for number, line in moved.lines.items()},
        {index_of[number] for number in moved.changed},
        [{index_of[number] for number in numbers} for numbers in moved.of_pair],
        {},
    )


class _Joiner:
    def __init__(self, text: str, logical: Sequence[Logical], moved: Unchanged) -> None:
        self.text, self.logical, self.moved = text, logical, moved
        self.is_above: set[int] = set()  # statements that may share their last row with what follows
        self.is_below: set[int] = set()  # those that may share their first row with what precedes
        self.alone: tuple[tuple[int, int], int, int] | None = None  # shift, depth: up to there none ends a join
        last, end, rows = -1, 0, 0
        for number, one in enumerate(logical):
            rows += one.end_line - one.line + 1
            down = moved.rows.get(number)
            if down is not None:
                if one.end_line + down - end < rows:  # no room for what is between
                    self.is_above.add(last)
                    self.is_below.add(number)
                last, end, rows = number, one.end_line + down, 0

    def end(self, start: int) -> int:
        """Return the end of the statements that can be joined, beginning with this one; ``start`` if none can be."""
        first, shift = self.logical[start], self.moved.shifts.get(start)
        if shift is None or shift[1] or start in self.is_below:
            return start
        if self._word(start) in CLAUSES or self.text[first.at] in "'\"":
            return start
        if self.alone is not None and self.alone[:2] == (shift, first.depth) and start < self.alone[2]:
            return start
        end = start
        for number in range(start + 1, len(self.logical)):
            one = self.logical[number]
            if one.depth <= first.depth and not self._continues(number) and number - 1 not in self.is_above:
                end = number
            if one.depth < first.depth or not self._follows(number, shift):
                if end == start:
                    self.alone = (shift, first.depth, number)
                return end
        return len(self.logical)

    def _continues(self, number: int) -> bool:
        """Whether this belongs to the statement before: it is another clause, or what is decorated."""
        return self._word(number) in CLAUSES or self.text[self.logical[number - 1].at] == "@"

    def _follows(self, number: int, shift: tuple[int, int]) -> bool:
        """Whether this is right below the one before, and as far from the original."""
        before, one = self.logical[number - 1 : number + 1]
        if self.text[before.end : one.at].strip():  # a comment
            return False
        known = self.moved.shifts.get(number)
        if known is None and number not in self.moved.changed:
            return self.text[one.at : one.end] in _WITHOUT_POSITIONS
        return known == shift

    def _word(self, number: int) -> str:
        word = _WORD.match(self.text, self.logical[number].at)
        return word[0] if word is not None else ""
