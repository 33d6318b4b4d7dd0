"""A long graph in a table: the lines of the program it covers, module by module, layers that are alike once."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Sequence

from ...model import Graph, Node, SourceLine
from ..tree import count
from .repeats import FEW, Run, runs

__all__ = ["graph_summary", "kernel_legend", "neighbours_together", "shorter"]

_MOST_ROWS = 60
_LAYER = 5  # rows: two runs of so many are two layers
_TEXT = 56
_MOST_TOGETHER = 4  # operations in a row with those of a module's own modules
_NUMBER = re.compile(r"\d+")
_CHANGED = re.compile(r"(?P<at>[+-] +(?:\S+ +)?\S+:)(?P<line>\d+)(?P<code> +.*? {2,})(?P<done>[\w.]+(?:, [\w.]+)*)$")
_NEAR = 2  # lines


@dataclass
class _Row:
    """Operations in a row of one line, in one module."""

    module: str
    line: SourceLine | None
    operations: list[str] = field(default_factory=list)

    @property
    def place(self) -> str:
        return "" if self.line is None else self.line.place

    @property
    def pattern(self) -> str:
        """What it has in common with the same line of another layer."""
        return "{}|{}|{}".format(_NUMBER.sub("#", self.module), self.place, ",".join(self.operations))


def graph_summary(graph: Graph) -> list[str]:
    """The table's lines, with the kernels of each line of the program, by the numbers of `kernel_legend`."""
    rows = _rows(graph.nodes)
    numbers = _kernel_numbers(graph)
    inputs = count(len(graph.placeholders), "input")
    results = count(len(graph.results), "result")
    lines = ["{}, {}, {}.".format(count(len(graph.operations), "operation"), inputs, results)]
    at = 0
    found = [run for run in runs([row.pattern for row in rows], 2) if run.count >= FEW or run.period >= _LAYER]
    table: list[tuple[str, str, str, str]] = []
    while at < len(rows):
        run = next((one for one in found if one.start == at), Run(at, 1, 1))
        members = rows[at : at + run.period]
        around = ""
        if run.count > 1:
            layers = [_around(rows[start : start + run.period]) for start in range(at, run.end, run.period)]
            around = layers[0]
            table.append(("", f"{run.count} times the same, {layers[0]} to {layers[-1]}:", "", ""))
        for row in members:
            kernels = numbers.get(row.place, "") if row.place else ""
            table.append((_inside(row.module, around), row.place, _text(row), _operations(row, kernels)))
        at = run.end
    left_out = max(0, len(table) - _MOST_ROWS)
    lines += _aligned(table[:_MOST_ROWS])
    if left_out:
        lines.append(f"  and {left_out} more")
    return lines


def neighbours_together(rows: Sequence[str]) -> list[str]:
    """What a graph has more, or less, than another: lines that follow each other in one file in one row."""
    found: list[list[re.Match[str]] | str] = []
    for row in rows:
        match, before = _CHANGED.match(row), found[-1] if found else ""
        if match is None:
            found.append(row)
        elif before and not isinstance(before, str) and _follows(before[-1], match):
            before.append(match)
        else:
            found.append([match])
    return [one if isinstance(one, str) else _in_one_row(one) for one in found]


def _follows(last: re.Match[str], match: re.Match[str]) -> bool:
    return match["at"] == last["at"] and 0 < int(match["line"]) - int(last["line"]) <= _NEAR


def _in_one_row(lines: list[re.Match[str]]) -> str:
    first, last = lines[0], lines[-1]
    if first is last:
        return first.group()
    start = f"{first['line']}-{last['line']}  {first['code'].strip()}"
    return "{}{:<{}}  {}".format(first["at"], start, len(first["line"] + first["code"]) - 2,
                                 ", ".join(one["done"] for one in lines))  # fmt: skip


def _aligned(table: list[tuple[str, str, str, str]]) -> list[str]:
    widths = [max([len(row[column]) for row in table if row[3]] or [0]) for column in range(3)]
    lines = []
    for module, place, text, operations in table:
        columns = "  ".join("{:<{}}".format(*pair) for pair in zip((module, place, text), widths))
        lines.append(f"  {columns}  {operations}" if operations else "  " + place)
    return lines


def kernel_legend(graph: Graph) -> list[str]:
    """``k0  cpp_fused_add_0``: every kernel that has lines, in order of the call, forward first."""
    lines = []
    for number, (kernel, name) in enumerate(_kernels(graph)):
        of = "" if kernel == "forward" else f"  ({kernel})"
        lines.append(f"  k{number:<3} {name}{of}")
    return lines


def _kernels(graph: Graph) -> list[tuple[str, str]]:
    """Direction and name of every kernel that has lines."""
    found: dict[tuple[str, str], None] = {}
    for kernel in graph.kernels:
        for line in kernel.lines:
            found.setdefault((kernel.direction, line.kernel))
    return list(found)


def _kernel_numbers(graph: Graph) -> dict[str, str]:
    """By the place of a line: ``k0 k3``."""
    number = {key: at for at, key in enumerate(_kernels(graph))}
    found: dict[str, dict[int, None]] = {}
    for kernel in graph.kernels:
        for line in kernel.lines:
            if line.line is not None:
                found.setdefault(line.line.place, {}).setdefault(number[kernel.direction, line.kernel])
    return {place: " ".join(f"k{one}" for one in sorted(numbers)) for place, numbers in found.items()}


def _rows(nodes: Sequence[Node]) -> list[_Row]:
    rows: list[_Row] = []
    for node in nodes:
        if not node.op.startswith("call_"):
            continue
        line = node.user_line
        last = rows[-1] if rows else None
        operation = node.target.rpartition(".")[2]
        is_same = last is not None and _key(last.line) == _key(line)
        if last is None or not is_same or (last.module != node.module and not _goes_on(last, node.module)):
            rows.append(_Row(node.module, line, [operation]))
            continue
        if _is_inside(last.module, node.module):  # ``self.norm(x + y)``: from its operand to the whole
            inner = last.module[len(node.module) + 1 :]
            last.module, last.operations = node.module, [f"{inner}.{name}" for name in last.operations]
        last.operations.append(f"{node.module[len(last.module) :]}.{operation}".lstrip("."))
    return rows


def _goes_on(row: _Row, module: str) -> bool:
    """Whether a row takes in an operation of another module: one of the two is in the other."""
    is_nested = _is_inside(module, row.module) or _is_inside(row.module, module)
    return is_nested and len(row.operations) < _MOST_TOGETHER


def _is_inside(module: str, outer: str) -> bool:
    return bool(outer) and module.startswith(outer + ".")


def _key(line: SourceLine | None) -> tuple[str, int]:
    return ("", 0) if line is None else (line.filename, line.line)


def _around(rows: Sequence[_Row]) -> str:
    """The innermost module that all of the rows are in."""
    first, *others = [row.module.split(".") for row in rows if row.module] or [[]]
    shared = 0
    while shared < len(first) and all(other[shared : shared + 1] == [first[shared]] for other in others):
        shared += 1
    return ".".join(first[:shared])


def _inside(module: str, around: str) -> str:
    if around and (module + ".").startswith(around + "."):
        return "  " + module[len(around) :].lstrip(".")
    return module


def _text(row: _Row) -> str:
    return shorter(row.line.text) if row.line is not None else ""


def shorter(text: str) -> str:
    """A line of the program, cut at its end if it is long."""
    return text if len(text) <= _TEXT else text[: _TEXT - 3] + "..."


def _operations(row: _Row, kernels: str) -> str:
    names: dict[str, int] = {}
    for name in row.operations:
        names[name] = names.get(name, 0) + 1
    words = ", ".join(name if times == 1 else f"{times} {name}" for name, times in names.items())
    return words + ("  -> " + kernels if kernels else "")
