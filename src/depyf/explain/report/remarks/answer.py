"""The answer of ``depyf run``: how much was compiled, and what to look at first."""

from __future__ import annotations

import os
import textwrap
from typing import Sequence

from ....owners import name_in_package
from ...compile_times import seconds_words
from ...names import file_name
from ..tree import count
from .counts import count_words
from .remark import Remark
from .stored import Report

__all__ = ["answer_lines", "left_words", "short", "worst_first"]

_MOST = 10
_WIDTH = 100
_LINES = 2  # for one piece of what is told
_CUT = " ..."
_ADVICE = 2  # pieces of it, for one finding
_IN_FULL = 3  # findings; of others what comes first, as the report has all of it


def answer_lines(report: Report, base: str = "", who: str = "") -> list[str]:
    """The counts in one line, then the worst remarks: where, what, why, and what to do.

    Args:
        report: what was recorded.
        base: files below this folder are named relative to it.
        who: the process, where there are several: ``rank 1``.
    """
    name = f"depyf: {who}:" if who else "depyf:"
    if not report.counts["functions"] and not report.remarks:
        return [f"{name} nothing was compiled by torch.compile"]
    spent = []
    if report.seconds:
        spent.append(f"{seconds_words(report.seconds)} compiling")
    if report.seconds and report.own_seconds:
        spent.append(f"{seconds_words(report.own_seconds)} recording")
    spent_words = "  ({})".format(", ".join(spent)) if spent else ""
    lines = ["{} {}{}".format(name, ", ".join(count_words(report.counts)), spent_words)]
    for one in report.compared[:_MOST]:
        lines += textwrap.wrap("compared: " + one, _WIDTH, initial_indent="  ", subsequent_indent="    ")
    if len(report.compared) > _MOST:
        lines.append(f"  compared: {count(len(report.compared) - _MOST, 'more graph')}, in README.md")
    worst = worst_first(report.remarks)
    lines += _table(worst[:_MOST], base)
    more = [f"{len(worst) - _MOST} more"] if len(worst) > _MOST else []
    more += left_words(report)
    return lines + (["  and " + ", ".join(more)] if more else [])


def worst_first(remarks: Sequence[Remark]) -> list[Remark]:
    """The findings among them, by what they cost; of the same cost, the program's own before those of packages."""
    findings = [one for one in remarks if one.is_finding]
    return sorted(findings, key=lambda one: (one.hot[0], bool(one.package), one.hot[1]))


def left_words(report: Report) -> list[str]:
    """``109 functions of numpy, which Dynamo leaves to Python by rule``."""
    found = [f"{count(number, 'function')} of {package}" for package, number in report.left.items()]
    return [", ".join(found) + ", which Dynamo leaves to Python by rule"] if found else []


def _table(remarks: Sequence[Remark], base: str) -> list[str]:
    places = [f"{short(one.file, base)}:{one.line}" for one in remarks]
    width = max(map(len, places), default=0)
    lines = []
    known: set[str] = set()  # what torch says of a finding above, for the same reason
    for number, (place, one) in enumerate(zip(places, remarks)):
        first, *more = _wrapped(one.said) or [""]
        lines.append("  {:{}}  {:10}  {}".format(place, width, one.kind, first).rstrip())
        details = [words for words in one.details if not (one.is_general and words == one.explanation)]
        general = [one.explanation, *one.advice[:_ADVICE], one.link]
        told = [*details, *general[1:]] if number < _IN_FULL else [*details[:1], *one.advice[:1]]
        for words in told:
            more += _wrapped(words) if words not in known else []
        known.update(general)
        lines += ["  {:{}}  {:10}  {}".format("", width, "", words) for words in more]
    return lines


def _wrapped(words: str) -> list[str]:
    lines = textwrap.wrap(words, _WIDTH, break_on_hyphens=False, break_long_words=False)
    if len(lines) <= _LINES:
        return lines
    last = lines[_LINES - 1]
    while len(last) + len(_CUT) > _WIDTH and " " in last:  # one word may be longer: a link
        last = last.rpartition(" ")[0]
    return [*lines[: _LINES - 1], last + _CUT]


def short(file: str, base: str) -> str:
    """The file's name, relative to `base` if it lies below; that of a package's begins with the package."""
    if file_name(file).startswith("In["):  # a notebook's cell
        return file_name(file)
    inside = name_in_package(file)
    if inside != file:
        return inside
    if base and os.path.abspath(file).startswith(os.path.abspath(base) + os.sep):
        return os.path.relpath(file, base)
    return file
