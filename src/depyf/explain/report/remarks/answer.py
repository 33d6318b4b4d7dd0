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


def answer_lines(report: Report, base: str = "") -> list[str]:
    """The counts in one line, then the worst remarks: where, what, why, and what to do.

    Args:
        report: what was recorded.
        base: files below this folder are named relative to it.
    """
    if not report.counts["functions"] and not report.remarks:
        return ["depyf: nothing was compiled by torch.compile"]
    spent = []
    if report.seconds:
        spent.append(f"{seconds_words(report.seconds)} compiling")
    if report.seconds and report.own_seconds:
        spent.append(f"{seconds_words(report.own_seconds)} recording")
    lines = ["depyf: {}{}".format(", ".join(count_words(report)), "  ({})".format(", ".join(spent)) if spent else "")]
    worst = worst_first(report.remarks)
    lines += _table(worst[:_MOST], base)
    if len(worst) > _MOST:
        lines.append(f"  and {len(worst) - _MOST} more")
    return lines


def worst_first(remarks: Sequence[Remark]) -> list[Remark]:
    """The findings among them."""
    return sorted((one for one in remarks if one.is_finding), key=lambda one: FINDINGS.index(one.kind))


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
        lines.append("  {:{}}  {:10}  {}".format(place, width, one.kind, one.said).rstrip())
        lines += ["  {:{}}  {:10}  {}".format("", width, "", words) for words in _instead(one)]
    return lines


def _instead(one: Remark) -> list[str]:
    words = one.instead or next(iter(one.hints), "")
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
