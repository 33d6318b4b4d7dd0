"""Parentheses around ``name := value`` that the syntax does not require: whether the author wrote them."""

from __future__ import annotations

from typing import Iterator

from .matching.anchors import Location
from .matching.tokens import CLOSING, OPENING, Token

_BEFORE = frozenset(("[", "(", "{", ","))
_AFTER = frozenset(("]", ")", "}", ",", "for", "async"))


def needless_parentheses(
    tokens: list[Token], starts: list[Location | None], ends: list[Location | None]
) -> Iterator[int]:
    """Yield the parentheses for which there is no room before the name, by the columns of what precedes it."""
    for opening, closing in _around_assignments(tokens):
        name = starts[opening + 1]
        known = next((n for n in range(opening - 1, -1, -1) if starts[n] is not None or ends[n] is not None), None)
        if name is None or known is None or tokens[known].line != tokens[opening].line:
            continue
        before, start, end = tokens[known], starts[known], ends[known]
        if end is None and start is not None:
            end = start[0], start[1] + before.end_column - before.column
        room = tokens[opening + 1].column - before.end_column
        if end is not None and end[0] == name[0] and name[1] - end[1] < room:
            yield from (opening, closing)


def _around_assignments(tokens: list[Token]) -> Iterator[tuple[int, int]]:
    """Yield the parentheses that may be missing: those of an element of a display or an argument of a call."""
    opened: list[int] = []
    for number, token in enumerate(tokens):
        if token.text in OPENING:
            opened.append(number)
        elif token.text in CLOSING and opened:
            first = opened.pop()
            following = tokens[number + 1].text if number + 1 < len(tokens) else ""
            if (
                opened
                and not token.in_string
                and [one.text for one in tokens[first + 2 : first + 3]] == [":="]
                and tokens[first].text == "("
                and tokens[first - 1].text in _BEFORE
                and following in _AFTER
            ):
                yield first, number
