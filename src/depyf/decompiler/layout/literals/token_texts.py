"""What was found for the tokens of a text."""

from __future__ import annotations


class TokenTexts:
    """Other spellings of tokens; ``joined``: their lines are adjacent literals; ``expressions``: those that
    are expressions -> the literal with the same value.

    ``quote``: of literals that could as well have the other; ``without``: omitted tokens; ``negated``: tokens to write
    after ``not``; ``squeezed``: tokens to write without a space before them.
    """

    def __init__(self, quote: str = "'") -> None:
        self.quote = quote
        self.texts: dict[int, str] = {}
        self.joined: set[int] = set()
        self.expressions: dict[int, str] = {}
        self.without: set[int] = set()
        self.negated: set[int] = set()
        self.squeezed: set[int] = set()

    def tokens(self) -> set[int]:
        """Return the tokens of which anything is known."""
        return self.joined.union(self.texts, self.expressions, self.without, self.negated, self.squeezed)
