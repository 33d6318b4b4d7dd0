"""What the four panes consist of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Callable, Sequence

from ...model import SourceLine
from ..page.guard_text import GuardDifference
from ..page.repeats import numbers_apart, runs
from .drawing import Drawing

__all__ = ["Compilation", "Pane", "Row", "shortened"]

_FOLDED_FROM = 40  # rows: shorter panes are shown whole
_LEAST = 8  # rows that are left out: fewer are not worth a row that says how often they come


@dataclass(frozen=True)
class Row:
    """One line of a pane.

    Args:
        text: code, or words of ours.
        lines: indices of `Compilation.places`: the lines of the program it is for.
        through: those of the calls that led to these lines.
        number: what is in the margin; 0 for nothing.
        is_note: whether it is words.
        is_main: whether a pane opens here: at a call of a graph, or where a kernel begins.
    """

    text: str
    lines: frozenset[int] = frozenset()
    through: frozenset[int] = frozenset()
    number: int = 0
    is_note: bool = False
    is_main: bool = False


@dataclass
class Pane:
    """One of the four. `name` is "source", "transformed", "graphs" or "kernels"."""

    name: str
    rows: list[Row] = field(default_factory=list)


@dataclass
class Compilation:
    """One compilation of one function, or of the rest of it after a graph break.

    Attributes:
        function: what the program calls it; `rest_from` is the line from which on it is compiled here, 0 for all of it.
        places: the lines of the program that took part, those of the function first.
        panes: source, transformed, graphs, kernels.
        computing: how many of the places have operations in a graph that has kernels; `linked` how many of these are
            linked to a kernel.
        why: why it was compiled, in words; `difference` is that of its guards from those of an earlier compilation.
        drawings: of its graphs, by name.
    """

    function: str
    compile_id: str = ""
    rest_from: int = 0
    places: list[SourceLine] = field(default_factory=list)
    panes: list[Pane] = field(default_factory=list)
    computing: int = 0
    linked: int = 0
    drawings: dict[str, Drawing] = field(default_factory=dict)
    why: list[str] = field(default_factory=list)
    difference: GuardDifference | None = None


def shortened(rows: Sequence[Row], most: int, more: Callable[[int], str]) -> list[Row]:
    """The rows without what repeats, at most `most` of them.

    Rows that differ from others in numbers alone, a layer's, are shown once; a row after them says how often they come,
    and is for the lines of all.

    Args:
        rows: of one pane.
        most: how many to give.
        more: the words for so many rows that are left out.
    """
    found = list(rows) if len(rows) < _FOLDED_FROM else _folded(rows)
    if len(found) > most:
        found[most:] = [_instead_of(found[most:], more(len(found) - most))]
    return found


def _folded(rows: Sequence[Row]) -> list[Row]:
    found: list[Row] = []
    at = 0
    for run in runs([_pattern(row) for row in rows]):
        if run.period * (run.count - 1) < _LEAST:
            continue
        found += rows[at : run.start + run.period]
        left_out = rows[run.start + run.period : run.end]
        found.append(_instead_of(left_out, f"... {run.count - 1} times more"))
        at = run.end
    return found + list(rows[at:])


def _pattern(row: Row) -> str:
    return "#".join(numbers_apart(row.text)[0])


def _instead_of(rows: Sequence[Row], words: str) -> Row:
    """One row for several."""
    lines, through = (frozenset[int]().union(*sets) for sets in zip(*((row.lines, row.through) for row in rows)))
    return Row(words, lines, through, is_note=True)
