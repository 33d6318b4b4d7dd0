"""Literals left of ``%``, which have no position: the compiler makes a formatted string of both operands."""

from __future__ import annotations

import ast

from ..matching.anchors import Extent
from ..matching.text import Span
from ..matching.tokens import Token
from .pieces import WIDTH, in_rows, split
from .token_texts import TokenTexts


def left_of_percent(
    found: TokenTexts, votes: dict[Span, Extent], tokens: list[Token]
) -> list[tuple[Span, Extent]]:
    """Return the extents of literals left of ``%``, which have no position: the compiler makes both an f-string.

    They begin where the operation does, and end before the first argument unless that is on a line of its own.
    """
    extents: list[tuple[Span, Extent]] = []
    literals = {}  # the literal -> the first token left of the operator, which may be our parenthesis, and the argument
    for number in range(len(tokens) - 3):
        if tokens[number].kind == "string" and (number, number) not in votes:
            ours = int(tokens[number + 1].text == ")" and number > 0 and tokens[number - 1].text == "(")
            after = tokens[number + 1 + ours : number + 3 + ours]
            if [one.text for one in after] == ["%", "("]:
                literals[number] = number - ours, number + ours + 3
    if not literals:
        return extents
    wanted = {one for both in literals.values() for one in both}
    starts: dict[int, Extent] = {}
    for span, extent in sorted(votes.items(), key=lambda one: one[0][1]):
        if span[0] in wanted:
            starts.setdefault(span[0], extent)
    for number, (first, last) in literals.items():
        whole, argument = starts.get(first), starts.get(last)
        if whole is None or argument is None:
            continue
        rows = argument[0] - whole[0]
        if not rows or argument[1] > whole[1] + len("% (") + 1:
            extents.append(((number, number), (whole[0], whole[1], argument[0], argument[1] - len(" % ("))))
        else:
            _of_rows(found, number, tokens[number].text, whole[1], rows - 1)
    return extents


def _of_rows(found: TokenTexts, number: int, text: str, column: int, rows: int) -> None:
    """Split a literal over ``rows`` line breaks; nothing more is known of it."""
    value = ast.literal_eval(text)
    if text.count("\n") == rows:
        return
    found.texts[number] = in_rows(split(value, rows + 1, WIDTH - column - 2), found.quote, column)
    found.joined.add(number)
