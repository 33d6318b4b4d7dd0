"""The head of a page: a function's compilations as a tree, with graphs, breaks and resume functions."""

from __future__ import annotations

import ast
from typing import Sequence

from ...decompiler.proof.compile_worker import syntax_tree
from ...owners import name_in_package
from ..for_reading.bookkeeping import fold
from ..frames.resume_points import resume_line
from ..model import CacheEntry, Frame, Graph, GraphBreak, Node, Refusal, ResumeFunction, SourceLine
from .why import recompile_words

__all__ = [
    "NOT_SEEN",
    "branches",
    "break_words",
    "count",
    "operations_of",
    "place_words",
    "quoted",
    "refusal_words",
    "tree_lines",
    "why_not_compiled",
]

_MOST_OPERATIONS = 12
NOT_SEEN = "Dynamo has seen no call of it"


def tree_lines(frame: Frame, hints: set[str] | None = None) -> list[str]:
    """The tree below the page's title, one string per line, without comment signs.

    Args:
        frame: the function's frame.
        hints: those that the reader has seen already; what the tree shows is added. A break has its hint once.
    """
    lines: list[str] = []
    _Tree(lines, set() if hints is None else hints).entries(frame, frame.title, "", "")
    return lines


def count(number: int, noun: str) -> str:
    """``1 graph``, ``2 graphs``."""
    return "{} {}{}".format(number, noun, "" if number == 1 else "s")


def branches(source: str) -> dict[str, str]:
    """Which arm of a branch calls which resume function: stable name to ``true`` or ``false``."""
    try:
        tree = syntax_tree(source)
    except SyntaxError:
        return {}
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        for _, block in ast.iter_fields(node):
            if not (isinstance(block, list) and block and isinstance(block[0], ast.stmt)):
                continue
            for at, statement in enumerate(block):
                if isinstance(statement, ast.If):
                    yes = _resumes(statement.body)
                    leaves = isinstance(statement.body[-1], (ast.Return, ast.Raise, ast.Continue, ast.Break))
                    no = _resumes(statement.orelse or (block[at + 1 :] if leaves else []))
                    if yes or no:
                        flipped = isinstance(statement.test, ast.UnaryOp) and isinstance(statement.test.op, ast.Not)
                        found.update(dict.fromkeys(yes, "false" if flipped else "true"))
                        found.update(dict.fromkeys(no, "true" if flipped else "false"))
    return found


def why_not_compiled(resume: ResumeFunction, entry: CacheEntry) -> str:
    """Why a resume function has no compilation of its own."""
    others = [one.frame for one in entry.resume_functions if one.frame is not None and one.frame.entries]
    if resume.function and others:
        return "traced as a part of the resume function that it is handed to"
    return resume.uncompiled or NOT_SEEN


def quoted(line: SourceLine) -> str:
    """``toy.py:3  `x = 1```: the place, and the text where it is known."""
    return f"{line.place}  `{line.text}`" if line.text else line.place


def place_words(one: GraphBreak, with_text: bool = True) -> str:
    """`` at toy.py:3  `x = 1`, inside torch/optim/optimizer.py:79``: the program's line, then where Dynamo stopped."""
    if one.location is None:
        return ""
    inside = f", inside {name_in_package(one.inside.filename)}:{one.inside.line}" if one.inside is not None else ""
    return " at " + (quoted(one.location) if with_text else one.location.place) + inside


def break_words(one: GraphBreak, seen: set[str] | None = None) -> str:
    """A graph break on one line: place, the user's line, reason, the registry's id and the first hint, unless it is in
    `seen`."""
    notes = [one.gb_id] if one.gb_id else []
    if one.hints and one.hints[0] not in (seen or ()):
        notes.append("hint: " + _short(one.hints[0]))
    return "break{}: {}{}".format(place_words(one), one.reason, "  ({})".format("; ".join(notes)) if notes else "")


def refusal_words(one: Refusal) -> str:
    """What Dynamo declined to compile, on one line."""
    notes = [one.why.gb_id] if one.why.gb_id else []
    notes += ["hint: " + _short(one.why.hints[0])] if one.why.hints else []
    what = f"raised {one.error}" if one.raised else "not compiled"
    more = "  ({})".format("; ".join(notes)) if notes else ""
    more += f"; {one.consequence}" if one.consequence and not one.raised else ""
    return f"{what}{place_words(one.why)}: {one.why.reason}{more}"


def _short(text: str, most: int = 90) -> str:
    first = text.splitlines()[0] if text else ""
    if len(first) <= most:
        return first
    cut = first[: most - 4].rsplit(" ", 1)[0]
    if cut.count("`") % 2:  # never inside of what is quoted
        cut = cut[: cut.rindex("`")].rstrip()
    return cut + " ..."


def _resumes(block: Sequence[ast.stmt]) -> list[str]:
    return [
        node.id
        for statement in block
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and node.id.startswith("__resume_at_")
    ]


class _Tree:
    """Writes a tree into `lines`; `hints`: those of breaks that were shown."""

    def __init__(self, lines: list[str], hints: set[str]) -> None:
        self.lines = lines
        self.hints = hints
        self.shown: set[int] = set()  # ids of frames

    def entries(self, frame: Frame, title: str, first: str, rest: str, why: str = "not compiled") -> None:
        """A function or resume function: its compilations."""
        lines = self.lines
        if id(frame) in self.shown:
            lines.append(f"{first}{title} (shown above)")
            return
        self.shown.add(id(frame))
        if not frame.entries:
            lines.append(f"{first}{title} ── {frame.skipped or why}")
            return
        if len(frame.entries) == 1:
            self._one(frame, frame.entries[0], f"{first}{title} ── ", rest)
        else:
            self._several(frame, title, first, rest)
        lines += [rest + "   " + refusal_words(one) for one in frame.refusals]

    def _several(self, frame: Frame, title: str, first: str, rest: str) -> None:
        number = count(len(frame.entries), "compilation")
        dropped = any(_gone(one) for one in frame.entries)
        used = "of those that are there, the first whose" if dropped else "the first whose"
        self.lines.append(f"{first}{title} ── {number}, {used} guard holds is used")
        for at, entry in enumerate(frame.entries):
            last = at == len(frame.entries) - 1
            head = rest + ("   └─ " if last else "   ├─ ") + entry.compile_id + _gone(entry) + " ── "
            self._one(frame, entry, head, rest + ("      " if last else "   │  "))

    def _one(self, frame: Frame, entry: CacheEntry, head: str, rest: str) -> None:
        self.lines.append(head + (";  ".join([_graph_words(one) for one in entry.graphs]) or "no graph"))
        self.lines += [f"{rest}   {words}" for graph in entry.graphs for words in graph.effects]
        self.lines += [rest + "   " + words for words in recompile_words(entry)]
        resumes = entry.resume_functions
        for one in entry.breaks:
            self.lines.append("{}   {}  {}".format(rest, "│" if resumes else " ", break_words(one, self.hints)))
            self.hints.update(one.hints[:1])
        if entry.cuts:
            parts = count(len(entry.cuts), "part")
            self.lines.append("{}   {}  the backend cut it into {}: {}".format(
                rest, "│" if resumes else " ", parts, "; ".join(dict.fromkeys(entry.cuts))))
        arms = branches(fold(entry.transformed.source).source) if resumes else {}
        inner: list[str] = []  # nested breaks: functions which continue in one resume function, the innermost first
        ordered = all(resume.name.startswith("__resume_at_") for resume in resumes)  # as the code hands them on
        for at, resume in enumerate(resumes):
            last = at == len(resumes) - 1
            if ordered and resume.function and resume.frame is None and not last:
                inner.append(f"in {resume.function} at line {resume_line(frame, resume)}, then ")
                continue
            title = _resume_title(resume_line(frame, resume), resume, arms.get(resume.name, resume.branch), inner)
            inner = []
            first = rest + ("   └─ " if last else "   ├─ ")
            below = rest + ("      " if last else "   │  ")
            if resume.frame is None:
                self.lines.append(f"{first}{title} ── {why_not_compiled(resume, entry)}")
            else:
                self.entries(resume.frame, title, first, below, why_not_compiled(resume, entry))


def _gone(entry: CacheEntry) -> str:
    if entry.gone or not entry.dropped:
        return f" ({entry.gone})" if entry.gone else ""
    return " (dropped: an object that its guards name is gone)"


def _resume_title(line: int, resume: ResumeFunction, arm: str, inner: Sequence[str] = ()) -> str:
    where = f"at line {line}" if line else "in " + resume.name
    if resume.function:
        where = f"in {resume.function} {where}"
    where = "resume {}{}".format("".join(inner), where)
    return f"{arm:<6} {where}" if arm else where


def _graph_words(graph: Graph) -> str:
    return "graph {}: {}".format(graph.name.rsplit("_", 1)[-1], operations_of(graph))


def operations_of(graph: Graph) -> str:
    """``abs, add, truediv``: what a graph does, the first dozen operations."""
    operations = [_operation(node) for node in graph.calls]
    shown = ", ".join(operations[:_MOST_OPERATIONS])
    if len(operations) > _MOST_OPERATIONS:
        shown += f", and {len(operations) - _MOST_OPERATIONS} more"
    if not operations:
        shown = "no operations" if not graph.unavailable else "not at hand"
    return shown


def _operation(node: Node) -> str:
    return node.target.rsplit(".", 1)[-1]
