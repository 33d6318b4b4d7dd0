"""``('c' if True else None) or x`` where the bytecode has a constant that compilers would fold if written plainly.

The source form became that constant only after the surrounding code had been folded: ``(__debug__ and 'c') or x``,
``('a' if __debug__ else 'b') + 'c'``. A string in an operation most often was a formatted one: ``f'a' + 'b'``.
"""

from __future__ import annotations

from .. import nodes
from ..node import Node, Statement
from ..traverse import rewrite, walk
from .folded_tests import folded

__all__ = ["apart", "keep_constants"]


def keep_constants(body: list[Statement], *, formats_fold: bool = True) -> bool:
    """Write the constants of ``body`` that compilers would fold so that they don't; return whether there are any.

    ``formats_fold``: whether those of formatted strings without fields are folded, too.
    """
    kept = _Kept(formats_fold)
    tests = [node for node in walk(nodes.Module(body)) if folded(node)]
    others = {id(node) for node in tests} | {id(test.value) for test in tests if isinstance(test, nodes.Subscript)}
    rewrite(nodes.Module(body), lambda node: node if id(node) in others else kept.changed(node))
    return kept.any


class _Kept:
    """Changes nodes so that no constant in them is folded; ``any`` says whether there was one."""

    def __init__(self, formats_fold: bool) -> None:
        self.any = False
        self._formats_fold = formats_fold

    def changed(self, node: Node) -> Node:
        if isinstance(node, nodes.BoolOp):
            last = node.values[-1]
            node.values = [value if value is last else self._constant(value) for value in node.values]
        elif isinstance(node, nodes.UnaryOp):
            node.operand = self._operand(node.operand)
        elif isinstance(node, nodes.BinOp) and isinstance(node.right, nodes.Constant):
            node.left = self._operand(node.left)
        elif isinstance(node, nodes.Subscript) and isinstance(node.slice, nodes.Constant):
            node.value = self._operand(node.value)
        elif isinstance(node, (nodes.Tuple, nodes.List, nodes.Set)) and _is_one_by_one(node):
            node.elts[:1] = map(self._constant, node.elts[:1])
        elif isinstance(node, (nodes.For, nodes.comprehension)) and not _is_assignment(node):
            node.iter = self._display(node.iter)
        elif isinstance(node, nodes.Compare) and node.ops[-1] in ("in", "not in"):
            node.comparators[-1] = self._display(node.comparators[-1])
        return node

    def _operand(self, value: nodes.Expression) -> nodes.Expression:
        is_text = isinstance(value, nodes.Constant) and type(value.value) is str and value.value
        if self._formats_fold or not is_text:
            return self._constant(value)
        self.any = True
        return nodes.JoinedStr([value])

    def _constant(self, value: nodes.Expression) -> nodes.Expression:
        return self._apart(value) if isinstance(value, nodes.Constant) else value

    def _display(self, value: nodes.Expression) -> nodes.Expression:
        return self._apart(value) if _is_read_as_tuple(value) else value

    def _apart(self, value: nodes.Expression) -> nodes.Expression:
        self.any = True
        return apart(value)


def _is_one_by_one(display: nodes.Tuple | nodes.List | nodes.Set) -> bool:
    """Whether the code loads constants one by one that plain text would have as one."""
    is_folded = isinstance(display, nodes.Tuple) or len(display.elts) > 2 and type(display.elts) is list
    return is_folded and all(isinstance(item, nodes.Constant) for item in display.elts)


def _is_assignment(node: nodes.For | nodes.comprehension) -> bool:
    """Whether ``node`` is a clause such as ``for x in [y]``, of which the compiler makes no loop."""
    return isinstance(node, nodes.comprehension) and isinstance(node.iter, nodes.List) and len(node.iter.elts) == 1


def _is_read_as_tuple(value: nodes.Expression) -> bool:
    """Whether a loop, or ``in``, would compile this display to a tuple, or a constant."""
    if isinstance(value, nodes.Set):
        return all(isinstance(item, nodes.Constant) for item in value.elts)
    return isinstance(value, nodes.List) and not any(isinstance(item, nodes.Starred) for item in value.elts)


def apart(value: nodes.Expression, dead: nodes.Expression | None = None) -> nodes.Expression:
    """``value`` in a form that no version's compiler folds; ``dead`` is mentioned in it, and never evaluated."""
    return nodes.IfExp(nodes.Constant(True), value, nodes.Constant(None) if dead is None else dead)
