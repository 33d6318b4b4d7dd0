"""The patterns of match statements as text."""

from __future__ import annotations

import math
from typing import Any, Callable

from ..syntax import nodes as n
from .constant_text import PrintError
from .expression_printer import ExpressionPrinter
from .line_wrapping import BIT_OR, CLOSE, COMMA, OPEN, OPEN_ITEMS

# How tightly a pattern binds: `a as b` loosest, then `a | b`, then all others.
AS, OR, CLOSED = range(3)


def _is_less_zero(value: complex) -> bool:
    """Whether only a difference gives ``value``, as `1 - 0j`: patterns have no products and no negated sums."""
    is_negated = not value.real and math.copysign(1, value.real) < 0
    return not value.imag and math.copysign(1, value.imag) < 0 and not is_negated


class PatternPrinter:
    """Writes patterns, marked for `line_wrapping`; the expressions in them are written by the given printer."""

    def __init__(self, expressions: ExpressionPrinter) -> None:
        self.expressions = expressions

    def pattern(self, node: n.Node, precedence: int = AS) -> str:
        """The text of a pattern. Raises PrintError if it has none."""
        method = _METHODS.get(type(node))
        if method is None:
            raise PrintError(f"no pattern: {type(node).__name__}")
        return method(self, node, precedence)

    def MatchValue(self, node: n.MatchValue, precedence: int) -> str:
        return self.literal(node.value)

    def literal(self, node: n.Expression) -> str:
        """A literal or a dotted name; a long string must not get the parentheses that expressions allow."""
        if isinstance(node, n.Constant) and isinstance(node.value, str):
            return self.expressions.string(node.value)
        if isinstance(node, n.Constant) and isinstance(node.value, complex) and _is_less_zero(node.value):
            return f"{self.expressions.expression(n.Constant(node.value.real))} - 0j"
        return self.expressions.expression(node)

    def MatchSingleton(self, node: n.MatchSingleton, precedence: int) -> str:
        return repr(node.value)

    def MatchSequence(self, node: n.MatchSequence, precedence: int) -> str:
        return f"[{OPEN_ITEMS}{self._items([self.pattern(item) for item in node.patterns])}{CLOSE}]"

    def MatchMapping(self, node: n.MatchMapping, precedence: int) -> str:
        items = [f"{self.literal(key)}: {self.pattern(value)}" for key, value in zip(node.keys, node.patterns)]
        if node.rest is not None:
            items.append("**" + node.rest)
        return f"{{{OPEN_ITEMS}{self._items(items)}{CLOSE}}}"

    def MatchClass(self, node: n.MatchClass, precedence: int) -> str:
        items = [self.pattern(item) for item in node.patterns]
        items += [f"{name}={self.pattern(item)}" for name, item in zip(node.kwd_attrs, node.kwd_patterns)]
        return f"{self.expressions.expression(node.cls)}({OPEN_ITEMS}{self._items(items)}{CLOSE})"

    def MatchStar(self, node: n.MatchStar, precedence: int) -> str:
        return "*" + (node.name or "_")

    def MatchAs(self, node: n.MatchAs, precedence: int) -> str:
        if node.pattern is None:
            return node.name or "_"
        text = f"{self.pattern(node.pattern, OR)} as {node.name}"
        return f"({OPEN}{text}{CLOSE})" if precedence > AS else text

    def MatchOr(self, node: n.MatchOr, precedence: int) -> str:
        text = f"{BIT_OR}| ".join([self.pattern(item, CLOSED) for item in node.patterns])
        return f"({OPEN}{text}{CLOSE})" if precedence > OR else text

    def _items(self, items: list[str]) -> str:
        return f",{COMMA}".join(items)


# The method of each class of nodes has the name of the class.
_METHODS: dict[type, Callable[[PatternPrinter, Any, int], str]] = {
    getattr(n, name): method for name, method in vars(PatternPrinter).items() if name.startswith("Match")
}
