"""What a page leaves out of calls of resume functions and of their own code: see `bookkeeping.py`.

From torch 2.13 on, a global makes the resume function of a closure from a tuple of cells. A page has no cells: free
variables are its globals. Comprehensions that Dynamo runs by themselves, from 2.11 on, are called in the same ways.
"""

from __future__ import annotations

import ast

from .edits import FunctionText, plain_target

__all__ = ["closures", "made_function", "prologue_marks"]

_MADE = ("__resume_at_", "__comprehension_")
"""The beginnings of the names of the functions that Dynamo makes out of parts of a function."""

_PROLOGUE = "__is_tracing_resume_prologue"


def made_function(text: FunctionText, callee: ast.expr) -> str:
    """The name of the function of Dynamo's that is called; "" for another: `callee` may be what makes it of cells,
    `closed_over(...)`, or a name for these."""
    for _ in range(3):
        if isinstance(callee, ast.Call) and len(callee.args) == 1:
            callee = callee.func
        elif isinstance(callee, ast.Call) and text.text(callee.func) == "closed_over":
            callee = callee.args[0]
        elif isinstance(callee, ast.Name) and not callee.id.startswith(_MADE) and text.stores(callee.id) == 1:
            values = [s.value for s in text.statements() for t in [plain_target(s)]
                      if isinstance(s, ast.Assign) and t is not None and t.id == callee.id]  # fmt: skip
            callee = values[0] if values and isinstance(values[0], ast.Call) else callee
    return callee.id if isinstance(callee, ast.Name) and callee.id.startswith(_MADE) else ""


def closures(text: FunctionText) -> int:
    """`__resume_at_1_2(((lambda: k).__closure__[0],))(x)` becomes `__resume_at_1_2(x)`: free variables are globals of
    the page. Variables of the function itself are given to it: `closed_over(__resume_at_1_2, k=k)(x)`. So it is where
    the tuple of cells has a name."""
    values = {t.id: s.value for s in text.statements() for t in [plain_target(s)] if isinstance(s, ast.Assign) and t}
    declared = {name for s in text.statements() if isinstance(s, (ast.Nonlocal, ast.Global)) for name in s.names}
    taken: set[int] = set()  # the ids of names of tuples that are gone
    made = 0
    for node in ast.walk(text.function):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or len(node.args) != 1:
            continue
        if not node.func.id.startswith(_MADE):
            continue
        given = node.args[0]
        cells: ast.expr | None = given
        if isinstance(given, ast.Name):
            cells = values.get(given.id) if text.stores(given.id) == 1 else None
        names = _cells(cells)
        if names is None and not _are_of_other_functions(text, cells, values):
            continue
        own = [name for name in names or () if (text.stores(name) or name in text.parameters) and name not in declared]
        variables = ", ".join(f"{name}={name}" for name in own)
        text.replace(node, f"closed_over({node.func.id}, {variables})" if own else node.func.id)
        taken.add(id(given))
        made += 1
    _drop_unread(text, taken)
    return made


def _are_of_other_functions(text: FunctionText, cells: ast.expr | None, values: dict[str, ast.expr]) -> bool:
    """Whether this is `(inner.__closure__[0],)`: with nested graph breaks, resume functions of callees are made too."""
    if not isinstance(cells, ast.Tuple):
        return False
    parts = [values.get(one.id) if isinstance(one, ast.Name) else one for one in cells.elts]
    return bool(parts) and all(one is not None and "__closure__" in text.text(one) for one in parts)


def _drop_unread(text: FunctionText, taken: set[int]) -> None:
    """The assignments to names of which every mention is gone."""
    gone = set()
    for statement in text.statements():
        target = plain_target(statement)
        if target is None or not isinstance(statement, ast.Assign) or _cells(statement.value) is None:
            continue
        read = [one for one in text.mentions[target.id] if isinstance(one.ctx, ast.Load)]
        if read and all(id(one) in taken for one in read):
            text.remove([statement])
            gone.add(target.id)
    text.undelete(gone)


def _cells(node: ast.expr | None) -> list[str] | None:
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
