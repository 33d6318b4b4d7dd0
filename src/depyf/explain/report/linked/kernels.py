"""The pane of the kernels: their sources and their calls, out of the modules which Inductor generated."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from typing import Iterable

from ....decompiler.proof.compile_worker import syntax_tree
from ...kernel_costs import bytes_words, time_words
from ...kernels.memory_text import MOST_OWNERS, largest_owners, memory_words
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
    rows = [Row(title + (", from Inductor's cache" if kernel.from_cache else ""), is_note=True)]
    if kernel.memory is not None and kernel.memory.peak:
        rows += [Row(words, is_note=True) for words in ("memory: " + memory_words(kernel.memory)).split("; ")]
        owners = [[one] for one in kernel.memory.owners[:MOST_OWNERS]] + [kernel.memory.owners[MOST_OWNERS:]]
        rows += [Row("    " + row, places.numbers(one.line for one in alike), is_note=True)
                 for alike, row in zip(owners, largest_owners(kernel.memory))]  # fmt: skip
    definitions = [(start, end, lines_of.get(name, _NONE)) for name, start, end in _definitions(kernel.source)]
    for start, end, lines in definitions:
        begins = next((at for at in range(start + 1, end) if _BEGINS.search(texts[at])), start)
        rows += [Row(texts[at], lines, number=at + 1, is_main=at == begins) for at in range(start, end)]
    inside = {at for start, end, _ in definitions for at in range(start, end)}
    calls = [(at, _called(text, lines_of)) for at, text in enumerate(texts) if at not in inside]
    found = [at for at, name in calls if name]
    costs = _Costs(kernel)
    if found:
        first, last = max(0, found[0] - _AROUND), found[-1] + _AROUND
        for at, name in calls:
            if first <= at <= last:
                rows.append(Row(texts[at], lines_of.get(name, _NONE), number=at + 1))
                words = costs.of_call(name, at + 1) if name else ""
                rows += [Row(words, lines_of[name], is_note=True)] if words else []
    if not definitions and not found:
        rows += [Row(text, number=at) for at, text in enumerate(texts, 1)]
    return rows


def _called(text: str, lines_of: dict[str, frozenset[int]]) -> str:
    """The kernel with lines that is called here; "" where none is."""
    for match in _CALLED.finditer(text):
        name = match.group()
        name = name[:-4] if name.endswith(".run") else name
        if name in lines_of:
            return name
    return ""


class _Costs:
    """What the calls of a module's kernels cost, asked for in order."""

    def __init__(self, kernel: Kernel) -> None:
        self._peak = kernel.memory.peak if kernel.memory is not None else 0
        self._steps = list(kernel.memory.steps) if kernel.memory is not None else []
        self._times = {one.place: one for one in kernel.times}

    def of_call(self, name: str, place: int) -> str:
        """``the peak: 87.5 KiB live while it runs, 24.0 KiB after it; 3 calls, 36 us, 12 us each``."""
        words = []
        at = next((at for at, step in enumerate(self._steps) if step.kernel == name), None)
        if at is not None:
            step = self._steps[at]
            del self._steps[: at + 1]
            peak = "the peak: " if step.during == self._peak else ""
            words.append(f"{peak}{bytes_words(step.during)} live while it runs, {bytes_words(step.after)} after it")
        time = self._times.get(place)
        if time is not None and time.calls:
            words.append(time_words(time.calls, time.seconds))
        return "; ".join(words)


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
