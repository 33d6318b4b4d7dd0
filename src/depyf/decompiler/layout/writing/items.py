"""Tokens with locations -> the items to write, the author's parentheses included."""

from __future__ import annotations

from typing import Collection, NamedTuple

from ..literals.formatted import Formatted, LiteralPiece, starts_of
from ..literals.idle import idle
from ..locations import Locations
from ..matching.anchors import NO_COLUMN, Extent, Location
from ..matching.tokens import CLOSING, LogicalLine, Token, Tokens
from .arguments import in_order_of_columns
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

    @property
    def is_joined(self) -> bool:
        """Whether it is several statements that are unchanged."""
        return not self.items[0].symbol and "\n" in self.items[0].text

    @property
    def is_definition(self) -> bool:
        """Whether it begins with the header of a function or class."""
        return (self.is_header or self.is_joined) and not {"def", "class"}.isdisjoint(self.words)

    @property
    def words(self) -> list[str]:
        """The first two words: the first item may be the whole line."""
        return " ".join(item.text for item in self.items[:2]).split(None, 2)[:2]

    def close(self) -> None:
        """Place a last bracket of unknown location at the end of the definition, or write a semicolon that ends it."""
        last = self.items[-1]
        if self.closes is None:
            return
        if last.text in CLOSING and last.line is None:
            last.line, last.column = self.closes[0], self.closes[1] - 1
        elif last.column is not None and self.closes == (last.line, last.column + last.width + len(";")):
            self.items.append(Item(";", None, None, 0, True, False))


def items_of(
    cut: Tokens, locations: Locations, loose: Collection[int] = (), alone: Collection[int] = ()
) -> list[Line]:
    """Return the logical lines with their locations. The end of a body decides whether its ``pass`` is written.

    The statements in ``loose`` and ``alone`` use only the line they begin on, and are otherwise written as they were;
    those in ``alone`` share their line with no other.
    """
    edges = _Edges(locations)
    brackets = _brackets(locations, edges)
    pieces: dict[int, list[LiteralPiece]] = {}
    for first in starts_of(cut.tokens):
        pieces.update(Formatted(cut.tokens, first, locations.extents, locations.of).pieces)
    others = locations.dropped.union(locations.spelled.tokens(), locations.commas, locations.colons, pieces, *brackets)
    tokens, only_begun = cut.tokens, {*loose, *alone}
    lines: list[Line] = []
    imports: dict[int, Extent] = {}  # by the index of the line
    numbers: list[int] = [-1]  # the index of the line of each statement, after -1 for "no header"
    for count, statement in enumerate(cut.statements):
        first, last = statement.start, statement.end - 1
        first_text = tokens[first].text
        end = locations.silent.get(first) or _end_of_documented(cut, locations, count)
        numbers.append(len(lines))
        if first_text == "pass" and end is not None and end[1:] == (0, end[0], 0) and _follows_docstring(lines):
            continue
        whole = locations.extents.get((first, last))
        if count in only_begun:
            items = _loose_items(tokens[first : statement.end], locations.of(first))
        elif tokens[first].kind == "statement":
            items = _loose_items(tokens[first : statement.end], locations.of(first))
            items[0].symbol = ""
        else:
            items = _items(cut, range(first, statement.end), locations, brackets, pieces, edges, others)
            in_order_of_columns(items, locations.extents)
            if first_text in ("from", "import", "lazy") and whole is not None:
                imports[len(lines)] = whole
        parent = numbers[statement.parent + 1]
        if first_text == "pass":
            items = _silent_body(items, end) if end is not None else _body_of_with(items, cut, locations, statement)
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
    _wrap(lines, imports)
    return lines


def _wrap(lines: list[Line], imports: dict[int, Extent]) -> None:
    """Give the import statements, by the index of their lines, the rows of their extents."""
    found = wrapped([(lines[number].items, whole) for number, whole in imports.items()])
    for number, items in zip(imports, found):
        lines[number] = lines[number]._replace(items=items)


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
    if header < 0 or number != header + 1 or not locations.silent:
        return None
    if cut.tokens[statement.start].kind not in ("string", "statement"):
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


class _Edges:
    """Which expressions begin and end exactly where a token does: no parenthesis is between the two."""

    def __init__(self, locations: Locations) -> None:
        self.reach: dict[tuple[int, Location], int] = {}
        self.since: dict[tuple[int, Location], int] = {}
        for (start, end), extent in locations.extents.items():
            if start < end:
                begins, ends = (start, extent[:2]), (end, extent[2:])
                self.reach[begins] = max(end, self.reach.get(begins, end))
                self.since[ends] = min(start, self.since.get(ends, start))

    def mark(self, item: Item, token: int, start: Location | None, end: Location | None) -> None:
        """Tell the item of a token, or of a bracket beside it, what else begins at ``start`` and ends at ``end``."""
        item.token = token
        item.reach = self.reach.get((token, start)) if start is not None else None
        item.since = self.since.get((token, end)) if end is not None else None


def _brackets(
    locations: Locations, edges: _Edges
) -> tuple[dict[int, list[Item]], dict[int, list[Item]]]:
    """Return the opening parentheses by the token they precede, and the closing ones by the token they follow."""
    opening: dict[int, list[Item]] = {}
    closing: dict[int, list[Item]] = {}
    for span, opens, closes in sorted(locations.parentheses, key=lambda one: (one.span[0], -one.span[1])):
        opening.setdefault(span[0], []).append(_item("(", opens))
        edges.mark(opening[span[0]][-1], span[0], opens, None)
        at = (closes[0], closes[1] - 1) if closes is not None else None
        closing.setdefault(span[1], []).insert(0, _item(")", at))
        edges.mark(closing[span[1]][0], span[1], None, closes)
    return opening, closing


def _items(
    cut: Tokens,
    numbers: range,
    locations: Locations,
    brackets: tuple[dict[int, list[Item]], dict[int, list[Item]]],
    pieces: dict[int, list[LiteralPiece]],
    edges: _Edges,
    others: set[int],
) -> list[Item]:
    """Return the items of the statement with these tokens; all but the ``others`` are written as they are."""
    opening, closing = brackets
    items: list[Item] = []
    space = 0
    opened: list[Item] = []  # before tokens that are dropped
    for number in numbers:
        token = cut.tokens[number]
        if number not in others and not opened:
            line, column = locations.starts[number] or (locations.lines[number], None)
            item = Item(token.text, line, column, max(space, token.space), token.is_glued, token.in_string)
            edges.mark(item, number, locations.starts[number], locations.ends[number])
            if token.kind not in ("op", "name"):
                item.symbol = '"'
            items.append(item)
            space = 0
            continue
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
        item.otherwise = locations.spelled.expressions.get(number)
        edges.mark(item, number, start, locations.ends[number])
        if token.kind not in ("op", "name"):
            item.symbol = '"'
        items.append(item)
        items += closing.get(number, ())
        if number in locations.commas or number in locations.colons:
            mark = "," if number in locations.commas else ":"
            items.append(Item(mark, None, None, 0, False, token.in_string))
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
