"""Invariants of every printable tree, for checks between passes."""

from __future__ import annotations

from typing import Sequence

from . import nodes
from .traverse import bodies, statement_bodies

_LOOPS = (nodes.For, nodes.AsyncFor, nodes.While)
_DEFINITIONS = (nodes.FunctionDef, nodes.AsyncFunctionDef, nodes.ClassDef)


def stray_jump(body: Sequence[nodes.Statement]) -> str:
    """A description of the first ``break`` or ``continue`` outside a loop; '' if there is none."""
    todo = [(statement, False) for statement in reversed(body)]
    while todo:
        statement, is_inside = todo.pop()
        if isinstance(statement, (nodes.Break, nodes.Continue)) and not is_inside:
            return f"{statement!r} outside a loop"
        for inner in statement_bodies(statement):
            loops = isinstance(statement, _LOOPS) and inner is statement.body
            is_within = loops or is_inside and not isinstance(statement, _DEFINITIONS)
            todo += [(one, is_within) for one in reversed(inner)]
    return ""


def empty_body(body: list[nodes.Statement]) -> str:
    """A description of the first statement with an empty body (except ``else`` and ``finally``); '' if none."""
    for one in bodies(body):
        for statement in one:
            parts = [statement, *getattr(statement, "handlers", ()), *getattr(statement, "cases", ())]
            for part in parts:
                if getattr(part, "body", None) == []:
                    return f"a {type(part).__name__} without a body"
    return ""


def unfinished(body: Sequence[nodes.Statement], kinds: tuple[type[nodes.Node], ...]) -> str:
    """A description of the first node of ``kinds``, which no finished tree may have; '' if there is none."""
    found = next((node for node in nodes.walk(body) if isinstance(node, kinds)), None)
    return f"a {type(found).__name__} is left" if found is not None else ""
