"""How long decompiled code of Dynamo is: statements of the same function with one torch and with another.

Counted are the statements of the text that runs, inner functions' included; not counted are the ``def`` line itself,
docstrings, ``global`` and ``nonlocal``, and the probes that newer versions of Dynamo put before each graph: what calls
``record_pregraph_bytecode_enter`` or ``..._exit``, asks ``_is_profiler_enabled``, or serves only these.
"""

from __future__ import annotations

import ast
import collections
import re
import statistics
from typing import Any, Dict, List, NamedTuple, Set, Tuple

PROBES = re.compile(r"record_pregraph_bytecode_(enter|exit)|_is_profiler_enabled")
RESUMED = re.compile(r"(?:torch_dynamo_)?resume_in_(.*?)(?:_at_(\d+))?")
OLD, NEW = (2, 2), (2, 9)


def statements(text: str, name: str = "") -> int:
    """The number of statements of the function ``name`` (default: the last one of the text) without probes."""
    functions = [
        node for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]
    named = [node for node in functions if node.name == name]
    return _count((named or functions)[0].body, _probe_names((named or functions)[0]))


def _mentions(node: ast.AST, names: Set[str]) -> bool:
    return any(
        (isinstance(part, ast.Attribute) and PROBES.fullmatch(part.attr) is not None)
        or (isinstance(part, ast.Name) and part.id in names)
        for part in ast.walk(node)
    )


def _probe_names(function: ast.AST) -> Set[str]:
    """Variables that hold what a probe gave, or a name or attribute that is read by probes alone."""
    assigned = [
        (node.targets[0].id, node)
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)
    ]
    names = {name for name, node in assigned if _mentions(node.value, set())}
    read_by: Dict[str, List[ast.stmt]] = collections.defaultdict(list)
    for statement in ast.walk(function):
        if isinstance(statement, ast.stmt) and statement is not function:
            for part in ast.walk(statement):
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
                    read_by[part.id].append(statement)
    for name, node in assigned:
        if isinstance(node.value, (ast.Name, ast.Attribute)) and read_by[name]:
            if all(_mentions(statement, names) for statement in read_by[name]):
                names.add(name)
    return names


def _count(body: List[ast.stmt], probes: Set[str]) -> int:
    total = 0
    for statement in body:
        if isinstance(statement, (ast.Global, ast.Nonlocal, ast.Pass)):
            continue
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue  # a docstring
        if isinstance(statement, ast.If) and _mentions(statement.test, probes):
            continue
        if isinstance(statement, (ast.Expr, ast.Assign, ast.Delete)) and _mentions(statement, probes):
            continue
        total += 1
        for field in ("body", "orelse", "finalbody"):
            total += _count(getattr(statement, field, []), probes)
        for handler in getattr(statement, "handlers", []):
            total += _count(handler.body, probes)
    return total


class Function(NamedTuple):
    """What one torch made of one function: ``key`` finds the same one with another torch."""

    key: Tuple[str, str, str, int]
    torch: Tuple[int, int]
    python: str
    label: str
    statements: int


def functions(rows: List[Dict[str, Any]]) -> List[Function]:
    """The transformed functions of ``rows`` that have text. Of one that was compiled several times, the first.

    A resume function is named for the function and the line where it goes on.
    """
    found: Dict[Tuple[Any, ...], Function] = {}
    for row in rows:
        if row["kind"] != "transformed" or row["statements"] is None:
            continue
        match = RESUMED.fullmatch(row["function"])
        line = int(match.group(2) or row["line"]) if match else row["line"]
        key = (row["program"], match.group(1) if match else row["function"], "resume" if match else "", line)
        torch = tuple(int(part) for part in row["torch"].split(".")[:2])
        function = Function(key, (torch[0], torch[1]), row["python"], row["label"], row["statements"])
        found.setdefault((key, torch, row["python"]), function)
    return list(found.values())


class Ratio(NamedTuple):
    """One function with a new torch and with the old one."""

    function: Function
    before: Function

    @property
    def value(self) -> float:
        return self.function.statements / max(1, self.before.statements)


def ratios(rows: List[Dict[str, Any]]) -> List[Ratio]:
    """Every function that has code with torch 2.2 and with 2.9 or later, once for each later torch."""
    every = functions(rows)
    before: Dict[Any, Function] = {}
    for function in every:
        if function.torch == OLD and (function.key not in before or function.python > before[function.key].python):
            before[function.key] = function
    return [Ratio(f, before[f.key]) for f in every if f.torch >= NEW and f.key in before]


def report(rows: List[Dict[str, Any]], longest: int = 10) -> str:
    """The medians, for each torch and for all, and the longest functions."""
    found = ratios(rows)
    if not found:
        return "statements: no function with code of both torch 2.2 and torch 2.9 or later"
    by_torch: Dict[str, List[float]] = collections.defaultdict(list)
    for ratio in found:
        by_torch[f"{ratio.function.torch[0]}.{ratio.function.torch[1]}/{ratio.function.python}"].append(ratio.value)
    parts = [f"{torch}: {statistics.median(values):.2f} ({len(values)})" for torch, values in sorted(by_torch.items())]
    median = statistics.median(ratio.value for ratio in found)
    above = sum(ratio.value > 1.5 for ratio in found)
    lines = [
        f"statements with torch 2.9 or later for each with torch 2.2, median of {len(found)} functions: {median:.2f}"
        f" ({above} above 1.5)",
        "  by torch/Python (functions): " + ", ".join(parts),
        f"  the {longest} longest:",
    ]
    by_length = sorted(found, key=lambda ratio: ratio.function.statements)
    of_each = {ratio.function.key: ratio for ratio in by_length}  # with the torch where it is longest
    for ratio in sorted(of_each.values(), key=lambda ratio: -ratio.function.statements)[:longest]:
        function = ratio.function
        lines.append(
            f"    {function.statements:4} statements, {ratio.before.statements:4} with torch 2.2: {function.label}"
        )
    return "\n".join(lines)
