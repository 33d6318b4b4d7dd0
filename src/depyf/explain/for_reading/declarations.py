"""`if False: k = None`: how decompiled text says which names are a function's own, or which it closes over."""

from __future__ import annotations

import ast
from typing import Any

from .edits import FunctionText

__all__ = ["declarations"]


def declarations(text: FunctionText) -> int:
    """Statements under `if False` that bind names to None, or name them alone, where every name that they bind is
    bound elsewhere in the function too, or read nowhere in it. The program's own `if False` is in no bytecode."""
    gone: list[ast.stmt] = []
    waiting: list[Any] = [text.function]
    for function in waiting:  # it grows
        own: list[ast.AST] = []
        nodes: list[ast.AST] = list(function.body)
        for node in nodes:  # it grows
            own.append(node)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                waiting.append(node)
            elif not isinstance(node, (ast.ClassDef, ast.Lambda)):
                nodes += ast.iter_child_nodes(node)
        found = [node for node in own if isinstance(node, ast.If) and _declares(node)]
        inside = {id(node) for one in found for node in ast.walk(one)}
        bound: set[str] = set()
        read: set[str] = set()
        for node in ast.walk(function):
            if isinstance(node, ast.Name) and id(node) not in inside:
                (read if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        bound &= {node.id for node in own if isinstance(node, ast.Name) and id(node) not in inside}
        for one in found:
            stored = {n.id for n in ast.walk(one) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
            if stored <= bound or not stored & read:
                gone.append(one)
    text.remove(gone)
    return len(gone)


def _declares(statement: ast.If) -> bool:
    """Whether this is `if False`, and all in it binds names to None or only names them."""
    test = statement.test
    if not isinstance(test, ast.Constant) or test.value is not False or statement.orelse:
        return False
    for one in statement.body:
        if isinstance(one, ast.Assign):
            is_none = isinstance(one.value, ast.Constant) and one.value.value is None
            if not is_none or not all(isinstance(target, ast.Name) for target in one.targets):
                return False
        elif not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Name)):
            return False
    return True
