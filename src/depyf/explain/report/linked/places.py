"""The lines of the program that took part in one compilation, by number."""

from __future__ import annotations

from typing import Iterable

from ...model import SourceLine

__all__ = ["LineNumbers"]


class LineNumbers:
    """Numbers the lines of the program in the order in which they are first asked for."""

    def __init__(self) -> None:
        self.found: list[SourceLine] = []
        self._numbers: dict[tuple[str, int], int] = {}

    def number(self, line: SourceLine) -> int:
        """That of a line; a new one for a line not seen before."""
        key = (line.filename, line.line)
        if key not in self._numbers:
            self._numbers[key] = len(self.found)
            self.found.append(line)
        return self._numbers[key]

    def numbers(self, lines: Iterable[SourceLine | None]) -> frozenset[int]:
        """Those of several; there is none for None."""
        return frozenset(self.number(line) for line in lines if line is not None)
