"""What was made of a line: its operations in graphs, its kernels, its memory, the guards that it asked for."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Iterable, Iterator, Sequence

from ....owners import package_of
from ...kernel_costs import Memory, bytes_words
from ...model import Graph, Guard, Node, Session, SourceLine
from ..page.guard_text import alike_once
from ..why import cuda_graph_words, one_line, owners_of_graphs
from .findings import findings_of
from .remark import Files, Remark, distinct, in_order, of_program

__all__ = ["graph_number", "is_of_program", "operation", "remarks_of"]

_NUMBER = re.compile(r"(?:\d+/)?\d+$")  # of a graph; in a log the compile id
_MOST_GUARDS = 3  # shown of a line
_OF_DYNAMO = "___stack"  # values on the stack when a function was resumed


def remarks_of(session: Session) -> list[Remark]:
    """All remarks but those on costs, in order."""
    files = Files(session)
    found = [*findings_of(session, files), *_graphs(session), *_guards(session, files)]
    return in_order(replace(one, function=of_program(one.function), package=package_of(one.file)) for one in found)


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
            which = "graph{} {}".format("s" * (len(owners) > 1), ", ".join([graph_number(owner) for owner in owners]))
            words = f"{which}: {_counted(kinds)}"
            yield Remark(file, line, "graph", words, titles[owners[0]], text=texts[file, line].text)
    yield from _kernels(graphs.values())
    yield from _memory(graphs.values())
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


def _memory(graphs: Iterable[Graph]) -> Iterator[Remark]:
    """At the lines that own most at the peak of a graph."""
    for owner, kernel in ((graph.name, kernel) for graph in graphs for kernel in graph.kernels):
        direction = " (backward)" if kernel.direction == "backward" else ""
        memory = kernel.memory or Memory()
        for one in memory.largest:
            if one.line is not None:
                share = f"{bytes_words(one.bytes)} of {bytes_words(memory.peak)} at the peak"
                words = f"graph {graph_number(owner)}{direction}: {share}: {_counted(one.operations)}"
                yield Remark(one.line.filename, one.line.line, "memory", words, text=one.line.text)


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
            words = f"graph {graph_number(one.graph)}{direction}: {one_line(cuda_graph_words(one, placed=True))}"
            yield Remark(place.filename, place.line, "kernel", words, frame.title if frame else "", text=place.text)


def _counted(names: Sequence[str]) -> str:
    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    return ", ".join(f"{name} {number}x" if number > 1 else name for name, number in counts.items())


def operation(node: Node) -> str:
    """What is called: ``relu``, not the name of the result."""
    return node.target if node.op == "call_module" else node.target.rpartition(".")[2] or node.name


def graph_number(graph: str) -> str:
    """``1`` of ``__compiled_fn_1``."""
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
        words = distinct(one_line(words) for words, _ in alike_once([one for one in found if one.words]))
        more = [f"and {len(words) - _MOST_GUARDS} more"] if len(words) > _MOST_GUARDS else []
        if words:
            shown = "; ".join(words[:_MOST_GUARDS] + more)
            yield Remark(*place, "guard", shown, titles[place], text=texts[place].text)


def is_of_program(guard: Guard) -> bool:
    """Whether a guard checks something of the program's, and no value on the stack of a function that was resumed."""
    return not guard.is_bookkeeping and _OF_DYNAMO not in guard.words
