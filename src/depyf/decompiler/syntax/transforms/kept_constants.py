"""``('c' if True else None) or x`` where the bytecode has a constant that compilers fold if it is written alone.

What the author wrote became that constant only after its surroundings had been looked at: ``(__debug__ and 'c') or x``,
``('a' if __debug__ else 'b') + 'c'``.
"""

from __future__ import annotations

from typing import List

from depyf.decompiler.syntax import nodes
from depyf.decompiler.syntax.node import Node, Statement
from depyf.decompiler.syntax.traverse import rewrite

__all__ = ["keep_constants"]


def keep_constants(body: List[Statement]) -> bool:
    """Keep apart the constants of ``body`` that compilers fold with others; whether there are any."""
    kept: list[nodes.Constant] = []

    def keep(node: Node) -> Node:
        if isinstance(node, nodes.BoolOp):
            last = node.values[-1]
            node.values = [value if value is last else apart(value) for value in node.values]
        elif isinstance(node, nodes.UnaryOp):
            node.operand = apart(node.operand)
        elif isinstance(node, nodes.BinOp) and isinstance(node.right, nodes.Constant):
            node.left = apart(node.left)
        elif isinstance(node, nodes.Subscript) and isinstance(node.slice, nodes.Constant):
            node.value = apart(node.value)
        elif isinstance(node, nodes.Tuple) and all(isinstance(item, nodes.Constant) for item in node.elts):
            node.elts[:1] = map(apart, node.elts[:1])
        return node

    def apart(value: nodes.Expression) -> nodes.Expression:
        if not isinstance(value, nodes.Constant):
            return value
        kept.append(value)
        return nodes.IfExp(nodes.Constant(True), value, nodes.Constant(None))

    rewrite(nodes.Module(body), keep)
    return bool(kept)
