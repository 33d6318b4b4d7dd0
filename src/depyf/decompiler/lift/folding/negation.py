"""The opposite of a condition."""

from __future__ import annotations

from typing import Tuple

from ...syntax import nodes
from ..values import Truth, resolved, same_expression

_OPPOSITE = {"is": "is not", "is not": "is", "in": "not in", "not in": "in"}
# The opposites of == and < are other operations (they call other methods), so they stay under a `not`.

_Form = Tuple[Tuple[int, int], nodes.Expression]
"""How many comparisons have another operator than the instructions and how many ``not`` there are, and the text."""


def negate(test: nodes.Expression) -> nodes.Expression:
    """A condition that is true when ``test`` is false: with the operators of the instructions if possible, and with as
    few ``not`` as possible.

    ``x is None or not y`` and ``not (x is not None and y)`` differ in the first comparison alone.
    """
    return _negated(test)[1]


def settle(test: nodes.Expression) -> nodes.Expression:
    """``test``, in the form that has the operators of the instructions."""
    return _plain(test)[1]


def same_condition(left: nodes.Expression, right: nodes.Expression, *, opposite: bool = False) -> bool:
    """Whether two conditions are the same, in whatever form; ``opposite``: that one is true when the other is not."""
    return same_expression(_pushed(left, opposite), _pushed(right, False))


def _pushed(test: nodes.Expression, negative: bool) -> nodes.Expression:
    """``test`` or its opposite, with ``not`` at the operands of ``and`` and ``or`` alone."""
    test = resolved(test)
    if isinstance(test, nodes.BoolOp):
        op = test.op if not negative else "or" if test.op == "and" else "and"
        return nodes.BoolOp(op, [_pushed(value, negative) for value in test.values])
    if isinstance(test, nodes.UnaryOp) and test.op == "not":
        return _pushed(test.operand, not negative)
    return _negated(test)[1] if negative else test


def _negated(test: nodes.Expression) -> _Form:
    test = resolved(test)
    if isinstance(test, Truth):
        return (0, 1), nodes.UnaryOp("not", test.value)
    if isinstance(test, nodes.UnaryOp) and test.op == "not":
        return (_flips(test.operand), _nots(test.operand)), test.operand
    if isinstance(test, nodes.Compare) and len(test.ops) == 1 and test.ops[0] in _OPPOSITE:
        flipped = None if test.flipped is None else not test.flipped
        return (int(bool(flipped)), 0), nodes.Compare(
            test.left, [_OPPOSITE[test.ops[0]]], test.comparators, flipped
        )
    if isinstance(test, nodes.BoolOp):
        cost, text = _boolean(test.op, [_plain(value) for value in test.values])
        wrapped = (cost[0], cost[1] + 1), nodes.UnaryOp("not", text)
        opposite = _boolean("or" if test.op == "and" else "and", [_negated(value) for value in test.values])
        return opposite if opposite[0] <= wrapped[0] else wrapped
    return (0, 1), nodes.UnaryOp("not", test)


def _plain(test: nodes.Expression) -> _Form:
    test = resolved(test)
    cost = _flips(test), _nots(test)
    if not cost[0] or not isinstance(test, nodes.BoolOp):
        return cost, test
    same = _boolean(test.op, [_plain(value) for value in test.values])
    opposite = _boolean("or" if test.op == "and" else "and", [_negated(value) for value in test.values])
    if opposite[0][0] < same[0][0]:
        return (opposite[0][0], 1), nodes.UnaryOp("not", opposite[1])
    return same


def _boolean(op: str, forms: list[_Form]) -> _Form:
    costs = [cost for cost, _ in forms]
    total = sum(cost[0] for cost in costs), sum(cost[1] for cost in costs)
    return total, nodes.BoolOp(op, [text for _, text in forms])


def _flips(test: nodes.Expression) -> int:
    test = resolved(test)
    if isinstance(test, nodes.BoolOp):
        return sum(map(_flips, test.values))
    if isinstance(test, nodes.UnaryOp) and test.op == "not":
        return _flips(test.operand)
    return isinstance(test, nodes.Compare) and bool(test.flipped)


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
