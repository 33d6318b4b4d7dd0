"""A token to write, with its location."""

from __future__ import annotations

from ..literals.strings import width_of

INDENT = 4


class Item:
    """A token: its text, the line and column it should get (None if unknown), and the spaces usual before it.

    ``is_joined``: its lines are adjacent string literals. ``symbol`` is the text of names and operators, a quote for
    others. ``width`` is the width of its last line, in bytes. ``otherwise``: the text to write where an operator beside
    it binds tighter. ``token`` is the number of the token; ``reach`` is the last token of an expression that begins
    exactly here, and ``since`` the first one of an expression that ends exactly here.
    """

    __slots__ = ("text", "line", "column", "space", "is_glued", "in_string", "is_joined", "symbol", "width",
                 "otherwise", "token", "reach", "since")  # fmt: skip

    def __init__(
        self, text: str, line: int | None, column: int | None, space: int, is_glued: bool, in_string: bool
    ) -> None:
        self.text, self.line, self.column, self.space = text, line, column, space
        self.is_glued, self.in_string = is_glued, in_string
        self.is_joined = False
        self.symbol = text
        self.otherwise: str | None = None
        self.token: int | None = None
        self.reach: int | None = None
        self.since: int | None = None
        self.width = width_of(text[text.rfind("\n") + 1 :] if "\n" in text else text)

    @property
    def end_line(self) -> int | None:
        """The row where it ends, if known."""
        return self.line + self.text.count("\n") if self.line is not None else None

    def __repr__(self) -> str:
        return f"{self.text!r}@{self.line}:{self.column}"
