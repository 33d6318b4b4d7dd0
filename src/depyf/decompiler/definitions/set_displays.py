"""Sets of strings that the compiler folded: their order is random, but that of the constants shows a part of it.

From 3.14 on the compiler first adds the elements to the constants, one by one. Those that the code loads elsewhere stay
there, and so does the first constant in any case.
"""

from __future__ import annotations

from ..bytecode import RawCode
from ..lift.values import OfOneConstant
from ..syntax import nodes
from ..syntax.set_order import hash_is_random, set_order
from ..syntax.traverse import walk


def order_sets(body: list[nodes.Statement], raw: RawCode) -> None:
    """Write the elements of such sets in the order in which the constants have them, the others behind these."""
    places = {one: place for place, one in reversed([*enumerate(raw.consts)]) if type(one) in (str, bytes)}
    for node in walk(body):
        if isinstance(node, nodes.Compare) and node.ops[-1] in ("in", "not in"):
            node.comparators[-1] = _with_order(node.comparators[-1], places)
        elif isinstance(node, (nodes.For, nodes.comprehension)):
            node.iter = _with_order(node.iter, places)
        elif isinstance(node, nodes.Set) and isinstance(node.elts, OfOneConstant):
            values = [one.value for one in node.elts if isinstance(one, nodes.Constant)]
            if _has_unknown_order(frozenset(values)):
                node.elts[:] = _ordered(values, places)


def _with_order(value: nodes.Expression, places: dict[object, int]) -> nodes.Expression:
    if not isinstance(value, nodes.Constant) or not isinstance(value.value, frozenset):
        return value
    return nodes.Set(_ordered(set_order(value.value), places)) if _has_unknown_order(value.value) else value


def _has_unknown_order(values: frozenset[object]) -> bool:
    return hash_is_random(values) and all(type(one) in (str, bytes) for one in values)


def _ordered(values: list[object], places: dict[object, int]) -> list[nodes.Expression]:
    return [nodes.Constant(one) for one in sorted(values, key=lambda one: places.get(one, len(places)))]
