"""Builtins and their methods by their plain names: Dynamo reads them from a dict or a module of its own, and early."""

from __future__ import annotations

import ast
import builtins
import re
from typing import Callable

from .edits import FunctionText, plain_target

__all__ = ["builtin_methods", "builtins_by_name"]

_BUILTIN = re.compile(r"__builtins_dict___\d+\[['\"](\w+)['\"]\]|__import_builtins\.(\w+)")


def builtins_by_name(text: FunctionText) -> int:
    """`__builtins_dict___7['print']` and `__import_builtins.print` become `print`, where the function has no such name
    of its own."""
    taken = 0
    for node in ast.walk(text.function):
        is_read = isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.ctx, ast.Load)
        match = _BUILTIN.fullmatch(text.text(node)) if is_read else None
        name = match.group(1) or match.group(2) if match else ""
        if name and name not in text.mentions and name not in text.parameters and hasattr(builtins, name):
            text.replace(node, name)
            taken += 1
    return taken


def builtin_methods(text: FunctionText, is_temporary: Callable[[str], bool]) -> int:
    """`t = object.__setattr__; ...; t(x, 'a', 1)` becomes `object.__setattr__(x, 'a', 1)`: nothing can change what a
    builtin class calls by this name."""
    taken: set[str] = set()
    for statement in text.statements():
        target = plain_target(statement)
        if target is None or not isinstance(statement, ast.Assign) or not _is_method(statement.value, text):
            continue
        name = target.id
        if not is_temporary(name) or text.stores(name) != 1 or name in text.parameters:
            continue
        for mention in text.mentions[name]:
            if isinstance(mention.ctx, ast.Load):
                text.replace(mention, text.text(statement.value))
        text.remove([statement])
        taken.add(name)
    return len(taken) + text.undelete(taken)


def _is_method(value: ast.expr, text: FunctionText) -> bool:
    if not isinstance(value, ast.Attribute) or not isinstance(value.value, ast.Name):
        return False
    name = value.value.id
    owner = getattr(builtins, name, None)
    return isinstance(owner, type) and hasattr(owner, value.attr) and not text.stores(name) and (
        name not in text.parameters)
