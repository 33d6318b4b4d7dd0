"""The compilations of a recording in order, each by what is said of it: what the ranks of a job are compared by."""

from __future__ import annotations

import re
from typing import Any, Iterator

from ...model import CacheEntry, Frame, Graph, Session
from ..page.guard_text import alike_once
from ..why import one_line
from .findings import changes_words
from .made import is_of_program, operation
from .remark import Files, of_program

__all__ = ["steps_of"]

_COLLECTIVE = re.compile(
    r"^(?:all_reduce|all_gather|reduce_scatter|all_to_all|broadcast|permute_tensor|reduce|gather|scatter|barrier)"
    r"(?:_\w+)?$"
)
_MODULE = re.compile(r"(?:^|[._])(?:c10d|distributed|_?c10d_functional)")


def steps_of(session: Session) -> list[dict[str, Any]]:
    """A row for each compilation: its id, its collectives in order, and what is said: kind, file, line, words.

    What explains most comes first: why it was compiled again, guards, breaks, graphs.
    """
    files = Files(session)
    started = {one.compile_id: one.start for one in session.times if one.function}
    entries = [(frame, entry) for frame in session.frames for entry in frame.entries]
    entries.sort(key=lambda pair: started.get(pair[1].compile_id, float("inf")))
    return [
        {
            "compile_id": entry.compile_id, "function": of_program(frame.title),
            "collectives": [name for graph in entry.graphs for name in _collectives(graph)],
            "said": [list(said) for said in _said(frame, entry, files)],
        }
        for frame, entry in entries
    ]  # fmt: skip


def _said(frame: Frame, entry: CacheEntry, files: Files) -> Iterator[tuple[str, str, int, str]]:
    for why in entry.recompiled:
        line = files.of_program(why.user_line)
        place = (frame.filename, frame.first_line) if line is None else (line.filename, line.line)
        yield ("recompile", *place, changes_words([why]))
    guards: dict[tuple[str, int], list[Any]] = {}
    for guard in entry.guards:
        line = files.of_program(guard.user_line) if is_of_program(guard) else None
        if line is not None:
            guards.setdefault((line.filename, line.line), []).append(guard)
    for place, found in guards.items():
        yield ("guard", *place, "; ".join(one_line(words) for words, _ in alike_once(found) if words))
    for one in entry.breaks:
        if one.location is not None:
            yield "break", one.location.filename, one.location.line, one_line(one.reason)
    operations: dict[tuple[str, int], list[str]] = {}
    for graph in entry.graphs:
        for node in graph.calls:
            if node.user_line is not None:
                operations.setdefault((node.user_line.filename, node.user_line.line), []).append(operation(node))
    for place, names in operations.items():
        yield ("graph", *place, ", ".join(names))


def _collectives(graph: Graph) -> Iterator[str]:
    for node in graph.calls:
        names = node.target.replace("::", ".").split(".")
        found = next((name for name in reversed(names) if _COLLECTIVE.match(name)), "")
        if found and _MODULE.search(node.target):
            yield found
