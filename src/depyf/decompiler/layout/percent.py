"""``'%s' % (x,)`` for ``f'{x!s}'``: from 3.11 on the compiler makes the one of the other, and its places tell.

The part of the code that formats a value has the place of a field, braces included, if the author wrote a field; if
not it has the place of the value.
"""

from __future__ import annotations

import re
from typing import Iterator

from .anchors import Anchors, ByObject, Extent, most_of
from .formatted import Part, parts_of, starts_of, text_between
from .text import Span
from .tokens import Token, Tokens

_SPECIFICATION = re.compile(r"(?P<align>[<>])?(?P<width>[1-9]\d*)?(?P<precision>\.\d+)?")
_LEFT_OUT = -1


def with_percents(cut: Tokens, by_object: ByObject) -> tuple[Tokens, ByObject]:
    """The tokens with operators for the formatted strings that were none, and the anchors of the new tokens."""
    found = dict(_operators(cut.tokens, by_object))
    if not found:
        return cut, by_object
    rewriter = _Rewriter(cut, found)
    return rewriter.cut, {raw: rewriter.moved(anchors) for raw, anchors in by_object.items()}


def _operators(tokens: list[Token], by_object: ByObject) -> Iterator[tuple[int, tuple[list[Part], int]]]:
    starts = list(starts_of(tokens))
    if not starts:
        return
    begins = {number for number, token in enumerate(tokens) if token.in_string and token.text == "{"}
    extents: dict[Span, dict[Extent, int]] = {}
    for anchors in by_object.values():
        for span, places in anchors.extents.items():
            if span[0] in begins or span[0] - 1 in begins or tokens[span[0]].kind == "string_start":
                extents[span] = places
    for start in starts:
        parts, end = parts_of(tokens, start)
        fields = [part for part in parts if part.is_field]
        if fields and all(_is_argument(tokens, part, extents, (start, end)) for part in fields):
            yield start, (parts, end)


def _is_argument(tokens: list[Token], part: Part, extents: dict[Span, dict[Extent, int]], whole: Span) -> bool:
    """Whether a field is formatted where its value stands, and may be an argument of ``%``."""
    conversion, specification = _ending(tokens, part)
    if conversion is None or _SPECIFICATION.fullmatch(specification) is None:
        return False
    where = extents.get((part.start + 1, conversion - 1))
    if not where:
        return False
    formatted = extents.get((part.start, part.end)) or extents.get(whole)  # 3.11: of all of the string
    return formatted is not None and most_of(where) in formatted


def _ending(tokens: list[Token], part: Part) -> tuple[int | None, str]:
    """The token that is the conversion of a field, and the specification after it."""
    for number in range(part.end - 1, max(part.end - 4, part.start), -1):
        if tokens[number].kind == "part" and tokens[number].text[0] == "!":
            behind = tokens[number + 1 : part.end]
            return number, "".join(token.text for token in behind).replace(":", "", 1)
    return None, ""


class _Rewriter:
    """``cut`` with ``operators`` in the place of the formatted strings that begin with these tokens."""

    def __init__(self, cut: Tokens, operators: dict[int, tuple[list[Part], int]]) -> None:
        self.operators = operators
        self.tokens: list[Token] = []
        self.places = [_LEFT_OUT] * len(cut.tokens)
        statements = []
        for statement in cut.statements:
            start = len(self.tokens)
            number = statement.start
            while number < statement.end:
                if number in operators:
                    parts, end = operators[number]
                    self._operator(cut.tokens, number, parts, end)
                    number = end
                else:
                    self.places[number] = len(self.tokens)
                    self.tokens.append(cut.tokens[number])
                number += 1
            statements.append(statement._replace(start=start, end=len(self.tokens)))
        self.cut = Tokens(self.tokens, statements)

    def _operator(self, tokens: list[Token], start: int, parts: list[Part], end: int) -> None:
        first = tokens[start]
        self.places[start] = len(self.tokens)
        self._add(_format(tokens, start, parts), "string", first.space, first)
        self._add("%", "op", 1, first)
        self._add("(", "op", 1, first)
        fields = [part for part in parts if part.is_field]
        for count, part in enumerate(fields):
            conversion, _ = _ending(tokens, part)
            assert conversion is not None
            if count:
                self._add(",", "op", 0, first)
            for number in range(part.start + 1, conversion):
                old = tokens[number]
                self.places[number] = len(self.tokens)
                space = old.space if number > part.start + 1 else int(count > 0)
                inner = old.is_glued and (old.kind in ("part", "string_end") or old.in_string and old.kind == "part")
                self._add(old.text, old.kind, space, old, glued=inner)
        if len(fields) == 1:
            self._add(",", "op", 0, first)
        self.places[end] = len(self.tokens)
        self._add(")", "op", 0, first)

    def _add(self, text: str, kind: str, space: int, like: Token, *, glued: bool = False) -> None:
        token = Token(text, kind, space, glued or like.is_glued and text[:1] in "'\"", in_string=False)
        token.line, token.column, token.end_line, token.end_column = (
            like.line, like.column, like.end_line, like.end_column
        )  # fmt: skip
        self.tokens.append(token)

    def moved(self, anchors: Anchors) -> Anchors:
        """The anchors of the new tokens."""
        places = self.places
        found = Anchors()
        for (start, end), extents in anchors.extents.items():
            if places[start] < 0 or places[end] < 0:
                continue
            new = places[start], places[end]
            if start in self.operators and end == self.operators[start][1]:
                extents = _around(extents, anchors, self.operators[start][0])
            if extents:
                found.extents[new] = extents
        found.lines = {places[token]: lines for token, lines in anchors.lines.items() if places[token] >= 0}
        found.ends = {places[token]: at for token, at in anchors.ends.items() if places[token] >= 0}
        found.tuples = {
            (places[start], places[end]) for start, end in anchors.tuples if places[start] >= 0 and places[end] >= 0
        }
        return found


def _around(extents: dict[Extent, int], anchors: Anchors, parts: list[Part]) -> dict[Extent, int]:
    """Those of ``extents`` that are around all that the fields have; on 3.11 there are those of fields and others."""
    inner = [
        where
        for (start, end), known in anchors.extents.items()
        if any(part.start < start and end < part.end for part in parts if part.is_field)
        for where in known
    ]
    if not inner:
        return extents
    first, last = min(where[:2] for where in inner), max(where[2:] for where in inner)
    return {where: count for where, count in extents.items() if where[:2] < first and last < where[2:]}


def _format(tokens: list[Token], start: int, parts: list[Part]) -> str:
    """The literal on the left of ``%``."""
    pieces = []
    for part in parts:
        if part.is_field:
            conversion, specification = _ending(tokens, part)
            assert conversion is not None
            given = _SPECIFICATION.fullmatch(specification)
            assert given is not None
            left = "-" if given["align"] == "<" else ""
            width, precision = given["width"] or "", given["precision"] or ""
            pieces.append(f"%{left}{width}{precision}{tokens[conversion].text[1]}")
        else:
            text = tokens[part.start].text
            pieces.append(text.replace("{{", "{").replace("}}", "}").replace("%", "%%"))
    opening = tokens[start].text
    prefix = opening.rstrip("'\"").replace("f", "").replace("F", "")
    quote = opening.lstrip("rRfFtT")
    body = "".join(pieces)
    if len(quote) == 3:
        quote, body = text_between(body, ("'", '"'))
    return prefix + quote + body + quote
