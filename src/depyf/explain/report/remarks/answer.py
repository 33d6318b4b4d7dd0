"""The answer of ``depyf run``: how much was compiled, and what to look at first."""

from __future__ import annotations

import os
import textwrap
from typing import Sequence

from ...names import file_name
from ..tree import count
from .costs import seconds_words
from .remark import FINDINGS, Remark
from .stored import Report

__all__ = ["INSTALLED", "answer_lines", "count_words", "counted", "short", "worst_first"]

_MOST = 10
INSTALLED = "-packages/"
"""In the names of files of installed packages."""
_WIDTH = 100


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
    lines = ["{} {}{}".format(name, ", ".join(count_words(report)), spent_words)]
    worst = worst_first(report.remarks)
    lines += _table(worst[:_MOST], base)
    if len(worst) > _MOST:
        lines.append(f"  and {len(worst) - _MOST} more")
    return lines


def worst_first(remarks: Sequence[Remark]) -> list[Remark]:
    """The findings among them; of each kind, those in the program's own files before those in installed packages."""
    findings = [one for one in remarks if one.is_finding]
    return sorted(findings, key=lambda one: (FINDINGS.index(one.kind), INSTALLED in one.file.replace(os.sep, "/")))


def count_words(report: Report) -> list[str]:
    """How much was compiled, in words."""
    counts = report.counts
    words = [
        "{} compiled".format(counted(counts["functions"], "function")),
        counted(counts["breaks"], "graph break"),
        counted(counts["recompilations"], "recompilation"),
    ]
    if counts["uncompiled"]:
        words.append("{} {} uncompiled".format(counted(counts["uncompiled"], "function"),
                                               "runs" if counts["uncompiled"] == 1 else "run"))  # fmt: skip
    return words


def _table(remarks: Sequence[Remark], base: str) -> list[str]:
    places = [f"{short(one.file, base)}:{one.line}" for one in remarks]
    width = max(map(len, places), default=0)
    lines = []
    for place, one in zip(places, remarks):
        first, *more = _wrapped(one.said) or [""]
        lines.append("  {:{}}  {:10}  {}".format(place, width, one.kind, first).rstrip())
        more += _wrapped(one.instead or next(iter(one.hints), ""))
        lines += ["  {:{}}  {:10}  {}".format("", width, "", words) for words in more]
    return lines


def _wrapped(words: str) -> list[str]:
    return textwrap.wrap(words, _WIDTH, max_lines=2, placeholder=" ...", break_on_hyphens=False)


def short(file: str, base: str) -> str:
    """The file's name, relative to `base` if it lies below; that of an installed package's begins with the package."""
    if file_name(file).startswith("In["):  # a notebook's cell
        return file_name(file)
    _, installed, name = file.replace(os.sep, "/").rpartition(INSTALLED)
    if installed:
        return name
    if base and os.path.abspath(file).startswith(os.path.abspath(base) + os.sep):
        return os.path.relpath(file, base)
    return file


def counted(number: int, noun: str) -> str:
    """``no graphs``, ``1 graph``, ``2 graphs``."""
    return count(number, noun) if number else f"no {noun}s"
