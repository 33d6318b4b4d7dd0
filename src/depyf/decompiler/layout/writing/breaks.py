"""Where rows break."""

from __future__ import annotations

from ..matching.tokens import CLOSING, OPENING
from .item import Item

_OPERATORS = frozenset("% + - * / or and not in is".split())
_BEFORE_OPERATOR = frozenset("if else for and or in not is .".split())


def break_habit(before: str, item: Item, *, hangs: bool) -> int:
    """Score how usual a line break between these two is; ``hangs``: what follows is indented as little as most is."""
    score = 0
    if before in OPENING:
        score += 12 if item.symbol not in CLOSING else -5
    elif before == ",":
        score += 10
    elif item.symbol in _BEFORE_OPERATOR:
        score += 5
    if item.symbol == "(" and before in _OPERATORS and not hangs:
        score += 13  # a tuple or an operand
    if item.symbol in CLOSING or item.text in (",", ":", "="):
        score -= 15
    if before == ".":
        score -= 10
    return score
