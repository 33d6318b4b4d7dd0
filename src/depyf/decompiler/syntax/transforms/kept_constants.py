"""``('c' if True else None) or x`` where the bytecode has a constant that compilers would fold if written plainly.

The source form became that constant only after the surrounding code had been folded: ``(__debug__ and 'c') or x``,
``('a' if __debug__ else 'b') + 'c'``.
"""

from __future__ import annotations

from .. import nodes
from ..node import Node, Statement
from ..traverse import rewrite, walk
from .folded_tests import folded

__all__ = ["apart", "keep_constants"]


def keep_constants(body: list[Statement]) -> bool:
    """Write the constants of ``body`` that compilers would fold so that they don't; return whether there are any."""
    kept: list[nodes.Constant] = []
    tests = [node for node in walk(nodes.Module(body)) if folded(node)]
    others = {id(node) for node in tests} | {id(test.value) for test in tests if isinstance(test, nodes.Subscript)}

    def alone(value: nodes.Expression) -> nodes.Expression:
        if not isinstance(value, nodes.Constant):
            return value
        kept.append(value)
        return apart(value)

    def keep(node: Node) -> Node:
        if id(node) in others:
            return node
        if isinstance(node, nodes.BoolOp):
            last = node.values[-1]
            node.values = [value if value is last else alone(value) for value in node.values]
        elif isinstance(node, nodes.UnaryOp):
            node.operand = alone(node.operand)
        elif isinstance(node, nodes.BinOp) and isinstance(node.right, nodes.Constant):
            node.left = alone(node.left)
        elif isinstance(node, nodes.Subscript) and isinstance(node.slice, nodes.Constant):
            node.value = alone(node.value)
        elif isinstance(node, nodes.Tuple) and all(isinstance(item, nodes.Constant) for item in node.elts):
            node.elts[:1] = map(alone, node.elts[:1])
        return node

    rewrite(nodes.Module(body), keep)
    return bool(kept)


def apart(value: nodes.Expression) -> nodes.Expression:
    """``value`` in a form that no version's compiler folds."""
    return nodes.IfExp(nodes.Constant(True), value, nodes.Constant(None))
