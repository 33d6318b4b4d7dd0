"""Qualified names for code objects of versions that store none (before 3.11)."""

from __future__ import annotations

from .raw_code import RawCode


def compute_qualnames(root: RawCode) -> None:
    """Set ``qualname`` of all code nested in ``root``, whose own is right already or its name.

    The place gives it: 'outer.<locals>.inner', 'Class.method'. What was declared ``global`` is called by its name
    alone. The bytecode tells: the qualified name of a function is a constant of the code around it, that of a class
    a constant of the class body.
    """
    seen = {root}
    todo = [root]
    while todo:
        raw = todo.pop()
        prefix = "" if _is_module(raw, root) else raw.qualname + (".<locals>." if raw.is_function else ".")
        for child in raw.nested:
            if child in seen:
                continue
            seen.add(child)
            qualname = prefix + child.name
            strings = {c for c in (raw if child.is_function else child).consts if isinstance(c, str)}
            child.qualname = child.name if qualname not in strings and child.name in strings else qualname
            todo.append(child)


def _is_module(raw: RawCode, root: RawCode) -> bool:
    return raw is root and not raw.is_function and raw.name == "<module>"
