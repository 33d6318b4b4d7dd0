"""The entry point: text and code -> the text on the lines and in the columns of the code."""

from __future__ import annotations

import bisect
from collections import Counter
from typing import Callable, Collection, Sequence

from ..bytecode import RawCode
from ..bytecode.kinds import kind_of
from ..syntax.grammar import grammar_of
from .elements import parenthesize_elements
from .hanging import hang_operands
from .locations import locate
from .matching.anchors import (
    Anchors,
    Location,
    add_hidden,
    add_lines,
    anchors_by_columns,
    anchors_by_lines,
    has_columns,
)
from .matching.blocks import joined
from .matching.pairs import objects
from .matching.runs import equal_lines, line_runs
from .matching.text import Text
from .matching.tokens import Logical, Tokens, cut, logical_lines
from .matching.unchanged import Unchanged, unchanged
from .parentheses import add_parentheses
from .writing.declarations import move_declarations
from .writing.emit import emit
from .writing.indents import indents_of
from .writing.item import INDENT
from .writing.items import items_of

Compile = Callable[[str], RawCode]


class Layout:
    """Lay out ``text`` by the positions in ``original``. ``text`` is equivalent to ``original``, with no wrapped line.

    ``recompiled``: the code ``text`` compiles to, if already known.
    ``moved``: how many lines up and columns to the left a function is moved from its location in the file.
    ``compiled``: for the caller to keep the text that uses all positions, and the code that it compiles to.
    Raises CannotCut if the tokenizer does not know the form of the text, DecompilationError if it does not compile.
    """

    def __init__(
        self, text: str, original: RawCode, compile_text: Compile, recompiled: RawCode | None = None
    ) -> None:
        self._text, self._original, self._compile = text, original, compile_text
        self.compiled: tuple[str, RawCode] | None = None
        self._free_fields = grammar_of(original.version).nested_quotes
        self.has_columns = has_columns(original)
        flat = recompiled or compile_text(text)
        self._logical = logical_lines(text, free_fields=self._free_fields)
        self._pairs = list(objects(original, flat, line_runs if self.has_columns else equal_lines))
        self._unchanged = unchanged(self._logical, self._pairs, has_columns=self.has_columns)
        self._anchor(*joined(text, self._logical, self._unchanged))
        ends = {position[3] for position in original.positions()}
        texts = [token.text for token in self.cut.tokens]
        self._is_empty = kind_of(original) == "module" and texts == ["pass"] and ends == {0}

    def _anchor(self, logical: Sequence[Logical], moved: Unchanged) -> None:
        """Cut the text into the tokens of these logical lines, and find out what is known of them."""
        self.cut = cut(self._text, free_fields=self._free_fields, logical=logical, whole=moved.shifts)
        ours = Text(self.cut)
        if self.has_columns:
            self.by_object = anchors_by_columns(self._pairs, ours, moved)
            lines = {pair.ours.firstlineno for pair in self._pairs if pair.hides}
            if lines:
                add_hidden(self.by_object, self._pairs, self._compile(ours.explode(ours.stubs(lines))), ours)
        else:
            self.by_object = anchors_by_lines(self._pairs, ours, moved)
            lines = {logical[number].line for number in moved.changed}
            if lines:
                exploded = self._compile(ours.explode(ours.stubs(lines)))
                add_lines(self.by_object, self._pairs, exploded, ours, moved)
        self.statements_of = {pair.original: found for pair, found in zip(self._pairs, moved.of_pair)}
        self.moved = self._moved(self._original)
        self._rows: list[tuple[int, int]] = []
        self._loose: set[int] = set()

    def text(self, without: Collection[RawCode] = (), plain: Collection[RawCode] = ()) -> str:
        """Return the text.

        The positions in the code objects ``without`` are not used: their statements only get a line that other code
        gives. For those in ``plain``, only the lines of statements are used.
        """
        if self._is_empty:
            return ""
        anchors = Anchors()
        for raw, found in self.by_object.items():
            if raw not in without:
                anchors.add(_of_statements(found, self.cut) if raw in plain else found, self.moved)
        locations = locate(anchors, self.cut)
        alone = set().union(*(self.statements_of.get(raw, set()) for raw in without))
        logical = items_of(self.cut, locations, self._loose, alone)
        move_declarations(logical)
        indents = indents_of(logical, has_columns=self.has_columns)
        for one, indent in zip(logical, indents):
            if len(one.items) > 1:
                parenthesize_elements(one.items)
                add_parentheses(one.items, indent, is_closed=one.is_closed)
            if one.closes is not None:
                one.close()
        hang_operands(logical, indents)
        text, rows = emit(logical, indents)
        if any(line.is_joined and row != line.items[0].line for line, row in zip(logical, rows)):
            self._anchor(self._logical, self._unchanged)  # some of these statements may have to share rows
            return self.text(without, plain)
        self._rows = [(row, line.statement) for row, line in zip(rows, logical)]
        return text

    def loosen(self, line: int) -> bool:
        """Write the statement on this line of the last text as it was, but for its start; False if it already is."""
        number = bisect.bisect_right(self._rows, (line, len(self.cut.statements))) - 1
        for _, statement in self._rows[max(number - 1, 0) : number + 1][::-1]:
            if statement not in self._loose:
                self._loose.add(statement)
                return True
        return False

    def _moved(self, original: RawCode) -> Location:
        if kind_of(original) == "module":
            return 0, 0
        columns: Counter[int] = Counter()
        known = [found for found in self.by_object.values() if found.extents]
        starts = {one.start for one in self.cut.statements if one.depth == 1}
        for found in known:
            for (start, _), extents in found.extents.items():
                if start in starts:
                    columns.update([where[1] for where in extents])
        indent = min(columns, default=INDENT)
        return original.firstlineno - 1, max(indent - INDENT, 0)


def _of_statements(anchors: Anchors, cut: Tokens) -> Anchors:
    """Return anchors with only the lines on which statements begin."""
    found = Anchors()
    starts = {one.start for one in cut.statements}
    for (start, _), extents in anchors.extents.items():
        if start in starts:
            for where, count in extents.items():
                found.line(start, where[0], count)
    for token, lines in anchors.lines.items():
        if token in starts:
            for line, count in lines.items():
                found.line(token, line, count)
    return found
