"""What compiling a function cost: remarks on its first line; what kernels cost: at their lines; the file of both.

A file of its own, as the times differ in every run and the other remarks don't.
"""

from __future__ import annotations

import json
from typing import Any, Dict, Sequence

from ...compile_times import lost_words, seconds_words
from ...kernel_costs import KernelCall, median_of, time_words
from ...model import Frame, Session
from ...names import file_name
from ...received import read_json
from ..tree import count
from .made import graph_number
from .remark import COST, Remark, of_program

__all__ = ["cost_remarks", "costs_json", "costs_of", "read_costs", "times_of_kernels"]

FORMAT = 1
_Row = Dict[str, Any]
_ROW = {
    "compile_id": str, "function": str, "file": str, "line": int, "is_rest": bool,
    "direction": frozenset(["forward", "backward", "in calls"]), "dynamo": float, "aot": float, "backend": float,
    "kernels": float, "guards": float, "before_restart?": float, "restarts?": [str], "caches?": [str],
}  # fmt: skip

_KERNEL = {"kernel": str, "graph": str, "direction": frozenset(["forward", "backward"]), "calls": int, "seconds": float,
           "first": float, "median?": float, "lines": [(str, int)]}  # fmt: skip
_MOST_KERNELS = 4  # named at a line


def costs_of(session: Session) -> list[_Row]:
    """A row for each compilation whose function is known, in order.

    `torch._dynamo.reset()` gives compile ids once more: where two functions have had one, its times are left out.
    """
    owners: dict[str, dict[int, Frame]] = {}
    for frame in session.frames:
        for entry in frame.entries:
            owners.setdefault(entry.compile_id, {})[id(frame)] = frame
    rows = []
    for one in session.times:
        known = owners.get(one.compile_id, {})
        if len(known) == 1:
            (frame,) = known.values()
            rows.append({
                "compile_id": one.compile_id, "function": of_program(frame.title), "file": frame.filename,
                "line": frame.first_line, "is_rest": frame.is_resume,
                "direction": "in calls" if one.in_calls else "forward" if one.function else "backward",
                "dynamo": one.dynamo, "aot": one.aot, "backend": one.backend, "kernels": one.kernels,
                "guards": one.guards, "before_restart": one.before_restart,
                "restarts": list(one.restarts), "caches": list(one.caches),
            })  # fmt: skip
    return rows


def costs_json(session: Session) -> str:
    """The text of `compile_times.json`. Seconds, by torch's clocks; no part contains another."""
    kernels = times_of_kernels(session)
    data = {"format": FORMAT, "compilations": costs_of(session), **({"kernels": kernels} if kernels else {})}
    return json.dumps(data, indent=1) + "\n"


def times_of_kernels(session: Session) -> list[_Row]:
    """A row for each kernel that was timed, wherever its module calls it: how often it was called, all its lines."""
    graphs = {graph.name: graph for frame in session.frames for entry in frame.entries for graph in entry.graphs}
    rows = []
    for owner, module in ((name, kernel) for name, graph in graphs.items() for kernel in graph.kernels):
        timed: dict[str, list[KernelCall]] = {}
        for call in module.calls:
            timed.setdefault(call.kernel, []).extend([call] * bool(call.calls))
        for name, calls in timed.items():
            lines = {(one.line.filename, one.line.line) for one in module.lines if one.kernel == name and one.line}
            row = {"kernel": name, "graph": owner, "direction": module.direction,
                   "calls": sum(one.calls for one in calls), "seconds": sum(one.seconds for one in calls),
                   "first": sum(one.first for one in calls), "lines": sorted(map(list, lines))}  # fmt: skip
            median = median_of(calls)
            row.update({} if median is None else {"median": median})
            rows += [row] * bool(calls)
    return rows


def cost_remarks(rows: list[_Row], kernels: Sequence[_Row] = ()) -> list[Remark]:
    """What compiling cost, and what kernels cost."""
    return [*_of_compilations(rows), *_of_kernels(kernels)]


def _of_kernels(rows: Sequence[_Row]) -> list[Remark]:
    """At each line of a kernel all of its time, as nobody has measured a share; the longest of a line."""
    by_line: dict[tuple[str, int], list[_Row]] = {}
    for row in sorted(rows, key=lambda row: -float(row["seconds"])):
        for file, line in row["lines"]:
            by_line.setdefault((file, line), []).append(row)
    found = []
    for (file, line), alike in by_line.items():
        for row in alike[:_MOST_KERNELS]:
            others = [f"{file_name(of)}:{at}" if of != file else str(at)
                      for of, at in row["lines"] if (of, at) != (file, line)]  # fmt: skip
            shared = "" if not others else " (with {} {})".format("line" + "s" * (len(others) > 1), ", ".join(others))
            direction = " (backward)" if row["direction"] == "backward" else ""
            words = f"graph {graph_number(row['graph'])}{direction}: {row['kernel']}{shared}"
            words += ", " + time_words(row["calls"], row["seconds"], row["first"], row.get("median"))
            found.append(Remark(file, line, COST, words))
        if len(alike) > _MOST_KERNELS:
            found.append(Remark(file, line, COST, count(len(alike) - _MOST_KERNELS, "more kernel")))
    return found


def _of_compilations(rows: list[_Row]) -> list[Remark]:
    """One for each function: how often it was compiled, for how long, and how long its slowest guards take."""
    groups: dict[tuple[str, int, str], list[_Row]] = {}
    for row in rows:
        groups.setdefault((row["file"], row["line"], row["function"]), []).append(row)
    found = []
    for (file, line, function), parts in groups.items():
        times = [sum(row[name] for name in ("dynamo", "aot", "backend", "kernels")) for row in parts]
        words = "from here on, " * parts[0]["is_rest"] + f"compiled in {seconds_words(sum(times))}"
        if len(times) > 1:
            words += ": {}".format(", ".join(f"{_which(row)} {seconds_words(time)}" for row, time in zip(parts, times)))
        lost = lost_words(sum(row.get("before_restart") or 0.0 for row in parts),
                          [one for row in parts for one in row.get("restarts") or ()])  # fmt: skip
        told = [one for row in parts for one in row.get("caches") or () if not one.endswith(": miss")]
        words += "".join("; " + one for one in dict.fromkeys([lost, *told]) if one)
        guards = [row["guards"] for row in parts if row["guards"]]
        if guards:
            words += f"; guards {1e6 * max(guards):.0f} us"
        found.append(Remark(file, line, COST, words, function, compilations=list(dict.fromkeys(
            row["compile_id"] for row in parts))))  # fmt: skip
    return found


def _which(row: _Row) -> str:
    """``0/0``, ``0/0 backward``, ``0/0 in calls``."""
    return str(row["compile_id"]) + ("" if row["direction"] == "forward" else " " + str(row["direction"]))


def read_costs(path: str, inside: str) -> list[Remark]:
    """Those of a file, which must be below the folder `inside`; none before torch 2.4, or in a dump of an old depyf.

    Raises:
        ReportError: it can't be read.
    """
    try:
        data = read_json(path, FORMAT, {"compilations": [_ROW], "kernels?": [_KERNEL]}, inside)
        return cost_remarks(data["compilations"], data.get("kernels", []))
    except FileNotFoundError:
        return []


