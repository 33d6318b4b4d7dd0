"""What a page leaves out of calls of resume functions and of their own code: see `bookkeeping.py`.

From torch 2.13 on, a global makes the resume function of a closure from a tuple of cells. A page has no cells: free
variables are its globals.
"""

from __future__ import annotations

import ast

from .edits import FunctionText, plain_target

__all__ = ["closures", "prologue_marks"]

_PROLOGUE = "__is_tracing_resume_prologue"


def closures(text: FunctionText) -> int:
    """`__resume_at_1_2(((lambda: k).__closure__[0],))(x)` becomes `__resume_at_1_2(x)`: free variables are globals of
    the page. Variables of the function itself are given to it: `closed_over(__resume_at_1_2, k=k)(x)`."""
    taken = 0
    for node in ast.walk(text.function):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Call):
            continue
        made = node.func
        if not isinstance(made.func, ast.Name) or not made.func.id.startswith("__resume_at_") or len(made.args) != 1:
            continue
        names = _cells(made.args[0])
        if names is None:
            continue
        declared = {name for s in text.statements() if isinstance(s, (ast.Nonlocal, ast.Global)) for name in s.names}
        own = [name for name in names if (text.stores(name) or name in text.parameters) and name not in declared]
        given = ", ".join(f"{name}={name}" for name in own)
        text.replace(made, f"closed_over({made.func.id}, {given})" if own else made.func.id)
        taken += 1
    return taken + _of_other_functions(text)


def _of_other_functions(text: FunctionText) -> int:
    """`cells = (inner.__closure__[0],)`, `__resume_at_1_2(cells)`: with nested graph breaks resume functions of callees
    are made too, and handed on. What is made is `__resume_at_1_2`."""
    values = {t.id: s.value for s in text.statements() for t in [plain_target(s)] if isinstance(s, ast.Assign) and t}
    taken = 0
    for node in ast.walk(text.function):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or len(node.args) != 1:
            continue
        cells = node.args[0]
        value = values.get(cells.id) if isinstance(cells, ast.Name) and text.stores(cells.id) == 1 else None
        if not node.func.id.startswith("__resume_at_") or not isinstance(value, ast.Tuple):
            continue
        parts = [values.get(one.id) if isinstance(one, ast.Name) else one for one in value.elts]
        if parts and all(one is not None and "__closure__" in text.text(one) for one in parts):
            text.replace(node, node.func.id)
            taken += 1
    return taken


def _cells(node: ast.expr) -> list[str] | None:
    """Names in a tuple of `(lambda: name).__closure__[0]`; None for anything else."""
    if not isinstance(node, ast.Tuple):
        return None
    names = []
    for one in node.elts:
        attribute = one.value if isinstance(one, ast.Subscript) else None
        function = attribute.value if isinstance(attribute, ast.Attribute) else None
        if not isinstance(attribute, ast.Attribute) or attribute.attr != "__closure__":
            return None
        if not isinstance(function, ast.Lambda) or not isinstance(function.body, ast.Name):
            return None
        names.append(function.body.id)
    return names


def prologue_marks(text: FunctionText) -> int:
    """`__is_tracing_resume_prologue = True` tells Dynamo where a resume function's own part ends."""
    marks = [s for s in text.statements() for t in [plain_target(s)] if t is not None and t.id == _PROLOGUE]
    text.remove(marks)
    return len(marks)
