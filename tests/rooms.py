"""Which module of the package imports which, read from the source, and the drawing of it in ARCHITECTURE.md.

    python tests/rooms.py            the drawing
    python tests/rooms.py --write    put it into ARCHITECTURE.md

An import in a function counts like one at the top: it only hides the arrow. One under ``if TYPE_CHECKING`` does not,
as nothing is imported.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import Dict, Iterator, List, Set, Tuple

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src"
PAGE = ROOT / "ARCHITECTURE.md"
DRAWING = re.compile(r"(<!-- drawn by tests/rooms.py -->\n```\n)(.*?)(```\n)", re.DOTALL)

ROOMS = (
    "limits", "bytecode", "syntax", "proof", "names", "flowgraph", "lift", "structure", "definitions", "surface_forms",
    "events", "dispatch", "driver", "live",
)  # fmt: skip
"""The rooms of the decompiler from the bottom up: each imports only rooms before it. Above all are its loose modules,
which are what users import."""

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
    """What ``room``, the package of that name, imports: rooms of the decompiler, and of its own room what is beside
    it."""
    parent, _, own = room.rpartition(".")
    outside = part_of("depyf.decompiler", room)
    found = set(between_parts(graph, parent)[own]) if parent else set()
    for name, targets in graph.items():
        if name == room or name.startswith(f"{room}."):
            found |= {part_of("depyf.decompiler", target) for target in targets} - {"", outside}
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


def drawing() -> str:
    """The rooms of the decompiler from the top down, with their modules and what they import."""
    graph = imports()
    known = modules()
    between = between_parts(graph, "depyf.decompiler")
    loose = [name for name in between if name not in ROOMS]
    lines = ["{:17} {:3}  {}".format("(loose)", len(loose), ", ".join(sorted(loose)))]
    for room in reversed(ROOMS):
        inside = sum(part_of("depyf.decompiler", name) == room for name in known)
        used = " ".join(sorted(between[room] & set(ROOMS), key=ROOMS.index))
        lines.append(f"{room:17} {inside:3}  {used}".rstrip())
        inner = between_parts(graph, f"depyf.decompiler.{room}")
        for name in sorted(inner):
            package = f"depyf.decompiler.{room}.{name}"
            if known[package].name == "__init__.py":
                count = sum(one == package or one.startswith(f"{package}.") for one in known)
                lines.append(f"  {name:15} {count:3}    {' '.join(sorted(inner[name]))}".rstrip())
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if "--write" in sys.argv:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(DRAWING.sub(lambda found: found[1] + drawing() + found[3], page), encoding="utf-8")
    else:
        print(drawing(), end="")
