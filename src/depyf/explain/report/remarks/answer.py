"""The answer of ``depyf run``: how much was compiled, and what to look at first."""

from __future__ import annotations

import os
import textwrap
from typing import List, Sequence

from .remark import Remark
from .stored import Report

__all__ = ["INSTALLED", "WORST_FIRST", "answer_lines", "count_words", "short"]

_MOST = 10
INSTALLED = "-packages/"
"""In the names of files of installed packages."""
WORST_FIRST = ("uncompiled", "break", "recompile")
_WIDTH = 100


def answer_lines(report: Report, base: str = "") -> List[str]:
    """The counts in one line, then the worst remarks: where, what, why, and what to do.

    Args:
        report: what was recorded.
        base: files below this folder are named relative to it.
    """
    if not report.counts["functions"] and not report.remarks:
        return ["depyf: nothing was compiled by torch.compile"]
    spent = "  ({:.1f} s compiling)".format(report.seconds) if report.seconds else ""
    lines = ["depyf: {}{}".format(", ".join(count_words(report)), spent)]
    worst = [one for one in report.remarks if one.kind in WORST_FIRST and not one.follows]
    worst.sort(key=lambda one: WORST_FIRST.index(one.kind))
    lines += _table(worst[:_MOST], base)
    if len(worst) > _MOST:
        lines.append("  and {} more".format(len(worst) - _MOST))
    return lines


def count_words(report: Report) -> List[str]:
    """How much was compiled, in words."""
    counts = report.counts
    words = [
        "{} compiled".format(_count(counts["functions"], "function")),
        _count(counts["breaks"], "graph break"),
        _count(counts["recompilations"], "recompilation"),
    ]
    if counts["uncompiled"]:
        words.append("{} {} uncompiled".format(_count(counts["uncompiled"], "function"),
                                               "runs" if counts["uncompiled"] == 1 else "run"))  # fmt: skip
    return words


def _table(remarks: Sequence[Remark], base: str) -> List[str]:
    places = ["{}:{}".format(short(one.file, base), one.line) for one in remarks]
    width = max(map(len, places), default=0)
    lines = []
    for place, one in zip(places, remarks):
        lines.append("  {:{}}  {:10}  {}".format(place, width, one.kind, _first(one)).rstrip())
        lines += ["  {:{}}  {:10}  {}".format("", width, "", words) for words in _instead(one)]
    return lines


def _first(one: Remark) -> str:
    return one.words + ("  " + one.gb_id if one.gb_id else "")


def _instead(one: Remark) -> List[str]:
    words = one.instead or next(iter(one.hints), "")
    return textwrap.wrap(words, _WIDTH, max_lines=2, placeholder=" ...", break_on_hyphens=False)


def short(file: str, base: str) -> str:
    """The file's name, relative to `base` if it lies below; that of an installed package's begins with the package."""
    _, installed, name = file.replace(os.sep, "/").rpartition(INSTALLED)
    if installed:
        return name
    if base and os.path.abspath(file).startswith(os.path.abspath(base) + os.sep):
        return os.path.relpath(file, base)
    return file


def _count(number: int, noun: str) -> str:
    return "{} {}{}".format(number or "no", noun, "" if number == 1 else "s")
