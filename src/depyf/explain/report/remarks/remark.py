"""What the compiler did at one line of the program, from the model of a recording."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field, replace
from typing import Iterable, Iterator, Sequence

from ...frames.refusals import has_nothing_in_it, is_of_libraries
from ...frames.resume_points import is_resume_name
from ...model import CacheEntry, Frame, Graph, GraphBreak, Guard, Node, RecompileReason, Session, SourceLine
from ..page.guard_text import alike_once
from ..why import cuda_graph_words, found_words, one_line, owners_of_graphs, part_of_tensor

__all__ = [
    "COST",
    "FINDINGS",
    "KINDS",
    "Files",
    "Remark",
    "asked_line",
    "changes_words",
    "end_of_name",
    "in_order",
    "is_of_program",
    "of_program",
    "operation",
    "remarks_of",
]

KINDS = ("break", "recompile", "uncompiled", "graph", "kernel", "guard")
"""The words for what happened at a line, in the order in which they are there."""

COST = "cost"
"""What compiling took: the last at a line. No part of `KINDS`, as it differs in every run."""

FINDINGS = ("uncompiled", "break", "recompile")
"""What somebody may want to change, worst first. Graphs, kernels and guards are none."""

_TENSOR = re.compile(r"tensor '(?P<name>.+?)' [a-z_ ]+ mismatch\b")
_SIZE = re.compile(r"tensor '(?P<name>.+?)' size mismatch at index (?P<index>\d+)\. expected \S+, actual \S+")
_NUMBER = re.compile(r"(?:\d+/)?\d+$")  # of a graph; in a log the compile id
_RESUME = re.compile(r"torch_dynamo_resume_in_(\w+?)_at_\d+")
_MOST_GUARDS = 3  # shown of a line
_KEPT = re.compile(r"___stack\d+\.?(.*)")
_OF_DYNAMO = "___stack"  # values on the stack when a function was resumed


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
        follows: whether it comes of another remark of this kind: the rest of a function that was compiled again.
        text: the line itself, as it was when it was compiled.
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

    @property
    def said(self) -> str:
        """The words, with the number of a graph break."""
        return self.words + ("  " + self.gb_id if self.gb_id else "")

    @property
    def is_finding(self) -> bool:
        """Whether it is one of `FINDINGS`, and no other remark is its cause."""
        return self.kind in FINDINGS and not self.follows


def remarks_of(session: Session) -> list[Remark]:
    """All remarks but those on costs, in order."""
    return in_order(replace(one, function=of_program(one.function)) for one in _all(session))


def in_order(remarks: Iterable[Remark]) -> list[Remark]:
    """By file, line and kind."""
    order = {kind: at for at, kind in enumerate((*KINDS, COST))}
    return sorted(remarks, key=lambda one: (one.file, one.line, order[one.kind]))


def _all(session: Session) -> list[Remark]:
    files = Files(session)
    return [*_breaks(session), *_recompiles(session, files), *_uncompiled(session), *_graphs(session),
            *_guards(session, files)]  # fmt: skip


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


# ---- breaks


def _breaks(session: Session) -> Iterator[Remark]:
    groups: dict[tuple[object, ...], list[GraphBreak]] = {}
    for one in session.all_breaks():
        if one.location is not None:
            groups.setdefault((one.location.filename, one.location.line, one.gb_id, one.reason), []).append(one)
    for alike in groups.values():
        first = alike[0]
        assert first.location is not None
        hints = list(dict.fromkeys(one_line(hint) for one in alike for hint in one.hints))
        yield Remark(
            first.location.filename, first.location.line, "break", one_line(first.reason), first.location.function,
            hints=hints, gb_id=first.gb_id, link=first.link, text=first.location.text,
            compilations=_distinct(one.compile_id for one in alike),
        )  # fmt: skip


# ---- compilations after the first


def _recompiles(session: Session, files: Files) -> Iterator[Remark]:
    groups: dict[tuple[str, int, str, str], list[tuple[Frame, CacheEntry, RecompileReason]]] = {}
    for frame in session.frames:
        for entry in frame.entries:
            for why in entry.recompiled:
                key = (frame.filename, frame.first_line, frame.name, _subject(why) or why.words)
                groups.setdefault(key, []).append((frame, entry, why))
    of_functions = {(why.expected, why.actual) for parts in groups.values() for frame, _, why in parts
                    if not frame.is_resume}  # fmt: skip
    for parts in groups.values():
        frame, _, why = parts[0]
        lines = [one.user_line or asked_line(frame, one) for _, _, one in parts]
        known = next(filter(None, map(files.of_program, lines)), None)
        place = known or SourceLine(frame.filename, frame.first_line)
        follows = frame.is_resume and (why.expected, why.actual) in of_functions
        remedy = next((one.remedy for _, _, one in parts if one.remedy), "")
        owner = f"{frame.title}: " if known is None and frame.called else ""  # at the first line, maybe of a wrapper
        yield Remark(
            place.filename, place.line, "recompile",
            owner + changes_words([one for _, _, one in parts], known is not None), frame.title,
            instead="" if follows else _remedy(why, remedy), text=place.text,
            compilations=_distinct(entry.compile_id for _, entry, _ in parts), follows=follows,
        )  # fmt: skip


def _subject(why: RecompileReason) -> str:
    """What changed: ``x.shape[0]``; "" if torch names no such thing."""
    return part_of_tensor(why) or (why.subject if why.expected else "")


def changes_words(reasons: Sequence[RecompileReason], placed: bool = False) -> str:
    """``x.shape[0] was 32, then 17``; torch's words where it does not tell what came. `placed`: without the line."""
    subject = _subject(reasons[0])
    if not subject or not all(one.actual for one in reasons):
        return one_line(found_words(reasons[0], placed))
    kept = _KEPT.fullmatch(subject)
    if kept is not None:
        subject = "a value from before the graph break" + (", its " + kept[1] if kept[1] else "")
    values = _distinct(value for one in reasons for value in (one.expected, one.actual))
    return "{} was {}, then {}".format(subject, values[0], ", ".join(values[1:]) or "the same")


def _remedy(why: RecompileReason, remedy: str) -> str:
    """What to do, with the tensor and the dimension where they are known."""
    size = _SIZE.fullmatch(why.words)
    if size is None or "mark_dynamic" not in remedy or not size["name"].isidentifier():
        return remedy
    call = "torch._dynamo.mark_dynamic({}, {})".format(size["name"], size["index"])
    return f"if it changes from call to call: {call} before the first, or torch.compile(dynamic=True)"


def asked_line(frame: Frame, why: RecompileReason) -> SourceLine | None:
    """The line for whose sake the compilation that did not fit checked this."""
    tensor = _TENSOR.match(why.words)
    name = tensor["name"] if tensor is not None else why.subject
    for entry in frame.entries:
        if entry.compile_id == why.compile_id:
            for guard in entry.guards:
                if name and guard.subject == name and guard.user_line is not None:
                    return guard.user_line
    return None


# ---- what is left to Python


def _uncompiled(session: Session) -> Iterator[Remark]:
    for one in session.refusals:
        if one.location is not None and not is_of_libraries(one.location.filename):
            words = f"{one.function}: {one_line(one.why.reason)}"
            words += "; " + one.consequence if one.consequence else ""
            yield Remark(
                one.location.filename, one.location.line, "uncompiled", words, one.function,
                hints=[one_line(hint) for hint in one.why.hints], gb_id=one.why.gb_id, link=one.why.link,
                compilations=[one.compile_id] if one.compile_id else [], text=one.location.text,
            )  # fmt: skip
    seen = set()
    for skip in session.skips:
        place = skip.location
        if place is None or is_resume_name(skip.function) or has_nothing_in_it(skip.reason):
            continue
        if not is_of_libraries(place.filename) and (place, skip.function, skip.reason) not in seen:
            seen.add((place, skip.function, skip.reason))
            words = f"{skip.function}: {one_line(skip.reason)}"
            yield Remark(place.filename, place.line, "uncompiled", words, skip.function, text=place.text)


# ---- graphs and kernels


def _graphs(session: Session) -> Iterator[Remark]:
    operations: dict[tuple[str, int], dict[str, list[str]]] = {}  # by line: by graph: its operations
    texts: dict[tuple[str, int], SourceLine] = {}
    titles: dict[str, str] = {}
    graphs: dict[str, Graph] = {}
    for frame in session.frames:
        for entry in frame.entries:
            for graph in entry.graphs:
                graphs.setdefault(graph.name, graph)
                titles.setdefault(graph.name, frame.title)
    for graph in graphs.values():
        for node in graph.calls:
            if node.user_line is not None:
                place = (node.user_line.filename, node.user_line.line)
                texts.setdefault(place, node.user_line)
                operations.setdefault(place, {}).setdefault(graph.name, []).append(operation(node))
    for (file, line), by_graph in operations.items():
        alike: dict[tuple[str, ...], list[str]] = {}  # the same operations in graphs of several compilations
        for name, names in by_graph.items():
            alike.setdefault(tuple(names), []).append(name)
        for kinds, owners in alike.items():
            which = "graph{} {}".format("s" * (len(owners) > 1), ", ".join([_number(owner) for owner in owners]))
            words = f"{which}: {_counted(kinds)}"
            yield Remark(file, line, "graph", words, titles[owners[0]], text=texts[file, line].text)
    yield from _kernels(graphs.values())
    yield from _cuda_graphs(session)


def _kernels(graphs: Iterable[Graph]) -> Iterator[Remark]:
    by_line: dict[tuple[str, int], dict[str, None]] = {}
    texts: dict[tuple[str, int], str] = {}
    for graph in graphs:
        for kernel in graph.kernels:
            for one in kernel.lines:
                if one.line is not None:
                    place = (one.line.filename, one.line.line)
                    texts.setdefault(place, one.line.text)
                    direction = " (backward)" if kernel.direction == "backward" else ""
                    by_line.setdefault(place, {})[one.kernel + direction] = None
    for (file, line), names in by_line.items():
        yield Remark(file, line, "kernel", ", ".join(names), text=texts[file, line])


def _cuda_graphs(session: Session) -> Iterator[Remark]:
    """At the line which torch names, else where the function begins whose graph it is."""
    owners = owners_of_graphs(session)
    for one in session.cuda_graphs:
        frame = owners.get(one.graph)
        place = one.line
        if place is None and frame is not None:
            place = SourceLine(frame.filename, frame.first_line)
        if place is not None:
            direction = " (backward)" if one.direction == "backward" else ""
            words = f"graph {_number(one.graph)}{direction}: {one_line(cuda_graph_words(one, placed=True))}"
            yield Remark(place.filename, place.line, "kernel", words, frame.title if frame else "", text=place.text)


def _counted(names: Sequence[str]) -> str:
    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    return ", ".join(f"{name} {number}x" if number > 1 else name for name, number in counts.items())


def operation(node: Node) -> str:
    """What is called: ``relu``, not the name of the result."""
    return node.target if node.op == "call_module" else node.target.rpartition(".")[2] or node.name


def _number(graph: str) -> str:
    found = _NUMBER.search(graph)
    return found[0] if found is not None else graph


# ---- guards


def _guards(session: Session, files: Files) -> Iterator[Remark]:
    by_line: dict[tuple[str, int], list[Guard]] = {}
    texts: dict[tuple[str, int], SourceLine] = {}
    titles: dict[tuple[str, int], str] = {}
    for frame in session.frames:
        for entry in frame.entries:
            for guard in entry.guards:
                line = files.of_program(guard.user_line) if is_of_program(guard) else None
                if line is not None:
                    place = (line.filename, line.line)
                    by_line.setdefault(place, []).append(guard)
                    texts.setdefault(place, line)
                    titles.setdefault(place, frame.title)
    for place, found in by_line.items():
        words = _distinct(one_line(words) for words, _ in alike_once([one for one in found if one.words]))
        more = [f"and {len(words) - _MOST_GUARDS} more"] if len(words) > _MOST_GUARDS else []
        if words:
            shown = "; ".join(words[:_MOST_GUARDS] + more)
            yield Remark(*place, "guard", shown, titles[place], text=texts[place].text)


def is_of_program(guard: Guard) -> bool:
    """Whether a guard checks something of the program's, and no value on the stack of a function that was resumed."""
    return not guard.is_bookkeeping and _OF_DYNAMO not in guard.words


def of_program(function: str) -> str:
    """The function of the program, for a resume function that of which it is the rest."""
    return _RESUME.sub(r"\1", function)


def _distinct(items: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(item for item in items if item))
