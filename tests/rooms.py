"""Which module of the package imports which, read from the source.

    python tests/rooms.py               draws the rooms
    python tests/rooms.py REVISION      those of a revision of git, and figures of both

An import in a function counts like one at the top: it only hides the arrow. One under ``if TYPE_CHECKING`` does not,
as nothing is imported. The drawings are also in ARCHITECTURE.md, which `documentation/pages.py --write` brings up to
date.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from textwrap import wrap
from typing import Dict, Iterator, List, Sequence, Set, Tuple

import complexity

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src"

ROOMS = {
    "depyf.decompiler": (
        "passes", "limits", "bytecode", "syntax", "printing", "proof", "names", "flowgraph", "lift", "structure",
        "definitions", "layout", "surface_forms", "stack_machine", "unstructured", "driver", "live",
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


def modules(source: Path = SOURCE) -> Dict[str, Path]:
    """Every module of the package in ``source`` with its file."""
    found = {}
    for path in sorted((source / "depyf").rglob("*.py")):
        parts = path.relative_to(source).with_suffix("").parts
        found[".".join(parts[:-1] if path.name == "__init__.py" else parts)] = path
    return found


def _statements(node: ast.AST, types_too: bool) -> Iterator[ast.stmt]:
    """All statements inside ``node``, those under ``if TYPE_CHECKING`` only with ``types_too``."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            continue
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test) and not types_too:
            child = ast.Module(child.orelse, [])
        if isinstance(child, ast.stmt):
            yield child
        yield from _statements(child, types_too)


@functools.lru_cache(None)
def _import_statements(text: str) -> Tuple[List[ast.stmt], List[ast.stmt]]:
    """Those of a module, and all with those for type checkers: to read a module takes longer than all else here."""
    tree = ast.parse(text)
    without, all_of_them = (
        [one for one in _statements(tree, types_too) if isinstance(one, (ast.Import, ast.ImportFrom))]
        for types_too in (False, True)
    )
    return without, all_of_them


def imported(name: str, path: Path, *, types_too: bool = False) -> Iterator[Tuple[str, str]]:
    """What the module ``name`` imports: the module and the name in it, or the module and ''."""
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for node in _import_statements(path.read_text(encoding="utf-8"))[types_too]:
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            yield from ((".".join([*base, *filter(None, [node.module])]), alias.name) for alias in node.names)


def imports(source: Path = SOURCE) -> Imports:
    """The graph of the whole package."""
    known = modules(source)
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


def _reached(graph: Imports, start: str) -> Set[str]:
    """What ``start`` imports, and what that imports, and so on."""
    seen: Set[str] = set()
    todo = [start]
    while todo:
        new = graph.get(todo.pop(), set()) - seen
        seen |= new
        todo += new
    return seen


def cycles(graph: Imports) -> List[List[str]]:
    """The modules that import each other in a circle: those from which both ways lead, in groups."""
    reached = {start: _reached(graph, start) for start in graph}
    groups = {
        tuple(sorted({start, *(other for other in reached[start] if start in reached[other])}))
        for start in graph
        if start in reached[start]
    }
    return sorted(map(list, groups))


def rooms_of(half: str, between: Imports, known: Dict[str, Path]) -> Sequence[str]:
    """The rooms from the bottom up: as ROOMS has them, or those that reach least first."""
    folders = {name for name in between if known[f"{half}.{name}"].name == "__init__.py"}
    if folders == set(ROOMS[half]):
        return ROOMS[half]
    reached = {name: len(_reached(between, name) & folders) for name in folders}
    return sorted(folders, key=lambda name: (reached[name], name))


def _lines(paths: Iterator[Path]) -> int:
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)


def drawing(half: str, source: Path = SOURCE, *, lines: bool = False) -> str:
    """The rooms of ``half`` from the top down, their modules and what they import; with ``lines`` their length."""
    known, graph = modules(source), imports(source)
    between = between_parts(graph, half)
    rooms = rooms_of(half, between, known)

    def row(name: str, inside: List[str], used: str) -> str:
        length = f"{_lines(known[one] for one in inside):6}" if lines else ""
        return f"{name:17} {len(inside):3}{length}  {used}".rstrip()

    loose = sorted(name for name in between if name not in rooms)
    drawn = wrap(row("(loose)", [f"{half}.{name}" for name in loose], ", ".join(loose)), 100,
                 subsequent_indent=" " * (29 if lines else 23))  # fmt: skip
    for room in reversed(rooms):
        inside = [name for name in known if part_of(half, name) == room]
        drawn.append(row(room, inside, " ".join(sorted(between[room] & set(rooms), key=rooms.index))))
        inner = between_parts(graph, f"{half}.{room}") if not lines else {}
        for name in sorted(inner):
            package = f"{half}.{room}.{name}"
            if known[package].name == "__init__.py":
                count = sum(one == package or one.startswith(f"{package}.") for one in known)
                drawn.append(f"  {name:15} {count:3}    {' '.join(sorted(inner[name]))}".rstrip())
    return "\n".join(drawn) + "\n"


def figures(source: Path = SOURCE) -> Dict[str, str]:
    """What the package is like, in numbers."""
    known, graph = modules(source), imports(source)
    lengths = {name: _lines(iter([path])) for name, path in known.items()}
    longest = max(lengths, key=lambda name: lengths[name])
    worst = sorted(complexity.functions(source), reverse=True)
    found = {"modules": f"{len(known):,}", "lines": f"{sum(lengths.values()):,}"}
    for half in ROOMS:
        between = between_parts(graph, half)
        flat = [name for name in between if known[f"{half}.{name}"].name != "__init__.py"]
        found[f"`{half}`: modules beside its rooms"] = str(len(flat))
        found[f"`{half}`: rooms and such modules in import circles"] = str(sum(map(len, cycles(between))))
    path = longest.replace(".", "/") + ".py"
    found["longest module"] = f"{lengths[longest]} lines, `{path}`"
    found["modules in import circles"] = str(sum(map(len, cycles(graph))))
    found["most complex function"] = f"{worst[0].complexity}, `{worst[0].name}`"
    found["functions more complex than 25"] = str(sum(one.complexity > 25 for one in worst))
    return found


@contextlib.contextmanager
def source_at(revision: str) -> Iterator[Path]:
    """A folder with ``src`` as it was at a revision of git."""
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder, "src.tar")
        subprocess.run(["git", "archive", "-o", str(archive), revision, "src"], cwd=ROOT, check=True)
        with tarfile.open(archive) as file:
            file.extractall(folder)
        yield Path(folder, "src")


def main(arguments: List[str]) -> None:
    """The command."""
    if not arguments:
        print(*map(drawing, ROOMS), sep="\n", end="")
        return
    with source_at(arguments[0]) as source:
        for name, folder in ((arguments[0], source), ("now", SOURCE)):
            for half in ROOMS:
                print(f"{half}, {name}\n\n{drawing(half, folder, lines=True)}")
        print(f"| | {arguments[0]} | now |\n|---|---|---|")
        for (name, before), now in zip(figures(source).items(), figures().values()):
            print(f"| {name} | {before} | {now} |")


if __name__ == "__main__":
    main(sys.argv[1:])
