"""What a page leaves out of calls of resume functions and of their own code: see `bookkeeping.py`.

From torch 2.13 on, a global makes the resume function of a closure from a tuple of cells. A page has no cells: free
variables are its globals. Comprehensions that Dynamo runs by themselves, from 2.11 on, are called in the same ways.
"""

from __future__ import annotations

import ast

from .edits import FunctionText, plain_target

__all__ = ["FRAME_PARAMETERS", "closures", "frame_lists", "hides_lists", "made_function", "prologue_marks"]

FRAME_PARAMETERS = ("__nested_resume_fns", "__nested_frame_values")
_MADE = ("__resume_at_", "__comprehension_")
"""The beginnings of the names of the functions that Dynamo makes out of parts of a function."""

_PROLOGUE = "__is_tracing_resume_prologue"


def made_function(callee: ast.expr) -> str:
    """The name of the function of Dynamo's that is called; "" for another: `callee` may be what makes it of cells,
    or `closed_over(...)`."""
    if isinstance(callee, ast.Call) and callee.args:
        is_closed = isinstance(callee.func, ast.Name) and callee.func.id == "closed_over"
        callee = callee.args[0] if is_closed else callee.func
    return callee.id if isinstance(callee, ast.Name) and callee.id.startswith(_MADE) else ""


def closures(text: FunctionText) -> int:
    """`__resume_at_1_2(((lambda: k).__closure__[0],))(x)` becomes `__resume_at_1_2(x)`: free variables are globals of
    the page. Variables of the function itself are given to it: `closed_over(__resume_at_1_2, k=k)(x)`. So it is where
    the tuple of cells has a name; it may have cells of resume functions of callees, with nested graph breaks."""
    values: dict[str, ast.expr] = {name: statement.value for name, statement in text.bound_once()}
    own = {*(name for name in text.mentions if text.stores(name)), *text.parameters} - text.declared
    made = 0
    for node in text.nodes:
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or len(node.args) != 1:
            continue
        cells = _value(node.args[0], values)
        parts = [_value(one, values) for one in cells.elts] if isinstance(cells, ast.Tuple) else []
        if parts and made_function(node.func) and all("__closure__" in text.text(one) for one in parts):
            names = [function.body.id for one in parts for function in ast.walk(one)
                     if isinstance(function, ast.Lambda) and isinstance(function.body, ast.Name)]  # fmt: skip
            variables = "".join(f", {name}={name}" for name in names if name in own)
            text.replace(node, f"closed_over({node.func.id}{variables})" if variables else node.func.id)
            made += 1
    return made


def _value(node: ast.expr, values: dict[str, ast.expr]) -> ast.expr:
    return values.get(node.id, node) if isinstance(node, ast.Name) else node


def prologue_marks(text: FunctionText) -> int:
    """`__is_tracing_resume_prologue = True` tells Dynamo where a resume function's own part ends."""
    return text.remove(s for s in text.statements for t in [plain_target(s)] if t is not None and t.id == _PROLOGUE)


# ---- frame lists: the two leading lists of a resume function, empty unless graph breaks are nested


def frame_lists(text: FunctionText) -> int:
    """`__resume_at_1_2([], [], x)` becomes `__resume_at_1_2(x)`; unread frame parameters go from the header.

    Where the text defines the function itself, both change or none.
    """
    calls = [node for node in text.nodes if isinstance(node, ast.Call) and _passes_empty_lists(node)]
    callees = {id(call.func) for call in calls}
    inner = {one.name: one for one in text.statements if isinstance(one, ast.FunctionDef)}
    without = [one for one in inner.values() if hides_lists(one) and callees.issuperset(map(id, text.loads(one.name)))]
    without_names = {one.name for one in without}
    cut: list[list[ast.expr]] = []
    for call in calls:
        called = call.func.id if isinstance(call.func, ast.Name) else ""
        if called in without_names or (called not in inner and made_function(call.func)):
            cut.append(call.args)
    cut += [one.args.args for one in [*without, text.function] if hides_lists(one)]  # type: ignore[misc]
    for both in cut:
        text.cut_first(both, 2)
    return 2 * len(cut)


def hides_lists(function: ast.FunctionDef) -> bool:
    """Whether a function has the two frame lists as parameters and never reads them."""
    arguments = function.args
    return (
        tuple(one.arg for one in arguments.args[:2]) == FRAME_PARAMETERS and not arguments.defaults
        and not getattr(arguments, "posonlyargs", [])
        and not any(isinstance(node, ast.Name) and node.id in FRAME_PARAMETERS for node in ast.walk(function))
    )  # fmt: skip


def _passes_empty_lists(call: ast.Call) -> bool:
    return len(call.args) >= 2 and all(isinstance(a, ast.List) and not a.elts for a in call.args[:2])
