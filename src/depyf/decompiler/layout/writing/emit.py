"""Tokens with locations -> text. A token that does not fit its location goes as soon after it as syntax allows."""

from __future__ import annotations

import ast
import contextlib
import re

from ..literals.strings import in_quotes, width_of
from ..matching.anchors import Location
from ..matching.tokens import CLOSING, OPENING
from .blanks import required_spaces, stretch
from .breaks import OPERATORS, break_habit, open_above, rows_below
from .commas import Commas
from .indents import first_known, first_line, last_line
from .item import INDENT, Item
from .items import Line
from .overlong import fit_strings
from .rows import aligned_rows, groups_of, hanging_rows, rows_of_parameters

_CLAUSES = frozenset(("else", "else:", "finally", "finally:", "except", "except:"))
"""How clauses begin that are right below what precedes them, where there are more rows: counted in the library of
CPython 3.13 and in ten packages, 903 ``else`` and ``finally`` are there, and 296 right above what follows them.
"""
_BRACKETS = OPENING | CLOSING
_STEPS = (2, 3, 4, 8)
"""Usual steps of the indentation."""


def emit(lines: list[Line], indents: list[int]) -> tuple[str, list[int]]:
    """Return the text of the logical lines, indented by ``indents``, and the row where each line begins."""
    writer = _LineWriter(lines, indents)
    return writer.text(), writer.rows


class _LineWriter:
    def __init__(self, lines: list[Line], indents: list[int]) -> None:
        self.lines, self.indents = lines, indents
        self.has_columns = any(item.column is not None for line in lines for item in line.items)
        self.pieces: list[str] = []
        self.rows: list[int] = []  # where each of the lines begins
        self.line, self.column = 1, 0
        self.row_indent = 0  # the column where the current row begins
        self.depth = 0
        self.align: list[int | None] = []  # for each open bracket, the column of the first item in it
        self.last = self.last_symbol = ""
        self.commas, self.after_last = Commas(), 0
        self.is_header = False
        self.tabs = bool(indents) and max(indents) > 0 and all(
            indent == line.depth for indent, line in zip(indents, lines)
        )
        self.simple = self._simple_blocks()
        self.wanted = self._wanted()

    def text(self) -> str:
        """Write all lines and return the text."""
        opener = -1  # the header that began this row, if its block may continue on it
        before = -1
        for number, line in enumerate(self.lines):
            wanted = self.wanted[number]
            joins = ""
            if before >= 0 and wanted is not None and wanted == self.line and not line.is_alone:
                if before == line.parent and number == before + 1 and self._block_on_line(before):
                    joins = " "
                    opener = before
                elif not self.lines[before].is_header and not line.is_header:
                    same_block = self.lines[before].parent == line.parent
                    if same_block and _is_simple(self.lines[before]) and _is_simple(line):
                        joins = "; "
            if not joins and opener >= 0 and opener == line.parent:
                joins = "; "  # a block that began on the row of its header cannot continue below
            if joins:
                self._share(joins, line)
            else:
                opener = -1
                self._new_line(number, wanted)
            self.rows.append(self.line)
            self._statement(line, number)
            before = number
        return "".join(self.pieces) + "\n"

    def _wanted(self) -> list[int | None]:
        """Return the row of each line.

        A line of unknown row goes right after the one before it, a header right before the one after it.
        """
        found = [first_line(line, indent) for line, indent in zip(self.lines, self.indents)]
        fit_strings(self.lines, found, self.indents, has_columns=self.has_columns)
        open_above(self.lines, found, self.indents)
        number = 0
        end: int | None = 0
        while number < len(found):
            if found[number] is not None:
                end = last_line(self.lines[number])
                number += 1
                continue
            stop = number
            while stop < len(found) and found[stop] is None:
                stop += 1
            self._fill(found, number, stop, end or 0)
            number = stop
        return found

    def _fill(self, found: list[int | None], start: int, stop: int, before: int) -> None:
        after = found[stop] if stop < len(found) else None
        first_header = stop
        if after is not None:
            while first_header > start and self.lines[first_header - 1].is_header:
                first_header -= 1
                found[first_header] = max(after - (stop - first_header), before + (first_header - start) + 1)
                found[first_header] = min(found[first_header] or 0, after)
        if first_header < stop and after is not None and after > before and self._begins_on_line_of_header(stop):
            found[stop - 1] = after
        elif first_header == start < stop and self.lines[start].items[0].text in _CLAUSES:
            found[start] = min(before + 1, found[start] or before)
        line = before
        for number in range(start, first_header):
            line += 1
            found[number] = min(line, max(after - 1, before)) if after is not None else line

    def _begins_on_line_of_header(self, number: int) -> bool:
        """Whether this line, the first of a block, begins one column after its header, as in `try: a()`."""
        header, line = self.lines[number - 1], self.lines[number]
        item, width = first_known(line)
        if line.parent != number - 1 or not self.simple.get(number - 1) or item is None or item.column is None:
            return False
        behind = sum(one.width + one.space for one in header.items) - header.items[0].space + 1
        step = item.column - width - self.indents[number - 1]
        return bool(step == behind and step not in _STEPS)

    def _simple_blocks(self) -> dict[int, bool]:
        """For each header, whether its block has only simple statements."""
        found: dict[int, bool] = {}
        for line in self.lines:
            if line.parent >= 0:
                found[line.parent] = found.get(line.parent, True) and _is_simple(line)
        return found

    def _block_on_line(self, header: int) -> bool:
        """Whether the whole block should be on the row where its header ends."""
        if not self.simple.get(header):
            return False
        for number in range(header + 1, len(self.lines)):
            if self.lines[number].parent != header:
                break
            wanted = self.wanted[number]
            if wanted is not None and wanted > self.line:
                return False
        return True

    def _share(self, joins: str, line: Line) -> None:
        item, width = first_known(line)
        column = None
        if item is not None and item.column is not None and item.line == self.line:
            column = item.column - width
        mark = joins.strip()
        if item is not None and item.text == "pass" and column == self.column:
            item.text, column = "...", self.column + 1  # the known column is that of the end
        elif item is not None and item.text == "pass" and column == self.column + len(" return "):
            if line.parent >= 0 and "def" in self.lines[line.parent].words:  # the known column is that of the constant
                item.text, column = "return None", self.column + 1
        blanks = joins[len(mark) :]
        if column is not None and column >= self.column + len(mark):
            blanks = " " * (column - self.column - len(mark))
        self._raw(mark + blanks)

    def _new_line(self, number: int, wanted: int | None) -> None:
        rows = 0
        if self.pieces or (wanted or 1) > 1:
            rows = max((wanted or self.line + 1) - self.line, 1 if self.pieces else 0)
        indent = self.indents[number]
        self.pieces.append("\n" * rows + ("\t" if self.tabs else " ") * indent)
        self.line += rows
        self.column = indent + (0 if rows else self.column)
        self.row_indent = indent

    def _raw(self, text: str) -> None:
        self.pieces.append(text)
        if "\n" in text:
            self.line += text.count("\n")
            self.column = 0
            text = text[text.rindex("\n") + 1 :]
        self.column += len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))

    # One statement

    def _statement(self, line: Line, number: int) -> None:
        if len(line.items) == 1 and not line.items[0].is_joined:
            text = line.items[0].text
            self._raw(self._closed(text, line.closes) if line.closes is not None else text)
            return
        self.depth, self.align, self.is_header = 0, [], line.is_header
        self.commas, self.last_symbol = Commas(is_definition=line.is_definition), ""
        self.base = self.column
        pending: list[Item] = []
        is_first = True
        for item in line.items:
            stays = item.line == self.line and item.column is None and self.has_columns
            if item.line is None or stays and (pending or not is_first):
                pending.append(item)
                continue
            if item.line > self.line and not (is_first and not pending):
                self._break(pending, item, is_first)
            elif item.line == self.line and item.column is not None:
                self._on_line(pending, item, is_first)
            else:
                self._natural([*pending, item], is_first)
            pending, is_first = [], False
        closings = [n for n, one in enumerate(pending) if one.symbol in CLOSING]
        closing = closings[self.depth - 1] if 0 < self.depth <= len(closings) else 0
        if pending and self.has_columns and closing >= self.depth - 1 >= 0 and self.commas.hang(self.base + INDENT):
            self._last_parameters(pending[:closing], number, is_first)
            pending = pending[closing:]
            if rows_below(self.lines, number, self.line) != 0:  # almost all are alone on it
                self._raw("\n" + " " * self.base)
        self._natural(pending, is_first)

    def _last_parameters(self, items: list[Item], number: int, is_first: bool) -> None:
        """Write what follows the last parameter that has a row, on rows of their own if as many are free."""
        is_apart = self.lines[number].is_definition and [one.symbol for one in items[:1]] == [","]
        rows = groups_of(items[1:]) if is_apart else []
        if rows and rows_below(self.lines, number, self.line) == len(rows) + 1:
            self._put(items[0], 0)
            for row in rows:
                self._next_row(self.base + INDENT)
                self._natural(row, True)
        else:
            self._natural(items, is_first)

    def _closed(self, text: str, closes: Location | None) -> str:
        """Return a docstring in other quotes than triple ones if it then ends where the definition does."""
        is_short = closes is not None and text.startswith('"""') and closes[0] == self.line
        if not is_short or closes == (self.line, self.column + width_of(text)):
            return text
        with contextlib.suppress(SyntaxError, ValueError):  # not a literal alone
            short = next(in_quotes(ast.literal_eval(text), '"'))
            if closes == (self.line, self.column + width_of(short)):
                return short
        return text

    def _put(self, item: Item, blanks: int) -> None:
        if self.commas.before(item, self.line, self.column + blanks, self.last_symbol):
            self.pieces.insert(self.after_last, ",")
        if blanks:
            self.pieces.append(" " * blanks)
            self.column += blanks
        if self.align and self.align[-1] is None:
            self.align[-1] = self.column
        self._raw(self._joined(item.text) if item.is_joined else item.text)
        symbol = item.symbol
        self.last, self.last_symbol, self.after_last = item.text, symbol, len(self.pieces)
        if symbol not in _BRACKETS:
            return
        if symbol in OPENING:
            self.depth += 1
            self.align.append(None)
        elif self.depth:
            self.depth -= 1
            self.align.pop()

    def _joined(self, text: str) -> str:
        """Return adjacent literals, below each other if there are no columns."""
        if not self.has_columns:
            text = re.sub("\n *", "\n" + " " * self.column, text)
        return text if self.depth else text.replace("\n", " \\\n")

    def _natural(self, items: list[Item], is_first: bool) -> None:
        for item in items:
            self._put(item, 0 if is_first else item.space)
            is_first = False

    def _on_line(self, pending: list[Item], item: Item, is_first: bool) -> None:
        """Write ``item`` in its column, with the ``pending`` items of unknown location before it."""
        assert item.column is not None
        if not pending:
            blank = 0 if is_first else item.space
            room = item.column - self.column
            if room < blank:
                blank = max(room, 0 if is_first else required_spaces(self.last, item))
            elif room > blank and not is_first and not item.is_glued:
                blank = room
            self._put(item, blank)
            return
        items = [*pending, item]
        blanks = [one.space for one in items]
        if is_first:
            blanks[0] = 0
        missing = item.column - self.column - sum([one.width for one in pending]) - sum(blanks)
        if missing:
            texts = [self.last, *(one.text for one in pending)]
            least = list(map(required_spaces, texts, items)) if missing < 0 else []
            if is_first and least:
                least[0] = 0
            stretch(items, blanks, least, missing)
        for one, blank in zip(items, blanks):
            self._put(one, blank)

    def _break(self, pending: list[Item], item: Item, is_first: bool) -> None:
        """Continue on the row of ``item``; some of the pending items stay on the current row."""
        if item.symbol in CLOSING and self._spread(pending, item):
            return
        if self.lines[len(self.rows) - 1].is_definition and self._parameters(pending, item):
            return
        if self._elements(pending, item):
            return
        pending = self._close_above(pending, item)
        items = [*pending, item]
        least = max([number + 1 for number, one in enumerate(pending) if one.line is not None], default=is_first)
        if self.lines[len(self.rows) - 1].is_definition and not self.has_columns:
            least = max([number + 2 for number, one in enumerate(pending[:-1]) if one.text == "="], default=least)
        best = least
        if len(items) - least > 1:
            scores = self._break_scores(items)
            best = max(range(least, len(items)), key=lambda index: (scores[index], index))
        if items[best].is_glued:
            self._natural(items, is_first)
            return
        if self.depth and best - least > 1 and self._open_above(items[best - 2 : best], item):
            self._natural(items[: best - 2], is_first)
            self._next_row(self.row_indent)
            items, best = items[best - 2 :], 2
            is_first = True
        self._natural(items[:best], is_first)
        assert item.line is not None
        rows = item.line - self.line
        if rows <= 0:
            self._natural(items[best:], False)
            return
        column = self._column_of(items[best:])
        if self.depth:
            self._raw("\n" * rows)
        else:
            self._raw(" \\\n" + "\\\n" * (rows - 1))
        self._raw(" " * column)
        self.row_indent = column
        first, *rest = items[best:]
        self._put(first, 0)
        if rest:
            if item.column is not None:
                self._on_line(rest[:-1], item, False)
            else:
                self._natural(rest, False)

    def _close_above(self, pending: list[Item], item: Item) -> list[Item]:
        """Close brackets on rows of their own if there is one between here and ``item``; return what is still pending.

        Their elements are on rows below them: where there are rows for it, almost all authors close such ones so.
        """
        while pending and pending[0].symbol in CLOSING and pending[0].line is None and self.depth > 1:
            column = self.commas.hanging()
            if column is None or column < INDENT or (item.line or 0) - self.line < 2:
                break
            self._next_row(column - INDENT)
            self._put(pending[0], 0)
            pending = pending[1:]
        return pending

    def _open_above(self, items: list[Item], item: Item) -> bool:
        """Whether an operator and an opening bracket are on a row of their own above ``item``."""
        operator, bracket = items
        is_free = operator.line is None and bracket.line is None and bracket.symbol in OPENING
        has_row = (item.line or 0) - self.line > 1 and item.column == self.row_indent + INDENT
        return is_free and has_row and operator.symbol in OPERATORS

    def _next_row(self, column: int) -> None:
        self._raw("\n" + " " * column)
        self.row_indent = column

    def _parameters(self, pending: list[Item], item: Item) -> bool:
        """Write parameters on rows of their own if there are as many as rows; False if not."""
        rows = (item.line or 0) - self.line
        found = rows_of_parameters([*pending, item], self.depth) if rows > 1 and item.column is not None else None
        usual = (self.base + INDENT, self.base + 2 * INDENT)
        if found is None or len(found.items) != rows + 1 or found.column not in usual:
            return False
        self._natural(found.items[0], False)
        for items in found.items[1:]:
            self._next_row(found.column)
            self._natural(items, True)
        return True

    def _elements(self, pending: list[Item], last: Item) -> bool:
        """Write the elements of a folded index each on a row of its own, if there are as many as rows up to the
        ``last`` one, below the first; False if not.
        """
        rows = (last.line or 0) - self.line
        if rows < 2 or last.column != self.row_indent or not self.align or self.align[-1] != self.row_indent:
            return False
        groups = groups_of(pending[1:]) if pending and pending[0].symbol == "," else []
        if len(groups) != rows - 1 or len(groups[-1]) < 2:
            return False
        self._put(pending[0], 0)
        for items in [*groups, [last]]:
            self._next_row(self.row_indent)
            self._natural(items, True)
        return True

    def _spread(self, pending: list[Item], closing: Item) -> bool:
        """Write the elements of a display that are between known brackets, several rows apart; False if none fit."""
        rows = (closing.line or 0) - self.line
        if rows < 2 or closing.column is None or self.last_symbol not in OPENING:
            return False
        found = hanging_rows(pending, rows - 1, self.row_indent, closing.column)
        is_hanging = found is not None
        found = found or aligned_rows(pending, rows + 1, self.column, closing.column)
        if found is None:
            return False
        for number, items in enumerate(found.items):
            if number or is_hanging:
                self._raw("\n" + " " * found.column)
            self._natural(items, True)
        if is_hanging:
            self._raw("\n" + " " * closing.column)
        self._put(closing, 0)
        return True

    def _column_of(self, items: list[Item]) -> int:
        """Return the column for the first item, which begins a row."""
        width = 0
        for number, item in enumerate(items):
            if number:
                width += item.space
            if item.column is not None:
                column = max(item.column - width, 0)
                has_name = number > 1 and items[1].text == ("=" if items[0].text.isidentifier() else ":")
                return self._column_of_name(column, items[1].text) if has_name else column
            width += item.width
        if self.align and self.align[-1] is not None and items[0].symbol not in CLOSING:
            return self.align[-1]
        return self.base + (0 if items[0].symbol in CLOSING else INDENT)

    def _column_of_name(self, latest: int, mark: str) -> int:
        """Return the column of a key or a keyword before ``mark``, which may have blanks around it: that of the row
        above if the bracket's first element begins there, or one below the bracket; else the ``latest`` possible one.
        """
        if self.align and self.align[-1] == self.row_indent > self.base:
            return min(latest, self.row_indent)
        below = self.row_indent + INDENT
        return below if mark == "=" and self.last_symbol in OPENING and latest == below + len("  ") else latest

    def _column_habit(self, item: Item, column: int, *, is_last: bool, in_brackets: bool) -> int:
        """Score how usual it is that ``item`` begins a row in ``column``; ``is_last``: that is where it is."""
        if item.symbol in CLOSING:
            return 40 if column == self.base else 0
        if not is_last and column <= self.base:
            return -20 if in_brackets else -10
        is_usual = self.is_header and not self.commas.hang(self.base + INDENT) and column == self.base + 2 * INDENT
        return (25 if is_last else 10) * is_usual

    def _break_scores(self, items: list[Item]) -> list[int]:
        """Score for each item how likely it begins a row; the last one is where its column is."""
        last = len(items) - 1
        columns: list[int | None] = [items[-1].column] * len(items)
        for number in range(last - 1, -1, -1):  # where each one is if all after it are on its row
            after = columns[number + 1]
            columns[number] = None if after is None else after - items[number + 1].space - items[number].width
        scores: list[int] = []
        before, at, aligned = self.last_symbol, self.column, list(self.align)
        is_definition = self.lines[len(self.rows) - 1].is_definition
        for number, item in enumerate(items):
            column, align = columns[number], aligned[-1] if aligned else None
            score = 100 if aligned else 0
            if column is not None:
                score += 20 * (align is not None and column == align)
                if not (is_definition and before == ":"):  # an annotation
                    score += self._column_habit(item, column, is_last=number == last, in_brackets=bool(aligned))
            if item.is_glued or column is not None and column < 0:
                scores.append(-1000 if item.is_glued else -500)
            else:
                hangs = not self.depth or column is None or column <= self.row_indent + 3 * INDENT
                scores.append(score + break_habit(before, item, hangs=hangs))
            # From here on, as if the item stayed on this row.
            at += item.space
            if aligned and align is None:
                aligned[-1] = at
            at += item.width
            if item.symbol in OPENING:
                aligned.append(None)
            elif item.symbol in CLOSING and aligned:
                aligned.pop()
            before = item.symbol
        return scores


def _is_simple(line: Line) -> bool:
    """Whether it may share a row with other statements."""
    first = line.items[0].text
    if line.is_header or line.is_joined:
        return False
    return first[0] != "@" and not (first == "async" and line.items[-1].text == ":")
