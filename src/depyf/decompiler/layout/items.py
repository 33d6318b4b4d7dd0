"""Tokens with places, the author's parentheses among them: what is written."""

from __future__ import annotations

from typing import NamedTuple

from .places import Places
from .tokens import Tokens


class Item:
    """A token: its text, the place that it shall have (None where nothing is known), the blanks usual before it."""

    __slots__ = ("text", "line", "column", "space", "is_glued", "in_string")

    def __init__(
        self, text: str, line: int | None, column: int | None, space: int, is_glued: bool, in_string: bool
    ) -> None:
        self.text, self.line, self.column, self.space = text, line, column, space
        self.is_glued, self.in_string = is_glued, in_string

    @property
    def width(self) -> int:
        """In bytes, of its last line."""
        text = self.text[self.text.rfind("\n") + 1 :]
        return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))

    def __repr__(self) -> str:
        return f"{self.text!r}@{self.line}:{self.column}"


class Line(NamedTuple):
    """A logical line: its items, how deep it is, the number of its header (-1 for none), whether it is a header."""

    items: list[Item]
    depth: int
    is_header: bool
    parent: int


def items_of(cut: Tokens, places: Places) -> list[Line]:
    """The logical lines with their places."""
    opening: dict[int, list[Item]] = {}
    closing: dict[int, list[Item]] = {}
    for span, opens, closes in sorted(places.parentheses, key=lambda one: (one.span[0], -one.span[1])):
        opening.setdefault(span[0], []).append(_item("(", opens))
        at = (closes[0], closes[1] - 1) if closes is not None else None
        closing.setdefault(span[1], []).insert(0, _item(")", at))
    lines = []
    for statement in cut.statements:
        items: list[Item] = []
        space = 0
        for number in range(statement.start, statement.end):
            token = cut.tokens[number]
            if number in places.dropped:
                space = max(space, token.space)
                continue
            start = places.starts[number]
            line, column = start if start is not None else (places.lines[number], None)
            space = max(space, token.space)
            for item in opening.get(number, ()):
                item.space, space = space, 0
                items.append(item)
            items.append(Item(token.text, line, column, space, token.is_glued, token.in_string))
            items += closing.get(number, ())
            space = 0
        lines.append(Line(items, statement.depth, statement.is_header, statement.parent))
    return lines


def _item(text: str, at: tuple[int, int] | None) -> Item:
    line, column = at if at is not None else (None, None)
    return Item(text, line, column, 0, False, False)
