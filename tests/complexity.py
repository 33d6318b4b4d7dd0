"""How complex each function of the package is; `python tests/complexity.py [COUNT]` prints the worst.

Cyclomatic complexity as radon counts it (https://radon.readthedocs.io/en/latest/intro.html#cyclomatic-complexity): one,
and one more for each decision. `and` and `or` are decisions too, which ruff's C901 does not count; functions inside a
function count for it and for themselves.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import Iterator, NamedTuple

SOURCE = Path(__file__).resolve().parent.parent / "src"
_DECISIONS = (ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.Assert)


class Function(NamedTuple):
    """A function of the package: its complexity, its length in lines, and where it is."""

    complexity: int
    length: int
    path: str
    line: int
    name: str


def complexity(function: ast.AST) -> int:
    """The number of decisions in ``function``, plus one."""
    found = 1
    for node in ast.walk(function):
        found += isinstance(node, _DECISIONS)
        if isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
            found += bool(node.orelse)
        elif isinstance(node, ast.comprehension):
            found += 1 + len(node.ifs)
        elif isinstance(node, ast.BoolOp):
            found += len(node.values) - 1
    return found


def functions(source: Path = SOURCE) -> Iterator[Function]:
    """Every function in the files below ``source``."""
    for path in sorted(source.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                name = path.relative_to(source).as_posix()
                yield Function(complexity(node), length, name, node.lineno, node.name)


if __name__ == "__main__":
    for one in sorted(functions(), reverse=True)[: int(sys.argv[1]) if sys.argv[1:] else 20]:
        print(f"{one.complexity:4} {one.length:4} lines  {one.path}:{one.line}  {one.name}")
