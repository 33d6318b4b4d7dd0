"""What the order of constants says about the expression that one was folded from (3.14 on)."""

from __future__ import annotations

import ast
import operator
from typing import Any, Callable

from ..matching.folded import Folding

_BINARY: dict[type[ast.operator], Callable[[Any, Any], object]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.LShift: operator.lshift,
    ast.RShift: operator.rshift, ast.BitOr: operator.or_, ast.BitAnd: operator.and_, ast.BitXor: operator.xor,
}  # fmt: skip
_UNARY: dict[type[ast.unaryop], Callable[[Any], object]] = {
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert,
}  # fmt: skip


def fits_order(text: str, origin: Folding) -> bool:
    """Whether ``text`` may be what the constant was folded from. It is an expression that the compiler folds."""
    if origin.order is None:
        return True
    literals: list[object] = []
    results: list[object] = []

    def value(node: ast.AST) -> object:
        if isinstance(node, ast.Constant):
            literals.append(node.value)
            return node.value
        if isinstance(node, ast.BinOp):
            results.append(_BINARY[type(node.op)](value(node.left), value(node.right)))
        elif isinstance(node, ast.UnaryOp):
            results.append(_UNARY[type(node.op)](value(node.operand)))
        else:
            raise ValueError(f"{type(node).__name__} is no operation on constants")
        return results[-1]

    try:
        value(ast.parse(text, mode="eval").body)
    except (SyntaxError, LookupError, ArithmeticError, ValueError):
        return True
    return origin.allows(literals, results[:-1])
