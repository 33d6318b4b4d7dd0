"""The pane of the kernels: their sources and their calls, out of the modules which Inductor generated."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from typing import Iterable

from ....decompiler.proof.compile_worker import syntax_tree
from ...model import Graph, Kernel
from ...names import file_name
from .places import LineNumbers
from .rows import Row

__all__ = ["kernel_rows", "lines_of", "linked_lines"]

_NONE: frozenset[int] = frozenset()
_AROUND = 2  # lines around a call
_BEGINS = re.compile(r"^(?:extern \"C\"|void |def )")  # behind includes, imports and what the kernel is compiled with
_CALLED = re.compile(r"[A-Za-z_][\w.]*(?=\()")


def kernel_rows(graph: Graph, places: LineNumbers) -> list[Row]:
    """The rows for one graph: forward, then backward."""
    through = _through(graph, places)
    rows = [row for kernel in graph.kernels for row in _module(kernel, places)]
    return [replace(row, through=frozenset().union(*(through.get(line, _NONE) for line in row.lines))) if row.lines
            else row for row in rows]  # fmt: skip


def _through(graph: Graph, places: LineNumbers) -> dict[int, frozenset[int]]:
    """By line: the calls that led to it each time. torch names a kernel's lines, and not the calls."""
    found: dict[int, frozenset[int]] = {}
    for node in graph.calls:
        if node.user_line is not None:
            line, callers = places.number(node.user_line), places.numbers(node.callers)
            found[line] = found.get(line, callers) & callers
    return found


def lines_of(graph: Graph, places: LineNumbers) -> frozenset[int]:
    """The lines with operations in the graph."""
    return places.numbers(node.user_line for node in graph.calls)


def linked_lines(graphs: Iterable[Graph], places: LineNumbers) -> frozenset[int]:
    """The lines which torch names for a kernel."""
    return places.numbers(line.line for graph in graphs for kernel in graph.kernels for line in kernel.lines)


def _module(kernel: Kernel, places: LineNumbers) -> list[Row]:
    """The definitions of its kernels, and the part of `call` where they are called; all of it if no line is known."""
    by_name: dict[str, list[int]] = {}
    for one in kernel.lines:
        by_name.setdefault(one.kernel, []).extend(places.numbers([one.line]))
    lines_of = {name: frozenset(numbers) for name, numbers in by_name.items()}
    texts = kernel.source.splitlines()
    title = f"{kernel.direction}, {file_name(kernel.path) or kernel.name}"
    notes = [title + (", from Inductor's cache" if kernel.from_cache else "")]
    notes += [f"memory: {kernel.memory.words()}"] if kernel.memory is not None else []
    rows = [Row(note, is_note=True) for note in notes]
    definitions = [(start, end, lines_of.get(name, _NONE)) for name, start, end in _definitions(kernel.source)]
    for start, end, lines in definitions:
        begins = next((at for at in range(start + 1, end) if _BEGINS.search(texts[at])), start)
        rows += [Row(texts[at], lines, number=at + 1, is_main=at == begins) for at in range(start, end)]
    inside = {at for start, end, _ in definitions for at in range(start, end)}
    calls = [(at, _called(text, lines_of)) for at, text in enumerate(texts) if at not in inside]
    found = [at for at, lines in calls if lines is not None]
    if found:
        first, last = max(0, found[0] - _AROUND), found[-1] + _AROUND
        rows += _called_rows(kernel, [(at, lines) for at, lines in calls if first <= at <= last])
    if not definitions and not found:
        rows += [Row(text, number=at) for at, text in enumerate(texts, 1)]
    return rows


def _called_rows(kernel: Kernel, calls: list[tuple[int, frozenset[int] | None]]) -> list[Row]:
    """The rows of `call`, each call of a kernel with what it costs."""
    texts, costs = kernel.source.splitlines(), {call.place: call.words() for call in kernel.calls}
    rows = []
    for at, lines in calls:
        rows.append(Row(texts[at], lines or _NONE, number=at + 1))
        rows += [Row(costs[at + 1], lines or _NONE, is_note=True)] if costs.get(at + 1) else []
    return rows


def _called(text: str, lines_of: dict[str, frozenset[int]]) -> frozenset[int] | None:
    """The source lines of the kernel that is called here; None where none is."""
    for match in _CALLED.finditer(text):
        name = match.group()
        name = name[:-4] if name.endswith(".run") else name
        if name in lines_of:
            return lines_of[name]
    return None


def _definitions(source: str) -> list[tuple[str, int, int]]:
    """What the module assigns at its top level in several lines: name, index of its first line, and past its last."""
    try:
        tree = syntax_tree(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return [
        (node.targets[0].id, node.lineno - 1, node.end_lineno)
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        and node.end_lineno is not None and node.end_lineno > node.lineno
    ]  # fmt: skip
