"""The compilations of a recording, each as four texts that are linked by the lines of the program."""

from __future__ import annotations

import linecache
import re
import textwrap
from itertools import groupby
from typing import Iterable, Iterator, Sequence

from ...frames.resume_points import resume_line
from ...model import CacheEntry, Frame, Graph, Session, SourceLine
from ...names import file_name
from ..page.guard_text import difference
from ..page.sections import folded_code
from ..tree import count
from ..why import recompile_words
from .drawing import drawing
from .kernels import kernel_rows, lines_of, linked_lines
from .places import LineNumbers
from .rows import Compilation, Pane, Row, shortened

__all__ = ["compilations"]

_MOST = {"source": 400, "transformed": 150, "graphs": 250, "kernels": 500}
"""Rows of a pane."""
_WHOLE = 200  # lines: a longer function is shown around the lines that took part
_AROUND = 2
_NONE: frozenset[int] = frozenset()
_LONGEST = 110  # characters of a signature
_ASSIGNED = re.compile(r"^\s+(\w+)\b[^=]*=[^=]")
_NAME = re.compile(r"\b__(?:compiled_fn|resume_at)_\w+")
_INPUT = re.compile(r"^\s+# \w+: ")
_PLACE_AND_CODE = re.compile(r"\s{2,}\S+:\d+  \S.*$")


def compilations(session: Session) -> Iterator[Compilation]:
    """Every compilation, in order of functions: those of a function, then those of what is left of it after a break."""
    for top in session.top_level():
        for frame in top.walk():
            for entry in frame.entries:
                yield _compilation(top, frame, entry)


def _compilation(top: Frame, frame: Frame, entry: CacheEntry) -> Compilation:
    places = LineNumbers()
    for line in _function_lines(top):
        places.number(line)
    graphs = list({graph.name: graph for graph in entry.graphs}.values())
    made = Pane("transformed", _transformed(frame, entry, graphs, places))
    captured = Pane("graphs", [row for graph in graphs for row in _graph(graph, places)])
    kernels = Pane("kernels", [row for graph in graphs for row in kernel_rows(graph, places)])
    took_part = frozenset().union(*(row.lines | row.through for pane in (made, captured, kernels) for row in pane.rows))
    panes = [Pane("source", _source(top, places, took_part)), made, captured, kernels]
    for pane in panes[1:]:
        pane.rows = shortened(pane.rows, _MOST[pane.name], "and {} more lines".format)
    computing = frozenset().union(*(lines_of(graph, places) for graph in graphs if graph.kernels))
    rest_from = frame.first_line if frame is not top else 0
    drawn = {graph.name: drawing(graph, places) for graph in graphs}
    return Compilation(
        top.title, entry.compile_id or str(entry.index), rest_from, places.found, panes, len(computing),
        len(computing & linked_lines(graphs, places)), {name: one for name, one in drawn.items() if one is not None},
        recompile_words(entry), difference(entry, frame),
    )  # fmt: skip


def _function_lines(top: Frame) -> Iterator[SourceLine]:
    for number, text in enumerate(top.source.splitlines(), top.first_line):
        yield SourceLine(top.filename, number, text)


# ---- the source


def _source(top: Frame, places: LineNumbers, took_part: frozenset[int]) -> list[Row]:
    """The function, then the lines of others that were traced from it."""
    by_file: dict[str, dict[int, tuple[int, str]]] = {}
    for number, place in enumerate(places.found):
        if number in took_part or place.filename == top.filename:
            by_file.setdefault(place.filename, {})[place.line] = (number, place.text)
    rows: list[Row] = []
    own = range(top.first_line, top.first_line + len(top.source.splitlines()))
    for file, found in by_file.items():
        inside = {line: one for line, one in found.items() if file == top.filename and line in own}
        outside = {line: one for line, one in found.items() if line not in inside and one[0] in took_part}
        if inside:
            rows.append(Row(f"{file_name(file)}:{top.first_line}", is_note=True))
            rows += _listed(inside, inside if len(inside) <= _WHOLE else _near(inside, took_part), took_part)
        if outside:
            texts = dict(enumerate((text.rstrip("\n") for text in linecache.getlines(file)), 1))
            rows.append(Row(f"{file_name(file)}, traced from it", is_note=True))
            around = {line: (-1, texts[line]) for at in outside for line in range(at - _AROUND, at + _AROUND + 1)
                      if line in texts}  # fmt: skip
            rows += _listed({**around, **{line: (one[0], texts.get(line, one[1])) for line, one in outside.items()}},
                            sorted({*around, *outside}), took_part)  # fmt: skip
    return rows


def _near(lines: dict[int, tuple[int, str]], took_part: frozenset[int]) -> list[int]:
    wanted = [line for line, (number, _) in lines.items() if number in took_part]
    near = {at for line in wanted for at in range(line - _AROUND, line + _AROUND + 1)}
    return sorted(line for line in lines if line in near) or sorted(lines)[:_WHOLE]


def _listed(lines: dict[int, tuple[int, str]], shown: Iterable[int], took_part: frozenset[int]) -> list[Row]:
    rows: list[Row] = []
    for _, run in groupby(enumerate(shown), lambda pair: pair[1] - pair[0]):
        part = [line for _, line in run]
        texts = textwrap.dedent("\n".join(lines[line][1] for line in part)).split("\n")
        rows += [Row("...", is_note=True)] * bool(rows)
        rows += [Row(text, frozenset([lines[line][0]]) & took_part, number=line) for line, text in zip(part, texts)]
    return rows


# ---- what Dynamo made of it


def _transformed(frame: Frame, entry: CacheEntry, graphs: Sequence[Graph], places: LineNumbers) -> list[Row]:
    """Each line with the lines of the graphs that it calls, and with the line where a resume function resumes."""
    one = entry.transformed
    if not one.source:
        return [Row("no source is proven for it: " + ("; ".join(one.reasons) or one.verdict), is_note=True)]
    known = {graph.name: lines_of(graph, places) for graph in graphs}
    through = {graph.name: _calls_in(graph, places) for graph in graphs}
    for resume in entry.resume_functions:
        line = resume_line(frame, resume)
        if line and not resume.function:
            known[resume.name] = places.numbers([SourceLine(frame.filename, line)])
    rows = []
    for at, text in enumerate(folded_code(entry).source.rstrip("\n").splitlines(), 1):
        names = [name for name in _NAME.findall(text) if name in known]
        lines, calls = ([found[name] for name in names if name in found] for found in (known, through))
        rows.append(Row(text, frozenset().union(*lines), frozenset().union(*calls), at, is_main=bool(lines)))
    return rows


def _calls_in(graph: Graph, places: LineNumbers) -> frozenset[int]:
    return places.numbers(line for node in graph.calls for line in node.callers)


# ---- the graphs


def _graph(graph: Graph, places: LineNumbers) -> list[Row]:
    """Each node's line with the line of the program that torch names for the node."""
    title = "{}, {}".format(graph.name, count(len(graph.operations), "operation"))
    rows = [Row(title + (", " + graph.backend if graph.backend else ""), is_note=True)]
    if not graph.source:
        return [*rows, Row(graph.unavailable or "not recorded", is_note=True)]
    by_name = {node.name: node for node in graph.nodes}
    for at, text in enumerate(graph.source.rstrip("\n").splitlines(), 1):
        if _INPUT.match(text):
            continue  # a graph of a model has hundreds
        match = _ASSIGNED.match(text)
        node = by_name.get(match[1]) if match is not None else None
        lines, through = (
            (places.numbers(found) for found in ([node.user_line], node.callers)) if node else (_NONE, _NONE)
        )
        text = _PLACE_AND_CODE.sub("", text)
        if at == 1 and len(text) > _LONGEST:
            text = "{}(...):  # {}".format(text.partition("(")[0], count(len(graph.placeholders), "input"))
        rows.append(Row(text, lines, through, at))
    return rows
