"""Verdicts of many code objects, counted by group, and every refused one named."""

from __future__ import annotations

import collections
from typing import Any, NamedTuple


class Row(NamedTuple):
    """One code object: its verdict's level, or 'crash', and the first reason if it is not proven."""

    place: str
    level: str
    reason: str = ""


def rows_of(result: Any, place: str) -> list[Row]:
    """A row for each code object in the result of ``analyze``; ``place`` names where the code is from."""
    return [
        Row(
            f"{place}: {part.qualname} (line {part.raw.firstlineno if part.raw is not None else '?'})",
            part.verdict.level.value,
            "" if part.verdict.proven else "; ".join(part.verdict.reasons[:1]),
        )
        for part in result.walk()
    ]


class Tally:
    """Rows and notes by group. A note is what was left out, with its reason."""

    def __init__(self) -> None:
        self.rows: dict[str, list[Row]] = {}
        self.files: collections.Counter[str] = collections.Counter()
        self.left_out: dict[str, list[str]] = {}

    def add(self, group: str, rows: list[Row]) -> None:
        """One file of ``group``, with the rows of its code objects."""
        self.files[group] += 1
        self.rows.setdefault(group, []).extend(rows)

    def leave_out(self, group: str, reason: str) -> None:
        self.left_out.setdefault(group, []).append(reason)

    def failed(self) -> list[str]:
        """Everything without a proven source, in words."""
        return [
            f"{group}  {row.level}  {row.place}\n    {row.reason or 'no reason given'}"
            for group, rows in self.rows.items()
            for row in rows
            if row.level in ("refused", "unproven", "crash")
        ]

    def table(self) -> str:
        """A line for each group: files, code objects, how many of each level, files left out."""
        from depyf.decompiler.proof import Level

        levels = [level.value for level in Level] + ["crash"]
        groups = sorted({*self.rows, *self.left_out}, key=_by_version)
        width = max([len(group) for group in groups] + [5])
        heads = ["files", "objects", *levels, "refused %", "left out"]
        lines = ["  ".join([f"{'':{width}}", *(f"{head:>10}" for head in heads)])]
        for group in groups:
            rows = self.rows.get(group, [])
            found = collections.Counter(row.level for row in rows)
            share = 100 * (found["refused"] + found["crash"]) / max(1, len(rows))
            cells = [self.files[group], len(rows), *(found[level] for level in levels), f"{share:.2f}"]
            cells.append(len(self.left_out.get(group, ())))
            lines.append("  ".join([f"{group:{width}}", *(f"{cell:>10}" for cell in cells)]))
        return "\n".join(lines)


def _by_version(group: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (0, part) for part in group.replace(".", " ").split()]
