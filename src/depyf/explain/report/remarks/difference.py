"""Two recordings compared: which breaks, recompilations, graphs, kernels and guards are new, gone or changed.

A line is the same line if its file and its text are: numbers move when a program is edited. What no remark tells, the
files of the two folders do: those that differ are named.
"""

from __future__ import annotations

import filecmp
import os
import re
from typing import NamedTuple, Tuple

from ...dump.compile_events import TRACE
from ...dump.compile_times import COSTS, TIMES
from ...received import below, names_in
from .answer import short
from .remark import COST, KINDS, Remark, end_of_name
from .sources import SOURCES
from .stored import Report

__all__ = ["ChangedLine", "changes", "count_changes", "files_that_differ", "not_compared", "ranks_in"]

_RANK = re.compile(r"rank_[0-9]{1,9}")
_Place = Tuple[str, str, str]  # kind, file, text of the line
_OF_EACH = ("report.html", TIMES, COSTS, TRACE, SOURCES)  # with what differs in every run, or is the program's


class ChangedLine(NamedTuple):
    """One line of the program at which the two differ. `before` is "" for what is new, `after` for what is gone."""

    kind: str
    function: str
    place: str
    before: str
    after: str

    @property
    def what(self) -> str:
        """``new break``, ``guard gone``, ``graph changed``."""
        if not self.before:
            return "new " + self.kind
        return self.kind + (" changed" if self.after else " gone")

    @property
    def words(self) -> str:
        """What is new or gone, or both with an arrow between them."""
        return "  ->  ".join(filter(None, [self.before, self.after]))


def changes(before: Report, after: Report, bases: tuple[str, str] = ("", "")) -> list[ChangedLine]:
    """Where the remarks of two recordings differ, worst first; nothing where they are equal.

    Args:
        before, after: the recordings.
        bases: the folders of their programs, to which file names are relative.
    """
    is_mixed = bool(before.notes) != bool(after.notes)
    old, new = _by_place(before, is_mixed), _by_place(after, is_mixed)
    found: list[ChangedLine] = []
    for place in dict.fromkeys([*old, *new]):
        left, right = old.get(place, {}), new.get(place, {})
        gone = [words for words in left if words not in right]
        come = [words for words in right if words not in left]
        if gone or come:
            one = next(iter((right or left).values()))
            base = bases[1] if right else bases[0]
            where = f"{short(one.file, base)}:{one.line}"
            found.append(ChangedLine(place[0], one.function, where, "; ".join(gone), "; ".join(come)))
    order = {kind: at for at, kind in enumerate(KINDS)}
    return sorted(found, key=lambda change: order[change.kind])


def not_compared(before: Report, after: Report) -> list[str]:
    """What one of the two does not hold, as a log of ``TORCH_TRACE`` beside a recording: it is left out."""
    return [] if before.notes and after.notes else before.notes + after.notes


def _by_place(report: Report, is_mixed: bool) -> dict[_Place, dict[str, Remark]]:
    found: dict[_Place, dict[str, Remark]] = {}
    for one in report.remarks:
        if one.follows or one.kind in (COST, "memory"):
            continue  # it changes with its cause, or in every run; or there is none for code out of a cache
        if is_mixed and one.kind == "uncompiled" and not one.compilations:
            continue  # of which a log has nothing
        text = str(one.line) if is_mixed or not one.text else one.text
        found.setdefault((one.kind, end_of_name(one.file), text), {})[_said(one, is_mixed)] = one
    return found


def _said(one: Remark, is_mixed: bool) -> str:
    if one.kind == "graph":
        return one.words.partition(": ")[2]  # its number counts the graphs before it
    words = one.words
    if is_mixed and one.kind == "recompile":
        words = "; ".join(one.checks)
    elif is_mixed and one.kind == "uncompiled":
        words = words.partition(": ")[2].partition("; ")[0]
    words += " " + one.gb_id if one.gb_id else ""
    times = len(one.compilations) if one.kind in ("break", "recompile") else 1
    return f"{words} ({times} times)" if times > 1 else words


def count_changes(before: Report, after: Report) -> list[str]:
    """The counts that differ: ``graphs 2 -> 3``."""
    names = dict.fromkeys([*before.counts, *after.counts])
    if bool(before.notes) != bool(after.notes):
        names.pop("uncompiled", None)  # a log has fewer
    pairs = [(name, before.counts.get(name, 0), after.counts.get(name, 0)) for name in names]
    return [f"{name} {old} -> {new}" for name, old, new in pairs if old != new]


def files_that_differ(before: str, after: str) -> list[str]:
    """Names of files of two dumps that are not the same byte for byte, or are in one alone."""
    names = [{name for name in names_in(folder) if os.path.isfile(os.path.join(folder, name))}
             for folder in (before, after)]  # fmt: skip
    common = sorted((names[0] & names[1]) - set(_OF_EACH))
    inside = [name for name in common if all(below(os.path.join(one, name), one) for one in (before, after))]
    same, _, _ = filecmp.cmpfiles(before, after, inside, shallow=False)
    return sorted({*names[0], *names[1]} - {*same, *_OF_EACH})


def ranks_in(folder: str) -> list[str]:
    """The folders of the ranks of a job, by number; none in the folder of one process."""
    names = [name for name in names_in(folder) if _RANK.fullmatch(name)]
    ranks = [name for name in names if os.path.isdir(os.path.join(folder, name))
             and below(os.path.join(folder, name), folder)]  # fmt: skip
    return [os.path.join(folder, name) for name in sorted(ranks, key=lambda name: int(name[5:]))]
