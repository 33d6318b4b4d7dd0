"""The names that the statements of one function bind, without those of inner functions."""

from __future__ import annotations

from typing import Iterable, Iterator

from . import nodes

_FUNCTIONS = (nodes.FunctionDef, nodes.AsyncFunctionDef, nodes.Lambda)


def outside_functions(body: list[nodes.Statement]) -> Iterator[nodes.Node]:
    """Every node except those in the bodies of inner functions, in text order."""
    work: list[nodes.Node] = list(reversed(body))
    pop, push = work.pop, work.append
    while work:
        node = pop()
        yield node
        is_function = isinstance(node, _FUNCTIONS)
        for field in node.last_first:
            if is_function and field == "body":
                continue
            value = getattr(node, field)
            if value.__class__ is list:
                for item in reversed(value):
                    if isinstance(item, nodes.Node):
                        push(item)
            elif isinstance(value, nodes.Node):
                push(value)


def bound_by(targets: Iterable[nodes.Node | None]) -> set[str]:
    """The names that the targets of assignments bind."""
    bound: set[str] = set()
    todo = [*targets]
    while todo:
        one = todo.pop()
        todo += getattr(one, "elts", [])
        one = one.value if isinstance(one, nodes.Starred) else one
        if isinstance(one, nodes.Name):
            bound.add(one.id)
    return bound


def bound_names(body: list[nodes.Statement]) -> set[str]:
    """The names that the statements bind or delete, without the variables of comprehensions.

    A superset if a statement imports a name under another, or defines a class with a body.
    """
    bound: set[str] = set()
    for node in outside_functions(body):
        if isinstance(node, nodes.comprehension):
            continue
        targets = list(getattr(node, "targets", None) or [getattr(node, "target", None)])
        targets.append(getattr(node, "optional_vars", None))
        bound |= bound_by(targets)
        names = [getattr(node, field, None) for field in ("name", "asname")]
        bound.update(one.id if isinstance(one, nodes.Name) else one for one in names if one is not None)
    return bound
