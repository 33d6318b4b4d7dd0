"""The opposite of a condition."""

from __future__ import annotations

from ...syntax import nodes
from ..values import Truth, resolved

_OPPOSITE = {"is": "is not", "is not": "is", "in": "not in", "not in": "in"}
# The opposites of == and < are other operations (they call other methods), so they stay under a `not`.


def negate(test: nodes.Expression) -> nodes.Expression:
    """A condition that is true when ``test`` is false, with as few ``not`` as possible."""
    test = resolved(test)
    if isinstance(test, Truth):
        return nodes.UnaryOp("not", test.value)
    if isinstance(test, nodes.UnaryOp) and test.op == "not":
        return test.operand
    if isinstance(test, nodes.Compare) and len(test.ops) == 1 and test.ops[0] in _OPPOSITE:
        return nodes.Compare(test.left, [_OPPOSITE[test.ops[0]]], test.comparators)
    if isinstance(test, nodes.BoolOp):
        parts = [negate(value) for value in test.values]
        if sum(map(_nots, parts)) <= sum(map(_nots, test.values)):
            return nodes.BoolOp("or" if test.op == "and" else "and", parts)
    return nodes.UnaryOp("not", test)


def _nots(test: nodes.Expression) -> int:
    test = resolved(test)
    if isinstance(test, nodes.BoolOp):
        return sum(map(_nots, test.values))
    return isinstance(test, nodes.UnaryOp) and test.op == "not"


def conjunction(op: str, left: nodes.Expression, right: nodes.Expression) -> nodes.BoolOp:
    """``left op right`` for op 'and' or 'or', flat."""
    right = resolved(right)
    tail = right.values if isinstance(right, nodes.BoolOp) and right.op == op else [right]
    return nodes.BoolOp(op, [left, *tail])
