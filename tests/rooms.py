"""Which module of the package imports which, read from the source; `python tests/rooms.py` draws it.

An import in a function counts like one at the top: it only hides the arrow. One under ``if TYPE_CHECKING`` does not,
as nothing is imported. The drawings are also in ARCHITECTURE.md, which `documentation/pages.py --write` brings up to
date.
"""

from __future__ import annotations

import ast
from pathlib import Path
from textwrap import wrap
from typing import Dict, Iterator, List, Set, Tuple

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src"

ROOMS = {
    "depyf.decompiler": (
        "passes", "limits", "bytecode", "syntax", "proof", "names", "flowgraph", "lift", "structure", "definitions",
        "layout", "surface_forms", "stack_machine", "events", "dispatch", "driver", "live",
    ),
    "depyf.explain": (
        "torch_facts", "for_reading", "dump", "transformed", "guards", "graphs", "kernels", "stepping", "frames",
        "from_trace", "report", "after_the_fact", "recording", "compat",
    ),
}  # fmt: skip
"""The rooms of each half from the bottom up: each imports only rooms before it. Beside them are loose modules: what
users import, above all rooms, and what several rooms share (`explain/model.py`)."""

Imports = Dict[str, Set[str]]
"""For each module, by its dotted name, the modules of the package that it imports. A package stands for its
``__init__.py``."""


def modules() -> Dict[str, Path]:
    """Every module of the package with its file."""
    found = {}
    for path in sorted((SOURCE / "depyf").rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        found[".".join(parts[:-1] if path.name == "__init__.py" else parts)] = path
    return found


def _statements(node: ast.AST, types_too: bool) -> Iterator[ast.stmt]:
    """All statements inside ``node``, those under ``if TYPE_CHECKING`` only with ``types_too``."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test) and not types_too:
            child = ast.Module(child.orelse, [])
        if isinstance(child, ast.stmt):
            yield child
        yield from _statements(child, types_too)


def imported(name: str, path: Path, *, types_too: bool = False) -> Iterator[Tuple[str, str]]:
    """What the module ``name`` imports: the module and the name in it, or the module and ''."""
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for node in _statements(ast.parse(path.read_text(encoding="utf-8")), types_too):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            yield from ((".".join([*base, *filter(None, [node.module])]), alias.name) for alias in node.names)


def imports() -> Imports:
    """The graph of the whole package."""
    known = modules()
    graph: Imports = {}
    for name, path in known.items():
        found = graph[name] = set()
        for module, inside in imported(name, path):
            target = f"{module}.{inside}" if f"{module}.{inside}" in known else module
            if target in known and target != name:
                found.add(target)
    return graph


def part_of(package: str, name: str) -> str:
    """The room or loose module of ``package`` that the module ``name`` is or is in; '' for the package itself."""
    return name[len(package) + 1 :].partition(".")[0] if name.startswith(f"{package}.") else ""


def between_parts(graph: Imports, package: str) -> Imports:
    """The graph of the rooms and loose modules of ``package``."""
    found: Imports = {}
    for name, targets in graph.items():
        part = part_of(package, name)
        if part:
            found.setdefault(part, set()).update({part_of(package, target) for target in targets} - {"", part})
    return found


def imported_by(graph: Imports, room: str) -> Set[str]:
    """What ``room``, the package of that name, imports: rooms of its half, and of its own room what is beside it."""
    parent, _, own = room.rpartition(".")
    half = ".".join(room.split(".")[:2])
    outside = part_of(half, room)
    found = set(between_parts(graph, parent)[own]) if parent else set()
    for name, targets in graph.items():
        if name == room or name.startswith(f"{room}."):
            found |= {part_of(half, target) for target in targets} - {"", outside}
    return found


def cycles(graph: Imports) -> List[List[str]]:
    """The modules that import each other in a circle: those from which both ways lead, in groups."""
    reached: Imports = {}
    for start in graph:
        seen: Set[str] = set()
        todo = [start]
        while todo:
            new = graph.get(todo.pop(), set()) - seen
            seen |= new
            todo += new
        reached[start] = seen
    groups = {
        tuple(sorted({start, *(other for other in reached[start] if start in reached[other])}))
        for start in graph
        if start in reached[start]
    }
    return sorted(map(list, groups))


def drawing(half: str) -> str:
    """The rooms of ``half`` from the top down, with their modules and what they import."""
    graph = imports()
    known = modules()
    rooms = ROOMS[half]
    between = between_parts(graph, half)
    loose = [name for name in between if name not in rooms]
    lines = [*wrap("{:17} {:3}  {}".format("(loose)", len(loose), ", ".join(sorted(loose))), 100,
                   subsequent_indent=" " * 23)]  # fmt: skip
    for room in reversed(rooms):
        inside = sum(part_of(half, name) == room for name in known)
        used = " ".join(sorted(between[room] & set(rooms), key=rooms.index))
        lines.append(f"{room:17} {inside:3}  {used}".rstrip())
        inner = between_parts(graph, f"{half}.{room}")
        for name in sorted(inner):
            package = f"{half}.{room}.{name}"
            if known[package].name == "__init__.py":
                count = sum(one == package or one.startswith(f"{package}.") for one in known)
                lines.append(f"  {name:15} {count:3}    {' '.join(sorted(inner[name]))}".rstrip())
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(*map(drawing, ROOMS), sep="\n", end="")
