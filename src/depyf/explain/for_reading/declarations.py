"""`if False: k = None`: how decompiled text says which names are a function's own, or which it closes over."""

from __future__ import annotations

import ast
from typing import Iterable, Iterator

from .edits import FunctionText

__all__ = ["declarations"]

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DECLARING = (ast.If, ast.Constant, ast.Assign, ast.Expr, ast.Name, ast.expr_context)


def declarations(text: FunctionText) -> int:
    """Statements under `if False` that bind names to None, or name them alone, where every name that they bind is
    bound elsewhere in the function too, or read nowhere in it. The program's own `if False` is in no bytecode."""
    gone: list[ast.stmt] = []
    declaring = [node for node in text.nodes if isinstance(node, ast.If) and _declares(node)]
    for function in [node for node in text.nodes if isinstance(node, _FUNCTIONS)] if declaring else ():
        own = list(_own(function))
        found = [node for node in declaring if node in own]
        inside = {id(node) for one in found for node in ast.walk(one)}
        bound = {one.id for one in _names(own, ast.Store, ast.Del) if id(one) not in inside}
        read = {one.id for one in _names(ast.walk(function), ast.Load) if id(one) not in inside}
        for one in found:
            stored = {name.id for name in _names(ast.walk(one), ast.Store)}
            gone += [one] if stored <= bound or not stored & read else []
    return text.remove(gone)


def _own(function: ast.AST) -> Iterator[ast.AST]:
    """What is in a function, but not in another that is in it."""
    for node in ast.iter_child_nodes(function):
        yield node
        if not isinstance(node, (*_FUNCTIONS, ast.ClassDef, ast.Lambda)):
            yield from _own(node)


def _names(nodes: Iterable[ast.AST], *contexts: type) -> Iterator[ast.Name]:
    return (node for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, contexts))


def _declares(statement: ast.If) -> bool:
    is_false = isinstance(statement.test, ast.Constant) and statement.test.value is False
    return is_false and all(isinstance(node, _DECLARING) for node in ast.walk(statement))
