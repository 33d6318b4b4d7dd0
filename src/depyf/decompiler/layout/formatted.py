"""Formatted strings over several lines: literals side by side, which the compiler makes one of.

Fields have places (on 3.12 and later literal text too); where one is on a later line than what is before it another
literal begins, in the column of the first.
"""

from __future__ import annotations

import re
from typing import Callable, Iterator, NamedTuple

from .anchors import Extent, Span
from .spelling import width_of
from .tokens import Token

_UNIT = re.compile(
    r"\\(?:N\{[^}]*\}|x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[0-7]{1,3}|.)|\{\{|\}\}|.", re.DOTALL
)


class Piece(NamedTuple):
    """A text in place of a token or a part of it; ``place``: its line and column, where it begins another literal."""

    text: str
    place: tuple[int, int | None] | None = None


class Part(NamedTuple):
    """A field or literal text of a formatted string: its tokens, the last one included."""

    start: int
    end: int
    is_field: bool


def parts_of(tokens: list[Token], start: int) -> tuple[list[Part], int]:
    """The parts of the formatted string that begins with token ``start``, and its last token."""
    parts: list[Part] = []
    number, depth, nested = start + 1, 0, 0
    first = number
    while True:
        token = tokens[number]
        if token.kind == "string_start":
            nested += 1
        elif token.kind == "string_end":
            if not nested:
                return parts, number
            nested -= 1
        elif token.text == "{":
            if not depth:
                first = number
            depth += 1
        elif token.text == "}":
            depth -= 1
            if not depth:
                parts.append(Part(first, number, True))
        elif not depth:
            parts.append(Part(number, number, False))
        number += 1


class Formatted:
    """Another way to write the formatted string that begins with token ``start``; ``pieces`` replace tokens."""

    def __init__(
        self,
        tokens: list[Token],
        start: int,
        votes: dict[Span, Extent],
        place_of: Callable[[int], tuple[int, int | None] | None],
    ) -> None:
        self.tokens, self.votes, self.place_of = tokens, votes, place_of
        self.start = start
        self.parts, self.end = parts_of(tokens, start)
        self.pieces: dict[int, list[Piece]] = {}
        self.opening, self.closing = tokens[start].text, tokens[self.end].text
        self.plain = self.opening.replace("f", "").replace("F", "")
        at = place_of(start)
        whole = votes.get((start, self.end))
        self.column: int | None = None
        if whole is not None:
            at = whole[:2]
        if at is None or len(self.closing) == 3 or any("\n" in tokens[part.start].text for part in self.parts):
            return
        self.line, self.column = at
        self.last_line = whole[2] if whole is not None else None
        self.end_column = whole[3] if whole is not None else None
        self._write()

    def _write(self) -> None:
        line = self.line
        for number, part in enumerate(self.parts):
            if part.is_field:
                at = self._field(part)
                if at is not None and at[0] > line:
                    self._break_before(number, at, line)
                    line = at[0]
                extent = self.votes.get((part.start, part.end))
                line = max(line, extent[2]) if extent is not None else line
            elif (part.start, part.start) in self.votes:
                line = self._text(number, self.votes[part.start, part.start], line)
        last = self.parts[-1] if self.parts else None
        known = last is not None and not last.is_field and (last.start, last.start) not in self.votes
        if last is not None and known and self.last_line is not None and self.last_line > line:
            self._end(last, line)

    def _field(self, part: Part) -> tuple[int, int | None] | None:
        """The place of the brace that opens a field."""
        extent = self.votes.get((part.start, part.end))
        if extent is not None:
            return extent[:2]
        for number in range(part.start + 1, part.end):
            at = self.place_of(number)
            if at is not None:
                before = sum(
                    width_of(token.text) + (token.space if not token.is_glued else 0)
                    for token in self.tokens[part.start : number]
                )
                return at[0], at[1] - before if at[1] is not None else None
        return None

    def _joint(self, line: int, *, plain: bool = False) -> list[Piece]:
        return [Piece(self.closing), Piece(self.plain if plain else self.opening, (line, self.column))]

    def _break_before(self, number: int, at: tuple[int, int | None], line: int) -> None:
        """Begin a literal in the line of a field, with as much of the text before it as stands there."""
        part = self.parts[number]
        before = self.parts[number - 1] if number else None
        if before is None or before.is_field:
            self.pieces[part.start] = [*self._joint(at[0]), Piece("{")]
            return
        text = self.tokens[before.start].text
        if self.column is not None and at[1] is not None:
            width = at[1] - self.column - width_of(self.opening)
        else:
            width = width_of(text) if not number - 1 else _behind_last_line_end(text)
        head, tail = _cut(text, width)
        lines = _rows(head, at[0] - line)
        pieces = [Piece(lines[0])] if lines[0] else []
        row = line
        for one in lines[1:]:
            row += 1
            pieces += [*self._joint(row), Piece(one)]
        self.pieces[before.start] = [*pieces, *self._joint(at[0]), *([Piece(tail)] if tail else [])]

    def _text(self, number: int, extent: Extent, line: int) -> int:
        """Literal text whose place is known, quotes included where its literal has no fields."""
        part = self.parts[number]
        text = self.tokens[part.start].text
        first_line, column, last_line, end_column = extent
        pieces: list[Piece] = []
        if self.column is None:
            return line
        plain = column == self.column and "{{" not in text and "}}" not in text
        if number == 0 and plain and self.plain != self.opening:
            self.pieces[self.start] = [Piece(self.plain)]
        elif first_line > line:
            pieces += self._joint(first_line, plain=plain)
        is_plain = plain and (number == 0 or first_line > line)
        following = self.parts[number + 1] if number + 1 < len(self.parts) else None
        at = self._field(following) if following is not None and following.is_field else None
        if last_line > first_line:
            over_lines, is_plain = self._over_lines(text, extent, is_last=following is None)
            pieces += over_lines
        else:
            ends_plain = following is None and self.end_column == end_column and self.last_line == last_line
            if not is_plain and not pieces and ends_plain and number and self.plain != self.opening:
                pieces += [Piece(self.closing), Piece(" " + self.plain)]
            pieces.append(Piece(text))
        if is_plain and at is not None and at[0] == last_line:
            pieces += [Piece(self.closing), Piece(" " + self.opening)]
        if len(pieces) > 1 or pieces[0].text != text:
            self.pieces[part.start] = pieces
        return last_line

    def _over_lines(self, text: str, extent: Extent, is_last: bool) -> tuple[list[Piece], bool]:
        """The text in a piece for each line, and whether the last of them has no fields."""
        first_line, _, last_line, end_column = extent
        assert self.column is not None
        head, tail = _cut(text, end_column - self.column - width_of(self.opening))
        rows = _rows(head, last_line - first_line)
        pieces = [Piece(rows[0])]
        for row, one in enumerate(rows[1:], first_line + 1):
            pieces += [*self._joint(row), Piece(one)]
        ends_plain = is_last and self.end_column == end_column
        ends_plain = ends_plain and "{{" not in tail and "}}" not in tail and self.plain != self.opening
        if ends_plain:
            head, tail = _cut(text, end_column - self.column - width_of(self.plain) - width_of(self.closing))
        return [*pieces, *self._joint(last_line, plain=ends_plain), Piece(tail)], ends_plain

    def _end(self, part: Part, line: int) -> None:
        """The last text, of which only the end of all is known."""
        text = self.tokens[part.start].text
        assert self.last_line is not None
        pieces = self.pieces.get(part.start, [Piece(text)])
        if len(pieces) > 1:
            return
        if self.column is None or self.end_column is None:
            return
        plain = "{{" not in text and "}}" not in text
        opening = self.plain if plain else self.opening
        head, tail = _cut(text, self.end_column - self.column - width_of(opening) - width_of(self.closing))
        rows = _rows(head, self.last_line - line)
        found = [Piece(rows[0])] if rows[0] else []
        for row, one in enumerate(rows[1:], line + 1):
            found += [*self._joint(row, plain=plain), Piece(one)]
        self.pieces[part.start] = [*found, *self._joint(self.last_line, plain=plain), *([Piece(tail)] if tail else [])]


def _cut(text: str, width: int) -> tuple[str, str]:
    """The text in two; the second is so wide, or as wide as there is text."""
    units = _UNIT.findall(text)
    place, found = len(units), 0
    while place and found < width:
        place -= 1
        found += width_of(units[place])
    return "".join(units[:place]), "".join(units[place:])


def _rows(text: str, count: int) -> list[str]:
    """The text in so many pieces, cut behind blanks; the last ones are left out if it is too short."""
    rows = []
    rest = text
    for left in range(count, 1, -1):
        words = [found.end() for found in re.finditer(r" +|\\n", rest)]
        aim = len(rest) // left
        cut = min(words, key=lambda end: abs(end - aim), default=0)
        if not cut or cut >= len(rest):
            break
        rows.append(rest[:cut])
        rest = rest[cut:]
    return [*rows, rest]


def _behind_last_line_end(text: str) -> int:
    """How wide what follows the last line end or blank in the text is."""
    places = [found.end() for found in re.finditer(r"\\n| ", text)]
    return width_of(text[places[-1] :]) if places else width_of(text)


def starts_of(tokens: list[Token]) -> Iterator[int]:
    """The tokens that begin formatted strings which are in no other."""
    depth = 0
    for number, token in enumerate(tokens):
        if token.kind == "string_start":
            if not depth:
                yield number
            depth += 1
        elif token.kind == "string_end":
            depth -= 1
