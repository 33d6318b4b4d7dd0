"""The opposite of a condition."""

from __future__ import annotations

from ...syntax import nodes
from ..columns import column_of_test
from ..values import Truth, resolved, same_expression

_OPPOSITE = {"is": "is not", "is not": "is", "in": "not in", "not in": "in"}
_DUAL = {"and": "or", "or": "and"}
_CHANGED = 1 << 16
# The opposites of == and < call other methods, so these comparisons are negated with `not`.


def negate(test: nodes.Expression) -> nodes.Expression:
    """Return the negation of ``test``, with as few changed comparisons and ``not`` as possible."""
    test = resolved(test)
    if test.__class__ is Truth:
        return nodes.UnaryOp("not", test.value)
    if test.__class__ is nodes.UnaryOp and test.op == "not":
        return test.operand
    if test.__class__ is nodes.Compare and test.ops[-1] in _OPPOSITE and not test.ops[1:]:
        if test.opposite is not None:
            return test.opposite
        if test.keeps_not:
            return nodes.UnaryOp("not", test)
        opposite = nodes.Compare(test.left, [_OPPOSITE[test.ops[0]]], test.comparators)
        opposite.opposite = test
        return opposite
    if test.__class__ is nodes.BoolOp:
        parts = [negate(value) for value in test.values]
        if sum(map(_cost, parts)) <= sum(map(_cost, test.values)) + 1:  # for the `not` in front
            return nodes.BoolOp(_DUAL[test.op], parts, test.gap, test.later_gaps)
    if test.__class__ is nodes.IfExp:
        parts = [negate(test.body), negate(test.orelse)]
        if sum(map(_cost, parts)) <= _cost(test):
            return nodes.IfExp(test.test, *parts)
    return nodes.UnaryOp("not", test)


def spelled(test: nodes.Expression) -> nodes.Expression:
    """Return ``test`` with ``not`` before an ``and`` or ``or`` whose comparisons can then stay as they are in the
    bytecode: ``not (a is b and c is d)`` for ``a is not b or c is not d``.
    """
    if test.__class__ is nodes.UnaryOp and test.op == "not" and isinstance(resolved(test.operand), nodes.BoolOp):
        inner = resolved(test.operand)
        assert isinstance(inner, nodes.BoolOp)
        values = [spelled(negate(value)) for value in inner.values]
        plain = nodes.BoolOp(_DUAL[inner.op], values, inner.gap)
        return plain if _fits(plain) and not _fits(inner) else test
    if test.__class__ is not nodes.BoolOp:
        return test
    values = [spelled(resolved(value)) for value in test.values]
    values = _with_groups(test, values)
    plain = nodes.BoolOp(test.op, values, test.gap)
    parts = [negate(value) for value in values]
    negated = nodes.BoolOp(_DUAL[test.op], parts, test.gap)
    if _fits(plain):
        return plain
    is_negated = _fits(negated) and not any(isinstance(part, nodes.UnaryOp) for part in parts)
    more = sum(map(changes, parts)) - sum(map(changes, values))
    return nodes.UnaryOp("not", negated) if more < 0 or is_negated and not more else plain


def other_form(test: nodes.Expression) -> nodes.Expression | None:
    """Return ``not (a and b)`` for ``not a or not b``, and the other way round; None for any other test, or if the gap
    between the operands is known.
    """
    inner = resolved(test.operand) if isinstance(test, nodes.UnaryOp) and test.op == "not" else test
    if not isinstance(inner, nodes.BoolOp) or inner.gap is not None:
        return None
    if inner is test and not all(isinstance(resolved(value), nodes.UnaryOp) for value in inner.values):
        return None
    other = nodes.BoolOp(_DUAL[inner.op], [negate(value) for value in inner.values], None, inner.later_gaps)
    return nodes.UnaryOp("not", other) if inner is test else other


def _with_groups(test: nodes.BoolOp, values: list[nodes.Expression]) -> list[nodes.Expression]:
    """Join those of ``values`` that the gaps show to be one operand: ``a and not (b or c)``. Not all of them, nor all
    but negations without a known gap beside them: then the whole test is negated.
    """
    found: list[nodes.Expression] = []
    gaps = (test.gap, *test.later_gaps)
    is_apart = False
    group: list[nodes.Expression] = []
    for number, value in enumerate(values):
        gap = gaps[number] if number < len(gaps) else None
        following = values[number + 1] if gap is not None else None
        pair = nodes.BoolOp(_DUAL[test.op], [negate(one) for one in (value, following) if one is not None], gap)
        joins = following is not None and _fits(pair) and not _fits(nodes.BoolOp(test.op, [value, following], gap))
        if joins and not any(isinstance(one, nodes.UnaryOp) or changes(one) for one in pair.values):
            group.append(value)
        elif len(group) + 1 == len(values):
            return values
        elif group:
            found.append(nodes.UnaryOp("not", nodes.BoolOp(_DUAL[test.op], [negate(one) for one in [*group, value]])))
            group = []
        else:
            found.append(value)
            beside = (gap, gaps[number - 1] if 0 < number <= len(gaps) else None)
            is_apart |= not isinstance(value, nodes.UnaryOp) or beside != (None, None)
    return found if is_apart or len(found) == len(values) else values


def _fits(test: nodes.BoolOp) -> bool:
    """Whether the text between the first two operands of ``test`` is as wide as it is in the original source."""
    if test.gap is None or any(isinstance(resolved(value), nodes.BoolOp) for value in test.values[:2]):
        return False
    end, column = test.gap
    return column_of_test(test.op, column, resolved(test.values[1])) == end + 1


def same_condition(left: nodes.Expression, right: nodes.Expression, *, opposite: bool = False) -> bool:
    """Whether two conditions are equivalent up to negation normal form; ``opposite``: whether one negates the other."""
    return same_expression(_pushed(left, opposite), _pushed(right, False))


def _pushed(test: nodes.Expression, negative: bool) -> nodes.Expression:
    """Return ``test``, or its negation if ``negative``, in negation normal form."""
    test = resolved(test)
    if isinstance(test, nodes.BoolOp):
        op = _DUAL[test.op] if negative else test.op
        return nodes.BoolOp(op, [_pushed(value, negative) for value in test.values])
    if isinstance(test, nodes.UnaryOp) and test.op == "not":
        return _pushed(test.operand, not negative)
    if isinstance(test, nodes.IfExp):
        return nodes.IfExp(_pushed(test.test, False), _pushed(test.body, negative), _pushed(test.orelse, negative))
    return negate(test) if negative else test


def changes(test: nodes.Expression) -> int:
    """Return how many comparisons of ``test`` are the opposites of those in the bytecode."""
    return _cost(test) // _CHANGED


def _cost(test: nodes.Expression) -> int:
    """Return the distance of ``test`` from the bytecode: a changed comparison costs more than any number of ``not``."""
    test = resolved(test)
    if test.__class__ is nodes.BoolOp:
        return sum(map(_cost, test.values))
    if test.__class__ is nodes.IfExp:
        return _cost(test.body) + _cost(test.orelse)
    if test.__class__ is nodes.UnaryOp and test.op == "not":
        return 1 + (_cost(test.operand) if isinstance(resolved(test.operand), nodes.BoolOp) else 0)
    return _CHANGED if test.__class__ is nodes.Compare and test.opposite is not None else 0


def conjunction(
    op: str, left: nodes.Expression, right: nodes.Expression, *, grouped: bool = False
) -> nodes.BoolOp:
    """Return ``left op right`` for op 'and' or 'or', flattened; ``grouped``: with ``left`` and the first operand of
    ``right`` in parentheses.
    """
    whole = resolved(right)
    tail = _values(op, whole)
    if grouped and len(tail) > 1:
        left = nodes.BoolOp(op, [left, *_values(op, tail[0])])
        tail = tail[1:]
    found = nodes.BoolOp(op, [left, *tail])
    if not grouped and len(tail) > 1:
        assert isinstance(whole, nodes.BoolOp)
        found.later_gaps = whole.gap, *whole.later_gaps
    return found


def _values(op: str, test: nodes.Expression) -> list[nodes.Expression]:
    return test.values if isinstance(test, nodes.BoolOp) and test.op == op else [test]
