"""Tokens with locations -> the items to write, the author's parentheses included."""

from __future__ import annotations

from typing import Collection, NamedTuple

from ..literals.formatted import Formatted, LiteralPiece, starts_of
from ..literals.spelling import idle
from ..locations import Locations
from ..matching.anchors import NO_COLUMN, Extent, Location
from ..matching.tokens import CLOSING, LogicalLine, Token, Tokens
from .imports import wrapped
from .item import Item


class Line(NamedTuple):
    """A logical line: its items, its depth, whether it is a header, the index of its own header (-1 for none).

    ``statement`` is the index of the statement it comes from. ``is_alone``: it shares its line with no other.
    ``closes``: where the last bracket, or a string alone, ends, if the end of the definition shows that.
    ``is_closed``: the last item ends where the statement does.
    """

    items: list[Item]
    depth: int
    is_header: bool
    parent: int
    statement: int
    is_alone: bool = False
    closes: Location | None = None
    is_closed: bool = False

    def close(self) -> None:
        """Place a last bracket of unknown location at the end of the definition."""
        last = self.items[-1]
        if self.closes is not None and last.text in CLOSING and last.line is None:
            last.line, last.column = self.closes[0], self.closes[1] - 1


def items_of(
    cut: Tokens, locations: Locations, loose: Collection[int] = (), alone: Collection[int] = ()
) -> list[Line]:
    """Return the logical lines with their locations. The end of a body decides whether its ``pass`` is written.

    The statements in ``loose`` and ``alone`` use only the line they begin on, and are otherwise written as they were;
    those in ``alone`` share their line with no other.
    """
    brackets = _brackets(locations)
    pieces: dict[int, list[LiteralPiece]] = {}
    for first in starts_of(cut.tokens):
        pieces.update(Formatted(cut.tokens, first, locations.extents, locations.of).pieces)
    lines: list[Line] = []
    numbers: list[int] = [-1]  # the index of the line of each statement, after -1 for "no header"
    for count, statement in enumerate(cut.statements):
        first_text = cut.tokens[statement.start].text
        end = locations.silent.get(statement.start) or _end_of_documented(cut, locations, count)
        numbers.append(len(lines))
        if first_text == "pass" and end is not None and end[1:] == (0, end[0], 0) and _follows_docstring(lines):
            continue
        whole = locations.extents.get((statement.start, statement.end - 1))
        if count in loose or count in alone:
            items = _loose_items(cut.tokens[statement.start : statement.end], locations.of(statement.start))
        else:
            items = _items(cut, range(statement.start, statement.end), locations, brackets, pieces)
            if first_text in ("from", "lazy") and whole is not None:
                items = wrapped(items, whole)
        parent = numbers[statement.parent + 1]
        if first_text == "pass":
            items = _silent_body(items, end) if end is not None else _body_of_with(items, cut, locations, statement)
        last = statement.end - 1
        is_string = len(items) == 1 and items[0].text.startswith('"""')
        closes = locations.ends[last] if is_string else locations.body_ends.get(last)
        is_closed = last in locations.ending or whole is not None and whole[2:] == locations.ends[last]
        lines.append(
            Line(items, statement.depth, statement.is_header, parent, count, count in alone, closes, is_closed)
        )
        if end is not None and not statement.is_header and first_text != "pass":
            ends_body = _is_docstring(items) or end[1] != NO_COLUMN and _is_last(cut, count)
            silent = _silent_after(locations, statement, end) if ends_body else None
            if silent is not None:
                lines.append(Line([silent], statement.depth, False, parent, count))
    return lines


def _body_of_with(items: list[Item], cut: Tokens, locations: Locations, statement: LogicalLine) -> list[Item]:
    """Put the ``pass`` of a with statement on the last line of the header, if there are columns: on a line of its own,
    it would have left a NOP with a column.
    """
    header = cut.statements[statement.parent]
    words = " ".join(one.text for one in cut.tokens[header.start : header.start + 2]).split()
    if statement.parent < 0 or items[0].line is not None or words[words[0] == "async"] != "with":
        return items
    ends = [at[0] for at in locations.ends[header.start : header.end] if at is not None]
    start, token = locations.of(header.start), cut.tokens[header.start]
    if token.kind == "statement" and start is not None and start[1] is not None:
        ends.append(start[0] + token.text.count("\n"))
    items[0].line = max(ends, default=None)
    return items


def _silent_after(locations: Locations, statement: LogicalLine, end: Extent) -> Item | None:
    """Return the statement without instructions that ends the body after this one; None if there is none."""
    line, column, *_ = end
    known = locations.lines[statement.end - 1]
    if column == NO_COLUMN:
        return Item("pass", line, None, 0, False, False) if line > (known or 0) else None
    text = idle(end)
    here = locations.ends[statement.end - 1] or (known or line, 0)
    start = locations.starts[statement.start]
    if text is None or (line, column) <= here or start is not None and (start[1] != column or line <= start[0]):
        return None
    return Item(text, line, column, 0, False, False)


def _is_last(cut: Tokens, number: int) -> bool:
    """Whether a body ends with this statement."""
    return number + 1 == len(cut.statements) or cut.statements[number + 1].depth < cut.statements[number].depth


def _end_of_documented(cut: Tokens, locations: Locations, number: int) -> Extent | None:
    """Return the end of a body that consists of statement ``number``, a string, alone.

    A docstring has no instruction: without columns, the return has the line of a ``pass``, or is anchored to the
    beginning of the definition.
    """
    statement = cut.statements[number]
    header = statement.parent
    if header < 0 or number != header + 1 or cut.tokens[statement.start].kind not in ("string", "statement"):
        return None
    if number + 1 < len(cut.statements) and cut.statements[number + 1].parent == header:
        return None
    while header > 0 and cut.tokens[cut.statements[header - 1].start].text.startswith("@"):
        header -= 1
    tokens = range(cut.statements[header].start, statement.start)
    ends = [locations.silent[token] for token in tokens if token in locations.silent]
    return ends[0] if ends and ends[0][1] == NO_COLUMN else None


def _silent_body(items: list[Item], end: Extent) -> list[Item]:
    """Return ``pass`` or ``...``, whichever is as wide as the extent at the end of the body."""
    line, column, end_line, end_column = end
    if line == end_line and end_column - column == len("..."):
        return [Item("...", line, column, 0, False, False)]
    if items[0].line is None:
        items[0].line, items[0].column = line, column if end_column - column == len("pass") else None
    return items


def _brackets(locations: Locations) -> tuple[dict[int, list[Item]], dict[int, list[Item]]]:
    """Return the opening parentheses by the token they precede, and the closing ones by the token they follow."""
    opening: dict[int, list[Item]] = {}
    closing: dict[int, list[Item]] = {}
    for span, opens, closes in sorted(locations.parentheses, key=lambda one: (one.span[0], -one.span[1])):
        opening.setdefault(span[0], []).append(_item("(", opens))
        at = (closes[0], closes[1] - 1) if closes is not None else None
        closing.setdefault(span[1], []).insert(0, _item(")", at))
    return opening, closing


def _items(
    cut: Tokens,
    numbers: range,
    locations: Locations,
    brackets: tuple[dict[int, list[Item]], dict[int, list[Item]]],
    pieces: dict[int, list[LiteralPiece]],
) -> list[Item]:
    """Return the items of the statement with these tokens."""
    opening, closing = brackets
    items: list[Item] = []
    space = 0
    opened: list[Item] = []  # before tokens that are dropped
    for number in numbers:
        token = cut.tokens[number]
        if number in locations.dropped:
            space = max(space, token.space)
            opened += opening.get(number, ())
            items += closing.get(number, ())
            continue
        start = locations.starts[number]
        line, column = start if start is not None else (locations.lines[number], None)
        space = 0 if number in locations.spelled.squeezed else max(space, token.space)
        for bracket in [*opened, *opening.get(number, ())]:
            bracket.space, space = space, 0
            items.append(bracket)
        opened = []
        if number in pieces:
            items += [*_in_pieces(pieces[number], token, space, (line, column)), *closing.get(number, ())]
            space = 0
            continue
        if number in locations.spelled.negated:
            items.append(Item("not", None, None, space, False, token.in_string))
            space = 1
        text = locations.spelled.texts.get(number, token.text)
        item = Item(text, line, column, space, token.is_glued, token.in_string)
        item.is_joined = number in locations.spelled.joined
        item.otherwise = token.text if number in locations.spelled.expressions else None
        if token.kind not in ("op", "name"):
            item.symbol = "" if token.kind == "statement" else '"'
        items.append(item)
        items += closing.get(number, ())
        if number in locations.commas:
            items.append(Item(",", None, None, 0, False, token.in_string))
        space = 0
    return items


def _loose_items(tokens: list[Token], at: tuple[int, int | None] | None) -> list[Item]:
    """Return the items of a statement that is located by its first token only."""
    items = [Item(token.text, None, None, token.space, token.is_glued, token.in_string) for token in tokens]
    if at is not None:
        items[0].line, items[0].column = at
    return items


def _in_pieces(
    pieces: list[LiteralPiece], token: Token, blanks_before: int, at: tuple[int | None, int | None]
) -> list[Item]:
    """Split a token into pieces; the first one is placed ``at`` the token's location unless it has its own."""
    items = []
    for number, piece in enumerate(filter(lambda one: one.text, pieces)):
        line, column = piece.location or (at if not number else (None, None))
        blanks = len(piece.text) - len(piece.text.lstrip(" ")) if number and piece.text[-1] in "'\"" else 0
        is_glued = token.is_glued if not number else piece.location is None and not blanks
        space = blanks_before if not number else 1 if piece.location else blanks
        item = Item(piece.text[blanks:], line, column, space, is_glued, token.in_string or number > 0)
        item.symbol = item.text if item.text == "{" and token.text == "{" else '"'
        items.append(item)
    return items


def _is_docstring(items: list[Item]) -> bool:
    return len(items) == 1 and items[0].symbol != "" and items[0].text[-1] in "\"'"


def _follows_docstring(lines: list[Line]) -> bool:
    return bool(lines) and _is_docstring(lines[-1].items)


def _item(text: str, at: tuple[int, int] | None) -> Item:
    line, column = at if at is not None else (None, None)
    return Item(text, line, column, 0, False, False)
