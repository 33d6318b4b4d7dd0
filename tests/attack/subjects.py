"""What is attacked: functions of the running interpreter's own library, of a file of constructs, and generated ones."""

from __future__ import annotations

import ast
import builtins
import random
import re
import sys
import sysconfig
import warnings
from pathlib import Path
from typing import Any, Iterator, List, NamedTuple, Optional

from standins import Plan

from attack import generated
from attack.observed import compiled
from depyf.decompiler.bytecode import RawCode, load
from depyf.decompiler.proof.compile_worker import syntax_tree

CONSTRUCTS = Path(__file__).parent / "constructs.txt"
_FOLDERS = ("", "asyncio", "email", "http", "json", "logging", "urllib", "unittest", "importlib", "concurrent/futures")
_MOST_NODES = 900


class Subject(NamedTuple):
    """A module with one function or class in it, and what stand-ins are told about it."""

    name: str
    tree: ast.Module
    plan: Plan


def subjects(dice: random.Random) -> Iterator[Subject]:
    """Subjects without end, chosen by the dice: constructs, generated functions, functions of the library."""
    constructs = list(construct_subjects())
    files = library_files()
    while True:
        yield dice.choice(constructs)
        for _ in range(3):
            yield Subject("generated.f", generated.function(dice), Plan(frozenset({"E"})))
        path = dice.choice(files)
        found = list(_in_file(path))
        yield from dice.sample(found, min(3, len(found)))


def construct_subjects() -> Iterator[Subject]:
    """The definitions of the file of constructs that the running Python can parse."""
    for number, section in enumerate(re.split(r"(?m)^# since (.*)$", CONSTRUCTS.read_text(encoding="utf-8"))[1:]):
        if number % 2 == 0:
            since = tuple(map(int, section.split(".")))
        elif sys.version_info[:2] >= since:
            yield from _definitions("constructs", section)


def library_files() -> List[Path]:
    library = Path(sysconfig.get_paths()["stdlib"])
    return sorted(path for folder in _FOLDERS for path in (library / folder).glob("*.py") if path.is_file())


def _in_file(path: Path) -> Iterator[Subject]:
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return
    yield from _definitions(path.stem, text)


def _definitions(where: str, text: str) -> Iterator[Subject]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = syntax_tree(text)
    names = exception_names(tree)
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and _size(node) > _MOST_NODES:
            for member in node.body:
                if isinstance(member, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    yield from _subject(f"{where}.{node.name}.{member.name}", member, names)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield from _subject(f"{where}.{node.name}", node, names)


def _subject(name: str, node: Any, exceptions: frozenset[str]) -> Iterator[Subject]:
    if _size(node) <= _MOST_NODES:
        yield Subject(name, ast.Module([node], []), plan(node, exceptions))


def _size(node: ast.AST) -> int:
    return sum(1 for _ in ast.walk(node))


def plan(node: ast.AST, exceptions: frozenset[str]) -> Plan:
    """What stand-ins should know to get far in the code: exception classes, lengths to unpack, whether it matches."""
    lengths = {
        len(target.elts)
        for target in ast.walk(node)
        if isinstance(target, (ast.Tuple, ast.List)) and isinstance(target.ctx, ast.Store)
    }
    matches = any(type(n).__name__ == "Match" for n in ast.walk(node))
    return Plan(exceptions, sorted(lengths), matches)


def exception_names(tree: ast.AST) -> frozenset[str]:
    """Names of exception classes: those that handlers name, and the built-in ones."""
    names = {name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, Exception)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler) and node.type is not None:
            for part in node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]:
                name = _last_name(part)
                if name:
                    names.add(name)
    return frozenset(names | {"E", "OtherError"})


def _last_name(node: ast.AST) -> Optional[str]:
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else None


def some_functions(subject: Subject, dice: random.Random) -> List[RawCode]:
    """At most three of the functions in a subject."""
    module = compiled(subject.tree)
    if module is None:
        return []
    functions = [raw for raw in load(module).walk() if raw.is_function]
    return dice.sample(functions, min(3, len(functions)))
