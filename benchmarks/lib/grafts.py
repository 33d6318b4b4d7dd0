"""Functions of the standard library with statements of other ones put in: real code in combinations nobody wrote."""

from __future__ import annotations

import ast
import random
import warnings
from pathlib import Path
from typing import Iterator, Sequence

FILES = 150
LONGEST_FUNCTION, LONGEST_STATEMENT, SHORTEST_STATEMENT = 40, 25, 3
"""In lines."""
MOST_GRAFTS = 6
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_KINDS = ("If", "For", "While", "Try", "TryStar", "With", "Match")


def grafts(count: int, seed: int, library: Path) -> Iterator[str]:
    """``count`` functions as texts. ``library`` is the folder of the files that they are made of. Needs CPython 3.9."""
    warnings.simplefilter("ignore")  # of old string literals
    dice = random.Random(seed)
    functions, statements = _parts(_chosen(library, dice))
    kinds = sorted(statements)
    while count:
        function = ast.parse(dice.choice(functions)).body[0]
        for _ in range(dice.randint(1, MOST_GRAFTS)):
            body = dice.choice(list(_bodies(function)))
            (graft,) = ast.parse(dice.choice(statements[dice.choice(kinds)])).body
            place = dice.randrange(len(body) + 1)
            body[place : place + dice.randint(0, 1)] = [graft]
        text = ast.unparse(function) + "\n"
        try:
            compile(text, "<graft>", "exec", dont_inherit=True)
        except SyntaxError:  # a `break` that is in no loop any more
            continue
        yield text
        count -= 1


def functions(count: int, seed: int, library: Path) -> list[str]:
    """``count`` functions of the library as they are. Needs CPython 3.9."""
    dice = random.Random(seed)
    found, _ = _parts(_chosen(library, dice))
    return dice.sample(found, min(count, len(found)))


def _chosen(library: Path, dice: random.Random) -> list[Path]:
    paths = sorted(path for pattern in ("*.py", "*/*.py") for path in library.glob(pattern))
    return dice.sample(paths, min(FILES, len(paths)))


def _parts(paths: Sequence[Path]) -> tuple[list[str], dict[str, list[str]]]:
    """Functions, and compound statements by their kind, as texts."""
    functions: list[str] = []
    statements: dict[str, list[str]] = {}
    for path in paths:
        try:
            tree = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError):  # a test's file that is meant to be wrong
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.stmt):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if isinstance(node, ast.FunctionDef) and lines <= LONGEST_FUNCTION:
                    node.decorator_list = []
                    functions.append(ast.unparse(node))
                elif type(node).__name__ in _KINDS and SHORTEST_STATEMENT <= lines <= LONGEST_STATEMENT:
                    statements.setdefault(type(node).__name__, []).append(ast.unparse(node))
    return functions, statements


def _bodies(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """All lists of statements in ``node``, but those of functions and classes in it."""
    for _, value in ast.iter_fields(node):
        if not isinstance(value, list):
            continue
        if value and isinstance(value[0], ast.stmt):
            yield value
        for child in value:
            # The names of a `global` statement are strings.
            if isinstance(child, ast.AST) and not isinstance(child, DEFINITIONS):
                yield from _bodies(child)
