"""Counts of an attack: version x kind x tried, proven, harmful, crashed, refused."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List

COLUMNS = ("tried", "proven", "harmful", "crashed", "refused", "slow", "broken")
Counts = Dict[str, Dict[str, int]]


def count(counts: Counts, kind: str, outcome: str) -> None:
    row = counts.setdefault(kind, dict.fromkeys(COLUMNS, 0))
    row["tried"] += 1
    row[outcome] += 1
    if outcome in ("harmful", "crashed"):
        row["proven"] += 1


def total(counts: Counts) -> Dict[str, int]:
    return {column: sum(row[column] for row in counts.values()) for column in COLUMNS}


def merged(many: Iterable[Counts]) -> Counts:
    found: Counts = {}
    for counts in many:
        for kind, row in counts.items():
            into = found.setdefault(kind, dict.fromkeys(COLUMNS, 0))
            for column, number in row.items():
                into[column] += number
    return found


def markdown(by_version: Dict[str, Counts]) -> str:
    """A row for each version, then one for each kind over all of them."""
    rows = [_line("version", None), "|" + "---|" * (len(COLUMNS) + 1)]
    rows += [_line(version, total(counts)) for version, counts in by_version.items()]
    everything = merged(by_version.values())
    rows += [_line("all", total(everything)), "", _line("change", None), "|" + "---|" * (len(COLUMNS) + 1)]
    rows += [_line(kind, everything[kind]) for kind in sorted(everything)]
    return "\n".join(rows)


def _line(name: str, by_name: Any) -> str:
    cells: List[str] = [name, *(str(by_name[c]) if by_name is not None else c for c in COLUMNS)]
    return "| " + " | ".join(cells) + " |"
