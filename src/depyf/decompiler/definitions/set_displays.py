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
            if hash_is_random(node.elts.constant.value):
                node.elts.sort(key=lambda one: places.get(_first_of(one), len(places)))


def _with_order(value: nodes.Expression, places: dict[object, int]) -> nodes.Expression:
    if not isinstance(value, nodes.Constant) or not isinstance(value.value, frozenset):
        return value
    values = value.value
    if not hash_is_random(values) or not all(type(one) in (str, bytes) for one in values):
        return value
    return nodes.Set([*map(nodes.Constant, sorted(set_order(values), key=lambda one: places.get(one, len(places))))])


def _first_of(element: nodes.Expression) -> object:
    """Return the string that the compiler comes to first, of an element or of the tuple that it is."""
    value: object = element
    while isinstance(value, nodes.Tuple) and value.elts:
        value = value.elts[0]
    value = value.value if isinstance(value, nodes.Constant) else None
    while isinstance(value, tuple) and value:
        value = value[0]
    return value if isinstance(value, (str, bytes)) else None
