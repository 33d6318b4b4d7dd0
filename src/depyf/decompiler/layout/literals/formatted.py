"""Split formatted strings into adjacent literals, which the compiler joins.

Fields have positions (from 3.12 on, literal text too). A field on a later line than what precedes it begins a new
literal, in the column of the first one.
"""

from __future__ import annotations

from typing import Callable, Iterator, NamedTuple

from ..matching.anchors import Extent
from ..matching.text import Span
from ..matching.tokens import Token
from .body_text import all_raw, cut_off, in_lines, in_rows_of, text_between, width_after_last_break, with_escaped
from .strings import width_of


class LiteralPiece(NamedTuple):
    """Replacement text for a token or a part of one; ``location``: its line and column, if it begins a literal."""

    text: str
    location: tuple[int, int | None] | None = None


class Part(NamedTuple):
    """A field or literal text of a formatted string: its first and last token, inclusive."""

    start: int
    end: int
    is_field: bool


def parts_of(tokens: list[Token], start: int) -> tuple[list[Part], int]:
    """Return the parts of the formatted string that begins with token ``start``, and its last token."""
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
    """Rewrite the formatted string that begins with token ``start``; ``pieces`` replace its tokens."""

    def __init__(
        self,
        tokens: list[Token],
        start: int,
        votes: dict[Span, Extent],
        location_of: Callable[[int], tuple[int, int | None] | None],
    ) -> None:
        self.tokens, self.votes, self.location_of = tokens, votes, location_of
        self.start = start
        self.parts, self.end = parts_of(tokens, start)
        self.pieces: dict[int, list[LiteralPiece]] = {}
        self.texts = {part.start: tokens[part.start].text for part in self.parts if not part.is_field}
        self.opening, self.closing = tokens[start].text, tokens[self.end].text
        at = location_of(start)
        whole = votes.get((start, self.end))
        if whole is not None:
            at = whole[:2]
        if at is None:
            return
        self.line, self.column = at
        self.last_line = whole[2] if whole is not None else None
        self.end_column = whole[3] if whole is not None else None
        self.prefix = self._width_of_prefix()
        if self.prefix is not None and self.prefix == width_of(self.opening) + len("r"):
            self._make_raw()
        if len(self.closing) == 3 and not self._on_one_line() or len(self.closing) == 1 and self._over_lines_of_text():
            return
        self.plain = self.opening.replace("f", "").replace("F", "")
        if self.last_line == self.line and self.column is not None:
            self._respell(self.column)
        else:
            self._show_sources()
            self._write()

    def _show_sources(self) -> None:
        """Over lines: write ``{x=}`` where the text before a field ends behind its brace."""
        votes = dict(self.votes)
        for before, part in zip(self.parts, self.parts[1:]):
            extent, at = votes.get((before.start, before.start)), self._field(part) if part.is_field else None
            source = self._value(part) + "=" if part.is_field else ""
            if before.is_field or at is None or at[1] is None or extent is None or extent[2:] <= at:
                continue
            text = self.texts[before.start]
            if not text.endswith(source) or extent[2:] != (at[0], at[1] + len("{") + width_of(source)):
                continue
            self.texts[before.start] = text[: len(text) - len(source)]
            self.pieces[before.start] = [LiteralPiece(self.texts[before.start])]
            votes[before.start, before.start] = (*extent[:2], at[0], at[1])
            self._show_source(part)
        self.votes = votes

    def _show_source(self, part: Part) -> None:
        """Write the field so that it shows its source."""
        mark = next(number for number in range(part.start, part.end + 1) if self._ends_value(part, number))
        text = self.tokens[mark].text
        is_usual = text == "!r" and mark == part.end - 1 and not self._is_explicit(part)
        self.pieces[mark] = [LiteralPiece("=" if is_usual else "=" + text)]

    def _width_of_prefix(self) -> int | None:
        """Return how far from the start the first part begins; None if its position doesn't show that."""
        extent = self.votes.get((self.parts[0].start, self.parts[0].end)) if self.parts else None
        if extent is None or extent[0] != self.line or self.column is None:
            return None
        if len(self.parts) > 1 and self.texts.get(self.parts[0].start) == self._value(self.parts[1]) + "=":
            return None  # `{x=}`: the text is inside of the braces
        return extent[1] - self.column or None  # it begins together with the whole: before 3.12, or a plain literal

    def _make_raw(self) -> None:
        texts = all_raw(self.texts)
        if "r" in self.opening.lower() or texts is None:
            return
        self.texts, self.opening = texts, "r" + self.opening
        self.pieces = {start: [LiteralPiece(text)] for start, text in self.texts.items()}
        self.pieces[self.start] = [LiteralPiece(self.opening)]

    def _on_one_line(self) -> bool:
        """Write a triple-quoted string on one line, unless its newlines match the author's lines."""
        tokens = self.tokens
        body = "".join(self.texts.values())
        rows = body.count("\n")
        if self.last_line is not None:
            last = self.parts[-1] if self.parts else None
            end = self.texts.get(last.start, "") if last is not None else ""
            end_column = width_of(end.rpartition("\n")[2]) + len(self.closing)
            ends_there = self.end_column == end_column or "\n" not in end
            is_authors = rows == self.last_line - self.line and ends_there and not self._begins_with_one_quote()
        else:
            following = next(filter(None, map(self.location_of, range(self.end + 1, len(tokens)))), None)
            is_authors = following is None or following[0] > self.line + rows
        fields = [part for part in self.parts if part.is_field]
        inner = [token.text for part in fields for token in self._tokens_of(part)]
        free = not any(tokens[part.start + 1].is_glued for part in fields)
        marks = [mark for mark in ("'", '"') if free or not any(mark in text for text in inner)]
        if is_authors or not rows or not marks or "\n" in "".join(inner) or "r" in self.opening.lower():
            return False
        self.closing, _ = text_between(body, marks)
        self.opening = self.opening.rstrip("'\"") + self.closing
        self.texts = {start: text_between(text, [self.closing])[1] for start, text in self.texts.items()}
        self.pieces = {start: [LiteralPiece(text)] for start, text in self.texts.items()}
        self.pieces[self.start], self.pieces[self.end] = [LiteralPiece(self.opening)], [LiteralPiece(self.closing)]
        return True

    def _over_lines_of_text(self) -> bool:
        """Write it in triple quotes if its newlines then match the author's lines."""
        last = self.parts[-1] if self.parts else None
        if last is None or self.last_line == self.line or self._begins_with_one_quote():
            return False
        texts = {start: in_lines(text) for start, text in self.texts.items()}
        body = "".join(texts.values())
        rows = body.count("\n")
        end = texts.get(last.start, "").rpartition("\n")
        ends_there = not end[1] or self.end_column is None or width_of(end[2]) + 3 == self.end_column
        more = self.last_line - self.line - rows if self.last_line is not None else self._lines_before(texts)
        quote = '''"""''' if '''"""''' not in body and not end[2].endswith('"') else "'''"
        if more not in (0, 1) or not rows or not ends_there or quote in body or end[2].endswith(quote[0]):
            return False
        opening = self.opening.rstrip("'\"") + quote
        raw = all_raw(texts) if self.prefix == width_of(opening) + len("r") and not more else None
        if raw is not None:
            opening, texts = "r" + opening, raw
        self.pieces = {start: [LiteralPiece(text)] for start, text in texts.items()}
        opening += "\\\n" * more
        self.pieces[self.start], self.pieces[self.end] = [LiteralPiece(opening)], [LiteralPiece(quote)]
        return True

    def _begins_with_one_quote(self) -> bool:
        """Whether the first part is so near to the beginning that no triple quotes can be between."""
        if not self.parts:
            return False
        first = self.parts[0]
        extent = self.votes.get((first.start, first.start))
        at = self._field(first) if first.is_field else extent[:2] if extent is not None else None
        if at is None or at[1] is None or self.column is None or at[0] != self.line:
            return False
        one_quote = width_of(self.opening.rstrip("'\"")) + 1
        return at[1] - self.column in (0, one_quote)  # the text of a literal without fields has its quotes

    def _lines_before(self, texts: dict[int, str]) -> int:
        """Return how many lines lower fields are than the newlines before them explain; -1 if they disagree."""
        line = self.line
        found: set[int] = set()
        for part in self.parts:
            if not part.is_field:
                line += texts[part.start].count("\n")
            elif line > self.line:
                there = self._field(part)
                found.add(there[0] - line if there is not None else -1)
        return found.pop() if len(found) == 1 else -1

    def _respell(self, column: int) -> None:
        """On one line: use ``{x=}``, raw strings or escaped quotes if the columns of the fields fit them."""
        for opening, closing, texts in self._forms():
            shown = self._shown(column, opening, closing, texts)
            if shown is None:
                continue
            for start, text in texts.items():
                text = text[: len(text) - shown[start]] if start in shown else text
                if text != self.tokens[start].text:
                    self.pieces[start] = [LiteralPiece(text)]
            for number, part in enumerate(self.parts):
                if number and self.parts[number - 1].start in shown:
                    self._show_source(part)
            if (opening, closing) != (self.opening, self.closing):
                self.pieces[self.start], self.pieces[self.end] = [LiteralPiece(opening)], [LiteralPiece(closing)]
            return

    def _is_explicit(self, part: Part) -> bool:
        """Whether the field that shows its source is as wide as with ``!r``."""
        extent = self.votes.get((part.start, part.end))
        return extent is not None and extent[3] - extent[1] == width_of(self._value(part)) + len("{=!r}")

    def _forms(self) -> Iterator[tuple[str, str, dict[int, str]]]:
        """Yield the opening and closing quotes and the texts of equal strings, the most common first."""
        forms = [(self.opening, self.closing, self.texts)]
        if not self.pieces:
            raw = all_raw(self.texts)
            if raw is not None:
                one = "r" + self.opening, self.closing, raw
                forms.insert(0 if raw != self.texts else 1, one)  # nobody doubles backslashes that need not be
            inner = "".join(token.text for part in self.parts if part.is_field for token in self._tokens_of(part))
            for mark in ("'", '"') if len(self.closing) == 1 else ():
                if mark not in inner:
                    for escaped in (mark, "'\""):
                        texts = {start: with_escaped(text, escaped) for start, text in self.texts.items()}
                        if texts != self.texts:
                            forms.append((self.opening.replace(self.closing, mark), mark, texts))
        return (form for form in forms if self.prefix in (None, width_of(form[0])))

    def _tokens_of(self, part: Part) -> list[Token]:
        return self.tokens[part.start : part.end + 1]

    def _ends_value(self, part: Part, number: int) -> bool:
        token = self.tokens[number]
        return number == part.end or token.kind == "part" and token.text[:1] in ("!", ":")

    def _shown(self, column: int, opening: str, closing: str, texts: dict[int, str]) -> dict[int, int] | None:
        """Map each text that ends in the source of the next field (``{x=}``) to its width; None if columns disagree."""
        at: int | None = column + width_of(opening)
        shown: dict[int, int] = {}
        before: Part | None = None
        for part in self.parts:
            if not part.is_field:
                at = at + width_of(texts[part.start]) if at is not None else None
                before = part
                continue
            there = self._field(part)
            if there is not None and there[1] is not None and at is not None and there[1] != at:
                value = self._value(part)
                if before is None or not texts[before.start].endswith(value + "="):
                    return None
                if there[1] != at - width_of(value) - 1:
                    return None
                shown[before.start] = len(value) + 1
                end = next(n for n in range(part.start, part.end + 1) if self._ends_value(part, n))
                if self.tokens[end].text not in ("!r", "!s", "!a") and not self.tokens[end].text.startswith(":"):
                    return None
            at, before = self._end_of_field(part, there, before is not None and before.start in shown), None
        if at is not None and self.end_column is not None and at + width_of(closing) != self.end_column:
            return None
        return shown

    def _end_of_field(self, part: Part, there: tuple[int, int | None] | None, is_shown: bool) -> int | None:
        """Return the end column of the field whose brace opens at ``there``."""
        extent = self.votes.get((part.start, part.end))
        if extent is not None or there is None or there[1] is None:
            return extent[3] if extent is not None else None
        width = sum(width_of(one.text) + one.space for one in self._tokens_of(part))
        if is_shown:
            width += 1 if self.tokens[part.end - 1].text != "!r" else -1
        return there[1] + width

    def _value(self, part: Part) -> str:
        pieces = []
        for number in range(part.start + 1, part.end + 1):
            if self._ends_value(part, number):
                break
            token = self.tokens[number]
            pieces.append(" " * token.space * (number > part.start + 1) + token.text)
        return "".join(pieces)

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
        """Return the location of the brace that opens a field."""
        extent = self.votes.get((part.start, part.end))
        if extent is not None:
            return extent[:2]
        for number in range(part.start + 1, part.end):
            at = self.location_of(number)
            if at is not None:
                before = sum(
                    width_of(token.text) + (token.space if not token.is_glued else 0)
                    for token in self.tokens[part.start : number]
                )
                return at[0], at[1] - before if at[1] is not None else None
        return None

    def _joint(self, line: int, *, plain: bool = False) -> list[LiteralPiece]:
        return [LiteralPiece(self.closing), LiteralPiece(self.plain if plain else self.opening, (line, self.column))]

    def _break_before(self, number: int, at: tuple[int, int | None], line: int) -> None:
        """Begin a literal on the line of a field, with as much of the preceding text as fits before the field."""
        part = self.parts[number]
        before = self.parts[number - 1] if number else None
        if before is None or before.is_field:
            self.pieces[part.start] = [*self._joint(at[0]), LiteralPiece("{")]
            return
        text = self.texts[before.start]
        if self.column is not None and at[1] is not None:
            width = at[1] - self.column - width_of(self.opening)
        else:
            width = width_of(text) if not number - 1 else width_after_last_break(text)
        head, tail = cut_off(text, width)
        lines = in_rows_of(head, at[0] - line)
        pieces = [LiteralPiece(lines[0])] if lines[0] else []
        row = line
        for one in lines[1:]:
            row += 1
            pieces += [*self._joint(row), LiteralPiece(one)]
        self.pieces[before.start] = [*pieces, *self._joint(at[0]), *([LiteralPiece(tail)] if tail else [])]

    def _text(self, number: int, extent: Extent, line: int) -> int:
        """Write literal text of known extent, which includes the quotes if its literal has no fields."""
        part = self.parts[number]
        text = self.texts[part.start]
        first_line, column, last_line, _ = extent
        pieces: list[LiteralPiece] = []
        if self.column is None:
            return line
        plain = column == self.column and "{{" not in text and "}}" not in text
        if number == 0 and plain and self.plain != self.opening:
            self.pieces[self.start] = [LiteralPiece(self.plain)]
        elif first_line > line:
            pieces += self._joint(first_line, plain=plain)
        is_plain = plain and (number == 0 or first_line > line)
        following = self.parts[number + 1] if number + 1 < len(self.parts) else None
        at = self._field(following) if following is not None and following.is_field else None
        if last_line > first_line:
            over_lines, is_plain = self._over_lines(text, extent, is_last=following is None)
            pieces += over_lines
        else:
            if number and not is_plain and not pieces and self._ends(following, extent):
                pieces += [LiteralPiece(self.closing), LiteralPiece(" " + self.plain)]
            pieces.append(LiteralPiece(text))
        if is_plain and at is not None and at[0] == last_line:
            pieces += [LiteralPiece(self.closing), LiteralPiece(" " + self.opening)]
        if len(pieces) > 1 or pieces[0].text != text:
            self.pieces[part.start] = pieces
        return last_line

    def _ends(self, following: Part | None, extent: Extent) -> bool:
        """Whether the text is a literal of its own that ends the whole string."""
        is_last = following is None and (self.last_line, self.end_column) == extent[2:]
        return is_last and self.plain != self.opening

    def _over_lines(self, text: str, extent: Extent, is_last: bool) -> tuple[list[LiteralPiece], bool]:
        """Return the text in one piece per line, and whether the last literal is a plain one, without fields."""
        first_line, _, last_line, end_column = extent
        assert self.column is not None
        head, tail = cut_off(text, end_column - self.column - width_of(self.opening))
        rows = in_rows_of(head, last_line - first_line)
        pieces = [LiteralPiece(rows[0])]
        for row, one in enumerate(rows[1:], first_line + 1):
            pieces += [*self._joint(row), LiteralPiece(one)]
        ends_plain = is_last and self.end_column == end_column
        ends_plain = ends_plain and "{{" not in tail and "}}" not in tail and self.plain != self.opening
        if ends_plain:
            head, tail = cut_off(text, end_column - self.column - width_of(self.plain) - width_of(self.closing))
        return [*pieces, *self._joint(last_line, plain=ends_plain), LiteralPiece(tail)], ends_plain

    def _end(self, part: Part, line: int) -> None:
        """Split the last text when only the end of the whole string is known."""
        text = self.texts[part.start]
        assert self.last_line is not None
        pieces = self.pieces.get(part.start, [LiteralPiece(text)])
        if len(pieces) > 1:
            return
        if self.column is None or self.end_column is None:
            return
        plain = "{{" not in text and "}}" not in text
        opening = self.plain if plain else self.opening
        head, tail = cut_off(text, self.end_column - self.column - width_of(opening) - width_of(self.closing))
        rows = in_rows_of(head, self.last_line - line)
        found = [LiteralPiece(rows[0])] if rows[0] else []
        for row, one in enumerate(rows[1:], line + 1):
            found += [*self._joint(row, plain=plain), LiteralPiece(one)]
        found += self._joint(self.last_line, plain=plain)
        self.pieces[part.start] = [*found, LiteralPiece(tail)] if tail else found


def starts_of(tokens: list[Token]) -> Iterator[int]:
    """Yield the tokens that begin formatted strings, nested ones excluded."""
    depth = 0
    for number, token in enumerate(tokens):
        if token.kind == "string_start":
            if not depth:
                yield number
            depth += 1
        elif token.kind == "string_end":
            depth -= 1
