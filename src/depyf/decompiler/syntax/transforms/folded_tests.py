"""Tests of constants that were expressions: from 3.14 on, the compiler drops tests of literals before it folds."""

from __future__ import annotations

from .. import nodes
from ..node import Node, Statement
from ..traverse import walk

__all__ = ["folded", "literals_in_values", "not_yet_folded"]


def not_yet_folded(constant: nodes.Constant) -> nodes.Expression:
    """An expression that is folded to ``constant``, but only after the compiler has dropped the tests of literals."""
    if isinstance(constant.value, (int, float, str, bytes)) and not isinstance(constant.value, bool):
        return nodes.BinOp(constant, "*", nodes.Constant(1))
    return nodes.Subscript(nodes.Tuple([constant]), nodes.Constant(0))


def folded(node: Node) -> nodes.Constant | None:
    """The constant to which such an expression is folded; None for other nodes."""
    if isinstance(node, nodes.BinOp) and node.op == "*" and node.right == nodes.Constant(1):
        return node.left if isinstance(node.left, nodes.Constant) else None
    if isinstance(node, nodes.Subscript) and isinstance(node.value, nodes.Tuple) and node.slice == nodes.Constant(0):
        only = node.value.elts[0] if len(node.value.elts) == 1 else None
        return only if isinstance(only, nodes.Constant) else None
    return None


def literals_in_values(body: list[Statement]) -> None:
    """Write literals where a literal's test stays: ``(a or 1) and b``, of which ``a or 1`` is tested as a whole.

    In ``if (a or 1) and b`` it is not: each operand has its own jump.
    """
    parts = list(walk(nodes.Module(body)))
    if nodes.BoolOp not in map(type, parts):
        return
    tested = [part for part in parts if isinstance(part, (nodes.If, nodes.While, nodes.IfExp, nodes.Assert))]
    jumps: set[int] = set()
    for one in tested:
        _add_jumps(one.test, jumps)
    for part in parts:
        for test in getattr(part, "ifs", ()):
            _add_jumps(test, jumps)
        guard = getattr(part, "guard", None)
        if guard is not None:
            _add_jumps(guard, jumps)
    for part in parts:
        if isinstance(part, nodes.BoolOp) and id(part) not in jumps:
            part.values[:-1] = [_with_literal_end(value) for value in part.values[:-1]]


def _add_jumps(test: nodes.Expression, found: set[int]) -> None:
    """Add the identities of the operations in ``test`` whose operands jump."""
    todo = [test]
    while todo:
        one = todo.pop()
        if isinstance(one, nodes.BoolOp):
            found.add(id(one))
            todo += one.values
        elif isinstance(one, nodes.UnaryOp) and one.op == "not":
            todo.append(one.operand)
        elif isinstance(one, nodes.IfExp):
            todo += (one.body, one.orelse)


def _with_literal_end(value: nodes.Expression) -> nodes.Expression:
    """``value``, an operand that is tested as a whole, with a literal where it ends with a folded constant."""
    if isinstance(value, nodes.BoolOp):
        value.values[-1] = _literal(value.values[-1])
    elif isinstance(value, nodes.IfExp):
        value.body, value.orelse = _literal(value.body), _literal(value.orelse)
    return value


def _literal(value: nodes.Expression) -> nodes.Expression:
    return folded(value) or _with_literal_end(value)
