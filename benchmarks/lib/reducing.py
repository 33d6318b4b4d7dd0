"""Make a program small while it keeps a fault: statements are dropped, or replaced by what is in them."""

from __future__ import annotations

import ast
import sys
from typing import Any, Callable, Iterator

_BODIES = ("body", "orelse", "finalbody", "handlers", "cases")
_LEAVES = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


def reduced(text: str, is_faulty: Callable[[str], bool]) -> str:
    """The smallest text found from which nothing can be taken without losing the fault. Needs CPython 3.9.

    ``is_faulty`` takes a text that parses, but may be no valid program, and must hold for ``ast.unparse`` of ``text``.
    """
    tree = ast.parse(text)
    while True:
        for _ in _smaller(tree):
            try:
                smaller = ast.parse(ast.unparse(tree))
            except Exception:  # a tree with a part missing has no text, or an empty body
                continue
            if is_faulty(ast.unparse(smaller)):
                tree = smaller
                break
        else:
            return ast.unparse(tree)


def _smaller(tree: ast.Module) -> Iterator[None]:
    """Changes ``tree`` in place in every way that makes it smaller, yields, and changes it back."""
    for body in [body for node in ast.walk(tree) if not isinstance(node, ast.Module) for body in _bodies(node)]:
        before = list(body)
        for index, statement in enumerate(before):
            for instead in _instead_of(statement):
                body[index : index + 1] = instead
                yield
                body[:] = before
    for node in ast.walk(tree):
        for field, simpler in _SIMPLER.get(type(node).__name__, {}).items():
            now = getattr(node, field)
            if type(now) is not type(simpler) or now and simpler == []:
                setattr(node, field, simpler)
                yield
                setattr(node, field, now)


def _instead_of(statement: Any) -> Iterator[list[Any]]:
    yield []
    yield from _bodies(statement)
    for clause in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield clause.body
    if isinstance(statement, _SIMPLE) and ast.dump(statement) != ast.dump(_CALL):
        yield [_CALL]


_SIMPLE = (ast.Expr, ast.Assign, ast.AugAssign, ast.Assert, ast.Delete)
_CALL = ast.parse("f()").body[0]
_SIMPLER: dict[str, dict[str, Any]] = {
    "If": {"test": ast.Name("a", ast.Load())},
    "While": {"test": ast.Name("a", ast.Load())},
    "ExceptHandler": {"name": None},
    "match_case": {"guard": None},
    "comprehension": {"ifs": []},
}


def _bodies(node: ast.AST) -> list[list[Any]]:
    return [body for name in _BODIES if isinstance(body := getattr(node, name, None), list)]


def without_dead_code(text: str) -> str:
    """The text without the statements below one that leaves, which leave no trace in bytecode."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        for body in _bodies(node):
            for index, statement in enumerate(body):
                if isinstance(statement, ast.stmt) and _leaves(statement):
                    del body[index + 1 :]
                    break
    return ast.unparse(tree)


def has_dead_code(text: str) -> bool:
    """Whether a statement or a handler can't be reached or a loop never repeats, from the syntax alone."""
    for node in ast.walk(ast.parse(text)):
        if any(_leaves(one) for body in _bodies(node) for one in body[:-1] if isinstance(one, ast.stmt)):
            return True
        if isinstance(node, ast.Try) and (_cannot_raise(node.body[0]) or _end_leaves(node.finalbody)):
            return True
        if isinstance(node, ast.Try) and node.orelse and _end_leaves(node.body):
            return True
        if isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and node.orelse:
            return True
        if isinstance(node, _LOOPS) and _never_repeats(node.body):
            return True
    return False


def _leaves(statement: ast.stmt) -> bool:
    """Whether control never comes below the statement."""
    if isinstance(statement, _LEAVES):
        return True
    if isinstance(statement, ast.If):
        return _end_leaves(statement.body) and _end_leaves(statement.orelse)
    if isinstance(statement, _LOOPS):
        is_endless = isinstance(statement, ast.While) and isinstance(statement.test, ast.Constant)
        return (is_endless or _end_leaves(statement.orelse)) and not _breaks(statement.body)
    if isinstance(statement, ast.Try):
        if _end_leaves(statement.finalbody):
            return True
        through = _end_leaves(statement.body) or _end_leaves(statement.orelse)
        return through and all(_end_leaves(handler.body) for handler in statement.handlers)
    if sys.version_info >= (3, 10) and isinstance(statement, ast.Match):
        default = statement.cases[-1]
        is_default = isinstance(default.pattern, ast.MatchAs) and not default.pattern.pattern and not default.guard
        return is_default and all(_end_leaves(case.body) for case in statement.cases)
    return False  # a manager may swallow what its body raises


def _end_leaves(body: list[ast.stmt]) -> bool:
    return any(_leaves(statement) for statement in body)


def _cannot_raise(statement: ast.stmt) -> bool:
    """Whether the handlers around the statement are dead code, if it is the only one."""
    if isinstance(statement, ast.Return):
        return statement.value is None or isinstance(statement.value, ast.Constant)
    return isinstance(statement, (ast.Pass, ast.Break, ast.Continue))


def _never_repeats(body: list[ast.stmt]) -> bool:
    return _end_leaves(body) and not any(isinstance(node, ast.Continue) for one in body for node in ast.walk(one))


def _breaks(body: list[Any]) -> bool:
    """Whether a ``break`` in ``body`` ends the loop around it."""
    for statement in body:
        inner = [statement.orelse] if isinstance(statement, _LOOPS) else _bodies(statement)
        if isinstance(statement, ast.Break) or any(_breaks(one) for one in inner):
            return True
    return False
