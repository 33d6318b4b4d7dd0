"""A remark: what the compiler did at one line of the program. Everything that is printed of it is in it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field, replace
from typing import Iterable

from ....owners import is_of_libraries
from ...model import Session, SourceLine

__all__ = ["COST", "FINDINGS", "KINDS", "Files", "Remark", "distinct", "end_of_name", "in_order", "of_program"]

KINDS = ("wrong", "raised", "break", "recompile", "uncompiled", "graph", "kernel", "memory", "guard")
"""The words for what happened at a line, in the order in which they are there."""

COST = "cost"
"""What compiling took: the last at a line. No part of `KINDS`, as it differs in every run."""

FINDINGS = ("wrong", "raised", "break", "recompile", "uncompiled")
"""What somebody may want to change. Graphs, kernels and guards are none."""

_RESUME = re.compile(r"(?:torch_dynamo_|\b)resume_in_([\w<>]+?)(?:_at_\d+)?(?![\w<>])")  # 2.2 has no line in it
_SAYS_NOTHING = re.compile(r"(?:This graph break (?:is fundamental|may be difficult)|It may be possible to write "
                           r"Dynamo|(?:This is likely .*)?Please (?:report|open|file) an issue|"
                           r"If it is a Python builtin, please file an issue)")  # fmt: skip


@dataclass
class Remark:
    """One thing that happened at one line.

    Args:
        file: the source file, as the code object names it.
        line: counted from 1.
        kind: one of `KINDS`, or `COST`.
        words: what happened, in a sentence without its end.
        function: what the program calls the function that was compiled.
        instead: what to do about it; "" if nothing is known.
        hints: torch's, whole.
        gb_id: the number of a graph break in torch's registry, ``GB0124``; `link` is torch's page about it.
        compilations: the compile ids, in order.
        error: the type of the exception, of what raised.
        became: what runs, of what raised or is left to Python.
        cause: the line for which a function is left to Python, where it is another than its first one.
        unfit: why the compilations did not fit that were there already, where there were too many.
        through: the calls that led there from the function that was compiled: ``block (model.py:9), from step (...)``.
        inside: where Dynamo stopped, if that is in a file of torch's or of a package: ``torch/optim/optimizer.py:79``.
        explanation, context: what torch adds for users and for its developers, whole; the explanation `is_general`
            where it is the same for every such finding.
        package: the package that the file is of; "" for the program's own.
        follows: whether it comes of another remark of this kind: the rest of a function that was compiled again.
        text: the line itself, as it was when it was compiled.
        checks: torch's words for the checks of a recompilation that failed.
    """

    file: str
    line: int
    kind: str
    words: str
    function: str = ""
    instead: str = ""
    hints: list[str] = field(default_factory=list)
    gb_id: str = ""
    link: str = ""
    compilations: list[str] = field(default_factory=list)
    follows: bool = False
    text: str = ""
    checks: list[str] = field(default_factory=list)
    error: str = ""
    became: str = ""
    cause: str = ""
    unfit: list[str] = field(default_factory=list)
    through: list[str] = field(default_factory=list)
    inside: str = ""
    explanation: str = ""
    is_general: bool = False
    context: str = ""
    package: str = ""

    @property
    def times(self) -> int:
        """How often it happened."""
        return max(1, len(self.compilations))

    @property
    def hot(self) -> tuple[int, int]:
        """Sorts by what it costs: what is wrong, what raises, then breaks and recompilations, then what is left to
        Python; each by how often it happened."""
        return ({"wrong": -1, "raised": 0, "uncompiled": 2}.get(self.kind, 1), -self.times)

    @property
    def advice(self) -> list[str]:
        """What to do: ours, then those of torch's hints that say something."""
        return list(filter(None, [self.instead, *(one for one in self.hints if not _SAYS_NOTHING.match(one))]))

    @property
    def details(self) -> list[str]:
        """What there is beside `said`, in order. What prints a finding prints these, or begins with them."""
        inside = "inside " + self.inside if self.inside else ""
        cause = "because of " + self.cause if self.cause else ""
        ways = ["called from " + way for way in self.through]
        return list(filter(None, [cause, inside, *ways, self.became, *self.unfit, self.explanation]))

    @property
    def said(self) -> str:
        """The words, with the number of a graph break."""
        return self.words + ("  " + self.gb_id if self.gb_id else "")

    @property
    def is_finding(self) -> bool:
        """Whether it is one of `FINDINGS`, and no other remark is its cause."""
        return self.kind in FINDINGS and not self.follows


def in_order(remarks: Iterable[Remark]) -> list[Remark]:
    """By file, line and kind."""
    order = {kind: at for at, kind in enumerate((*KINDS, COST))}
    return sorted(remarks, key=lambda one: (one.file, one.line, order[one.kind]))


class Files:
    """The files that took part, by the ends of their names: torch writes ``dir/file.py`` for the line of a guard."""

    def __init__(self, session: Session) -> None:
        lines = [one.location for one in session.all_breaks()]
        entries = [entry for frame in session.frames for entry in frame.entries]
        lines += [node.user_line for entry in entries for graph in entry.graphs for node in graph.nodes]
        names = [frame.filename for frame in session.frames] + [line.filename for line in lines if line is not None]
        self._by_end: dict[str, list[str]] = {}
        for name in dict.fromkeys(names):
            self._by_end.setdefault(end_of_name(name), []).append(name)

    def of_program(self, line: SourceLine | None) -> SourceLine | None:
        """The line with its file's whole name; None for one of a library, or of which the file is not certain."""
        if line is None:
            return None
        found = self._by_end.get(end_of_name(line.filename), [])
        if len(found) != 1 or is_of_libraries(found[0]):
            return None
        return replace(line, filename=found[0])


def end_of_name(name: str) -> str:
    """The folder and the name: what is the same where a program lies elsewhere."""
    return "/".join(name.replace(os.sep, "/").split("/")[-2:])


def of_program(function: str) -> str:
    """The function of the program, for a resume function that of which it is the rest."""
    return _RESUME.sub(r"\1", function)


def distinct(items: Iterable[str]) -> list[str]:
    """The items that are not empty, each once."""
    return list(dict.fromkeys(item for item in items if item))
