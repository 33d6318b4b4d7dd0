"""Walking and rewriting trees without recursion: a chain of `elif` may nest deeper than the stack allows."""

from __future__ import annotations

from typing import Any, Callable, Container, Iterator, Sequence, Union

from .node import NODES, Node, Statement

Tree = Union[Node, Sequence[Node]]
Rewritten = Union[Node, Sequence[Node], None]

# The fields that hold statements. Handlers and cases are nodes with their own body.
BODY_FIELDS = ("body", "orelse", "finalbody")


def walk(tree: Tree, *, leaves: bool = True) -> Iterator[Node]:
    """Every node of a tree or of a list of trees, parents before children, in the order of the fields. Without
    ``leaves``, of those below only the ones that may have children.
    """
    work = [tree] if isinstance(tree, Node) else list(reversed(tree))
    pop, push = work.pop, work.append
    while work:
        node = pop()
        yield node
        for value in node.held(node) if node.last_first else ():
            if value.__class__ is list:
                for item in reversed(value):
                    if item.__class__ in NODES and (leaves or item.last_first):
                        push(item)
            elif value.__class__ in NODES and (leaves or value.last_first):
                push(value)


def children(node: Node) -> Iterator[Node]:
    """The nodes directly below."""
    for value in reversed(node.held(node)):
        yield from [one for one in (value if value.__class__ is list else [value]) if one.__class__ in NODES]


def rewrite(tree: Node, function: Callable[[Node], Rewritten], of: Container[type[Node]] = NODES) -> Node:
    """Replace each node of the classes `of` by the result of `function`, children first, in place; return the new root.

    In a list of nodes `function` may also return a list, which is spliced, or None, which removes the node.
    Raises TypeError if it does so for a node that is not in a list.
    """
    for parent in reversed([*walk(tree, leaves=False)]):
        for field, value in reversed([*zip(parent.last_first, parent.held(parent))]):
            if value.__class__ in of:
                new = function(value)
                if new is not value:
                    setattr(parent, field, _single(new))
            elif value.__class__ is list and value:
                items = value[:]
                results = [function(item) if item.__class__ in of else item for item in items]
                if [new for item, new in zip(items, results) if new is not item]:
                    value[:] = _spliced(items, results)
    return _single(function(tree)) if tree.__class__ in of else tree


def _single(new: Rewritten) -> Node:
    if not isinstance(new, Node):
        raise TypeError(f"a node outside a list must be replaced by a node, not by {new!r}")
    return new


def _spliced(items: list[Any], results: list[Any]) -> Iterator[object]:
    for item, new in zip(items, results):
        if new is item or isinstance(new, Node):
            yield new
        elif new is not None:
            yield from new


def statement_bodies(node: Node) -> list[list[Statement]]:
    """The lists of statements directly below a node, including those of handlers and cases."""
    found: list[list[Statement]] = []
    for field, value in zip(node.holds_bodies, node.suites(node)):
        if value.__class__ is list:
            found += [value] if field in BODY_FIELDS else [part.body for part in value]
    return found


def statements_in_order(body: list[Statement], skip: tuple[type[Node], ...] = ()) -> Iterator[Statement]:
    """The statements of a body and those within them, in text order; none within classes `skip`."""
    work = body[::-1]
    while work:
        statement = work.pop()
        yield statement
        if statement.holds_bodies and statement.__class__ not in skip:
            for inner in reversed(statement_bodies(statement)):
                work += inner[::-1]


def rewrite_bodies(
    body: list[Statement], function: Callable[[list[Statement]], None], skip: tuple[type[Node], ...] = ()
) -> list[Statement]:
    """Let `function` change every list of statements in place, inner ones first, `body` itself last.

    The bodies within statements of the classes `skip` are left alone.
    """
    for inner in reversed(bodies(body, skip)):
        function(inner)
    return body


def classes_in(body: list[Statement]) -> set[type[Statement]]:
    """The classes of the statements of a body and of those within them."""
    return {type(statement) for inner in bodies(body) for statement in inner}


def bodies(body: list[Statement], skip: tuple[type[Node], ...] = ()) -> list[list[Statement]]:
    """`body` and every list of statements within it, outer ones first, except those within classes `skip`."""
    found = [body]
    for outer in found:  # grows along
        for statement in outer:
            if statement.holds_bodies and statement.__class__ not in skip:
                found += statement_bodies(statement)
    return found
