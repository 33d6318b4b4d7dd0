"""Find tokens of our text by source position, or by line in the text with one token per line."""

from __future__ import annotations

import bisect
from typing import Any, Collection, Tuple

from ...bytecode.instruction import Position
from .tokens import CLOSING, OPENING, Tokens

Span = Tuple[int, int]
"""(first token, last token), inclusive."""

_NO_STUB = 1 << 30
_AWAY = 40
"""The most tokens between the two halves of a fused instruction."""


class Text:
    """Our tokens by the positions where they begin and end, and by their line in the exploded text."""

    def __init__(self, cut: Tokens) -> None:
        self.cut = cut
        self.starts = {(token.line, token.column): n for n, token in enumerate(cut.tokens)}
        self.ends = {(token.end_line, token.end_column): n for n, token in enumerate(cut.tokens)}
        self.exploded: dict[int, int] = {}
        self.spans: dict[Position, Span | None] = {}
        self.statement_of = [n for n, one in enumerate(cut.statements) for _ in range(one.start, one.end)]

    def span(self, position: Position) -> Span | None:
        """Return the tokens at ``position``; None unless it begins and ends at token boundaries."""
        try:
            return self.spans[position]
        except KeyError:
            line, end_line, column, end_column = position
            start = self.starts.get((line, column))
            end = self.ends.get((end_line, end_column))
            found = (start, end) if start is not None and end is not None and start <= end else None
            self.spans[position] = found
            return found

    def name_near(self, position: Position, name: Any, is_stored: bool) -> int | None:
        """Find the token of this variable, loaded or stored right after the one at ``position``."""
        span = self.span(position)
        if span is None:
            return None
        tokens, statement = self.cut.tokens, self.cut.statements[self.statement_of[span[1]]]
        depth = 0
        for number in range(span[1] + 1, min(statement.end, span[1] + _AWAY)):
            text = tokens[number].text
            if text == name and (is_stored or number + 1 == statement.end or tokens[number + 1].text != "="):
                return number
            depth += (text in OPENING) - (text in CLOSING)
            if depth < 0:
                break
        for number in range(span[0] - 1, max(statement.start, span[0] - _AWAY), -1):
            if tokens[number].text == name:  # the element of a comprehension precedes its variables
                return number
        return None

    def stubs(self, lines: Collection[int]) -> set[int]:
        """Return the headers of functions in which no code begins on these lines: their bodies can be left out."""
        tokens, statements = self.cut.tokens, self.cut.statements
        wanted = [number for number, one in enumerate(statements) if tokens[one.start].line in lines]
        found = set()
        number = first = 0  # the first decorator of the function
        while number < len(statements):
            depth, start = statements[number].depth, statements[number].start
            text = tokens[start].text  # the first token, or the whole statement
            end = number + 1
            if self._is_function(start):
                while end < len(statements) and statements[end].depth > depth:
                    end += 1
                if end > number + 1 and bisect.bisect_left(wanted, first) == bisect.bisect_left(wanted, end):
                    found.add(number)
            number = end
            if text[0] != "@":
                first = end
        return found

    def _is_function(self, number: int) -> bool:
        """Whether the statement that begins with this token is, or begins with, the definition of a function."""
        text = self.cut.tokens[number].text
        if text == "async":
            return self.cut.tokens[number + 1].text == "def"
        return text == "def" or text.startswith(("def ", "async def "))

    def _ends_with_quote(self, number: int, quote: str) -> bool:
        """Whether the text before the field of the token ``number`` ends with a quote that can't precede the closing
        ``quote``.
        """
        before = self.cut.tokens[number - 1]
        return len(quote) == 3 and before.kind != "string_start" and before.text.endswith(quote[0])

    def explode(self, stubs: Collection[int] = ()) -> str:
        """Return the text with one token per line, and ``pass`` as the body of the headers in ``stubs``."""
        pieces: list[str] = []
        line = 1
        literals: list[tuple[str, str]] = []  # of each enclosing f-string, the closing quote and the opening
        braces = 0
        stub = function = _NO_STUB  # the depth of the outermost function around a statement
        for count, statement in enumerate(self.cut.statements):
            if statement.depth > stub:
                continue
            stub = _NO_STUB
            if statement.depth <= function:
                is_function = statement.is_header and self._is_function(statement.start)
                function = statement.depth if is_function else _NO_STUB
            pieces.append("    " * statement.depth)
            for number in range(statement.start, statement.end):
                token = self.cut.tokens[number]
                if token.kind == "string_end":
                    literals.pop()
                if number > statement.start:
                    is_field = len(literals) == 1 and token.text == "{" and not braces
                    if is_field and not self._ends_with_quote(number, literals[0][0]):
                        # Split into adjacent literals, so that each field gets a line of its own.
                        pieces.append("{} \\\n{}".format(*literals[0]))
                        line += 1
                        self.exploded[line] = number + 1
                    elif token.in_string:
                        pieces.append(" " * token.space)
                    else:
                        pieces.append(" \\\n")
                        line += 1
                self.exploded.setdefault(line, number)
                if len(literals) == 1:
                    braces += (token.text == "{") - (token.text == "}")
                if token.kind == "string_start":
                    quote = token.text.lstrip("rRfFtT")
                    literals.append((quote, token.text))
                shown = token.text
                if token.kind == "statement" and "\n" in shown and function == _NO_STUB:
                    shown = _without_bodies(shown, 4 * statement.depth)
                pieces.append(shown)
                line += shown.count("\n")
            pieces.append("\n")
            line += 1
            if count in stubs:
                stub = statement.depth
                pieces.append("    " * (stub + 1) + "pass\n")
                line += 1
        return "".join(pieces)


def _without_bodies(text: str, indent: int) -> str:
    """Return joined statements, the first of which is indented by ``indent``, with ``pass`` as the body of functions:
    nothing in there is unknown.
    """
    kept: list[str] = []
    body = _NO_STUB  # the least indentation of the body that is left out
    for row in text.split("\n"):
        code = row.lstrip(" ")
        own = len(row) - len(code) if kept else indent
        if own < body and code:
            kept.append(row)
            body = _NO_STUB
            if code.startswith(("def ", "async def ")):
                body = own + 1
                kept.append(" " * body + "pass")
    return "\n".join(kept)
