"""Map spans of our text to positions in the original, by pairing the instructions that both compile to.

If the line table has columns, a span of our text maps to a span of the original. Otherwise our text is compiled with
one token per line, so that a line identifies a token, whichever line a version gives to a construct.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Dict, Iterator, Sequence, Tuple

from ...bytecode import Instruction, RawCode
from ...bytecode.instruction import Position
from .folded import Folding
from .pairs import FUSED, CodePair, aligned, nops, second_halves
from .text import Span, Text
from .tokens import Token
from .unchanged import Unchanged

Location = Tuple[int, int]
"""(line, column)."""
Extent = Tuple[int, int, int, int]
"""(line, column, end line, end column)."""



class Anchors:
    """What the original's positions tell about our tokens.

    ``extents``: for a span of our text, its extents in the original, each with the number of instructions that have it;
    ``lines``: for a token, the lines of the instructions whose construct begins with it. ``tuples``: spans that build
    or unpack a tuple. ``ends``: for the first token of a statement of ours, the extent of the implicit return in the
    original, which is that of the last statement or of the header. ``origins``: for spans that are constants, whether
    they were folded.
    """

    def __init__(self) -> None:
        self.extents: dict[Span, dict[Extent, int]] = {}
        self.lines: dict[int, dict[int, int]] = {}
        self.tuples: set[Span] = set()
        self.ends: dict[int, Extent] = {}
        self.origins: dict[Span, Folding] = {}

    def extent(self, span: Span, where: Extent, count: int = 1) -> None:
        known = self.extents.setdefault(span, {})
        known[where] = known.get(where, 0) + count

    def line(self, token: int, line: int, count: int = 1) -> None:
        known = self.lines.get(token)
        if known is None:
            self.lines[token] = {line: count}
        else:
            known[line] = known.get(line, 0) + count

    def add(self, other: Anchors, moved: Location = (0, 0)) -> None:
        """Merge the anchors of ``other``, moved up and to the left."""
        up, left = moved
        for span, extents in other.extents.items():
            if moved != (0, 0):
                extents = {
                    (line - up, column - left, end_line - up, end_column - left): count
                    for (line, column, end_line, end_column), count in extents.items()
                }
            known = self.extents.get(span)
            if known is None:
                self.extents[span] = extents
            else:
                both = Counter(known)
                both.update(extents)
                self.extents[span] = both
        for token, lines in other.lines.items():
            for line, count in lines.items():
                self.line(token, line - up, count)
        self.tuples |= other.tuples
        self.origins.update(other.origins)
        for token, (line, column, end_line, end_column) in other.ends.items():
            self.ends[token] = (line - up, column - left, end_line - up, end_column - left)


def most_of(extents: dict[Extent, int]) -> Extent:
    """Return the extent that most instructions have."""
    if len(extents) == 1:
        return next(iter(extents))
    return max(extents, key=lambda extent: (extents[extent], extent))


NO_COLUMN = -1

ByObject = Dict[RawCode, Anchors]
"""For each code object of the original, the anchors from its instructions."""


def has_columns(raw: RawCode) -> bool:
    """Whether ``raw``, or code nested in it, has column information."""
    return any(position[2] is not None for part in raw.walk() for position in part.positions())


def _add_end(found: Anchors, tokens: list[Token], span: Span, extent: Extent) -> None:
    """Add the extent of what may be an implicit return."""
    start, end = span
    _, column, _, end_column = extent
    before = tokens[start - 1].text if start and tokens[start].text == "None" else ""
    if tokens[start].text == "return":
        if (column, end_column) != (0, 0):
            found.extent(span, extent)
    elif before == "return":
        # The position is that of the constant alone, unless it is as wide as a bare `return`.
        found.extent((start - (end_column - column == len("return")), end), extent)
    elif before in _BEFORE_OPERAND:
        found.extent(span, extent)
    else:
        found.ends[start] = extent


_BEFORE_OPERAND = frozenset(("else", "and", "or", "("))
"""Tokens before a None that a return statement evaluates, as one of several values."""


def _begin(found: Anchors, pair: CodePair, first_of_line: dict[int, int]) -> None:
    """Record the line where a definition begins; ``first_of_line``: the first token of each line of our text."""
    first = first_of_line.get(pair.ours.firstlineno)
    if first is not None and pair.original.name != "<module>":
        found.line(first, pair.original.firstlineno)


def anchors_by_columns(pairs: Sequence[CodePair], text: Text, moved: Unchanged) -> ByObject:
    """Return the anchors of ``text``, which the pairs were compiled from."""
    all_found: ByObject = {}
    tokens = text.cut.tokens
    first_of_line = {tokens[one.start].line: one.start for one in text.cut.statements}
    for pair, statements in zip(pairs, moved.of_pair):
        left = pair.original
        found = all_found.setdefault(left, Anchors())
        _begin(found, pair, first_of_line)
        done: dict[int | None, int] = {}  # line of ours -> the unchanged statement on it
        for number in statements:
            shift = moved.shifts.get(number)
            if shift is not None:
                at = text.cut.statements[number].start
                whole, (down, right_by) = tokens[at], shift
                done.update(dict.fromkeys(range(whole.line, whole.end_line + 1), number))
                where = whole.line + down, whole.column + right_by, whole.end_line + down, whole.end_column + right_by
                found.extent((at, at), where)
        pair.read(done)
        for (where, here), count in pair.position_pairs.items():
            if here[0] in done and done[here[0]] == done.get(here[1]):
                continue
            span = text.span(here)
            if span is None or None in where or where[2:] == (0, 0):  # a prologue has no text
                continue
            found.extent(span, (where[0], where[2], where[1], where[3]), count)
        for where, here in pair.ends:
            span = text.span(here) if here[0] not in done else None
            if span is not None and None not in where:
                _add_end(found, tokens, span, (where[0], where[2], where[1], where[3]))
        found.tuples.update(filter(None, map(text.span, pair.tuples)))
        for here, origin in pair.origins.items():
            span = text.span(here)
            if span is not None:
                found.origins[span] = origin
        for line, here, name, is_stored in pair.second_halves:
            token = text.name_near(here, name, is_stored)
            if token is not None:
                found.line(token, line)
    return all_found


def add_hidden(all_found: ByObject, pairs: Sequence[CodePair], exploded: RawCode, text: Text) -> None:
    """Add the anchors that only show up with one token per line: variables whose instructions are fused with others in
    our text, and constants of which the compiler leaves a NOP if they are on a line of their own.

    ``exploded``: the code of the text with each token on a line of its own.
    """
    tokens = text.cut.tokens
    for left, right in _in_parallel(pairs, exploded, [pair for pair in pairs if pair.hides]):
        found = all_found.setdefault(left, Anchors())
        theirs = left.positions()
        fused = second_halves(left)
        header = _Header(found, text) if nops(left) else None
        paired = aligned(left, right, header)
        following: dict[int | None, int] = {}  # by header, the parameter after the last NOP's
        for a, b in paired:
            if a.op != "NOP" and a.op not in FUSED or b.position is None:
                continue
            where, token = _at(theirs, a), text.exploded.get(b.line or 0)
            end = text.exploded.get(b.position[1] or 0)
            if where is None or token is None or end is None or a.op != "NOP" and not _is_of(tokens[token].text, a.arg):
                continue
            if id(a) in fused:
                found.line(token, where[0])
            elif a.op != "NOP" or token == end or (token, end) not in found.extents:
                found.extent((token, end), (where[0], where[2], where[1], where[3]))
                if header is not None and a.op == "NOP":
                    of = header.statements.get(token)
                    first = _first_of_line(header.begins(a, b), following.get(of))
                    if first is not None:
                        column = where[2] - (tokens[token].column - tokens[first].column)
                        end_column = column + len(tokens[first].text)
                        found.extent((first, first), (where[0], column, where[0], end_column))
                        if of in header.indents:
                            found.line(first - 1, where[0] - 1)  # the comma before it
                    following[of] = header.after(b)


def _is_of(name: str, variable: str) -> bool:
    """Whether the variable is written so; ``__a`` in a class ``B`` is the variable ``_B__a``."""
    return name == variable or name.startswith("__") and variable[0] == "_" and variable.endswith(name)


def _first_of_line(begins: list[int], following: int | None) -> int | None:
    """Return the parameter that begins a line: the one after the last on the line above, if that is known."""
    if following is None:
        return min(begins, default=None)
    return following if following in begins else None


class _Header:
    """Whether a default value or an annotation, of which the compiler left a NOP, is in a plausible column.

    On the line of the ``def`` that is its usual column; on other lines, the one that follows from a parameter that
    begins the line at a usual indentation.
    """

    def __init__(self, found: Anchors, text: Text) -> None:
        self.text = text
        self.of_statement: dict[int, Extent] = {}
        for (start, _), extents in found.extents.items():
            if text.cut.tokens[start].text in ("def", "async"):
                self.of_statement[start] = min(extents)
        self.statements = {
            number: one.start for one in text.cut.statements if one.start in self.of_statement
            for number in range(one.start, one.end)
        }  # fmt: skip
        self.indents: dict[int | None, int] = {}

    def learn(self, originals: list[Instruction], ours: list[Instruction]) -> None:
        """Find out at which column the lines of a header begin, from the NOPs of all its default values.

        Each line has the NOP of its last default value, so the next one begins after that: one column has to fit all.
        """
        ends = [self.text.exploded.get(one.line or 0, -1) for one in ours]
        start = self.statements.get(ends[0])
        there = [one.position for one in originals if one.position is not None]
        if start is None or any(self.statements.get(end) != start for end in ends) or len(there) < 2:
            return
        line, column, *_ = self.of_statement[start]
        above = there[0][0] == line
        if [one[0] for one in there] != list(range(line + (not above), line + (not above) + len(there))):
            return
        tokens, after = self.text.cut.tokens, {number: self.after(one) for number, one in zip(ends, ours)}
        if above:
            shift = there[0][2] - column + tokens[start].column
            first = {after[end] for end in ends if tokens[end].column == shift}
        else:
            # No default value is above. The first parameter begins a line at a usual indentation only.
            first = {end + 1 for end in range(start, ends[0]) if tokens[end].text == ","}
        found = self._fitting(there[above:], after, first)
        if len(found) == 1 and min(found) > column:
            self.indents[start] = found.pop()

    def _fitting(self, lines: list[Position], after: dict[int, int], first: set[int]) -> set[int]:
        """Return the columns where ``lines`` may begin, which end with these NOPs, the first with one of ``first``.

        ``after``: by the token of each default value, that of the next parameter.
        """
        tokens, last, found = self.text.cut.tokens, max(after), set()
        before = {begun: end for end, begun in after.items()}
        at = {tokens[number].column: number for number in {*before, *first} if number < last}
        for column in at:
            indent = lines[-1][2] - tokens[last].column + column
            end: int | None = last
            for where in reversed(lines):
                begun = at.get(tokens[end].column - where[2] + indent) if end is not None else None
                if begun is None or end is None or begun > end:
                    break
                end = before.get(begun)
            else:
                if begun in first:
                    found.add(indent)
        return found

    def width(self, ours: Instruction) -> int | None:
        """Return the width in our text of the construct of a NOP, which has one token per line."""
        line, end_line, *_ = ours.position or (None, None)
        start, end = self.text.exploded.get(line or 0), self.text.exploded.get(end_line or 0)
        if start is None or end is None:
            return None
        first, last = self.text.cut.tokens[start], self.text.cut.tokens[end]
        return int(last.end_column - first.column) if first.line == last.end_line else None

    def fits(self, original: Instruction, ours: Instruction) -> bool:
        """Whether ``original`` may be the NOP of the token of ``ours``, which is one line of the exploded text."""
        token = self.text.exploded.get(ours.line or 0)
        start = self.statements.get(token) if token is not None else None
        if original.position is None or token is None or start is None:
            return False
        tokens, (line, column, *_) = self.text.cut.tokens, self.of_statement[start]
        there = original.position[2]
        if original.line == line:
            return bool(there - column == tokens[token].column - tokens[start].column)
        return bool(self.begins(original, ours))

    def begins(self, original: Instruction, ours: Instruction) -> list[int]:
        """Return the parameters that would begin the line of ``original`` at a usual indentation: below the first one
        on the line of the bracket, or else four or eight columns from the ``def``; first, where all lines begin.
        """
        token = self.text.exploded.get(ours.line or 0)
        start = self.statements.get(token) if token is not None else None
        if original.position is None or token is None or start is None:
            return []
        tokens, (line, column, *_) = self.text.cut.tokens, self.of_statement[start]
        there = original.position[2]
        if original.line == line:
            return []
        opening = next((n for n in range(start, token) if tokens[n].text == "("), start)
        below = column + tokens[opening].end_column - tokens[start].column
        apart = there - tokens[token].column
        columns = {
            number: apart + tokens[number].column
            for number in range(token, opening, -1) if tokens[number - 1].text in ("(", ",")
        }  # fmt: skip
        learnt = (self.indents[start],) if start in self.indents else ()
        for indents in (learnt, (below,), (column + 4, column + 8)):
            found = [number for number, begin in columns.items() if begin in indents]
            if found:
                return found
        return []

    def after(self, ours: Instruction) -> int:
        """Return the token after the comma that follows the construct of ``ours``."""
        return self.text.exploded.get((ours.position or (0, 0))[1] or 0, -2) + 2


def _in_parallel(
    pairs: Sequence[CodePair], exploded: RawCode, wanted: Sequence[CodePair]
) -> Iterator[tuple[RawCode, RawCode]]:
    """Yield the code objects of the original that are ``wanted``, each with its counterpart in the exploded text.

    Without columns several may be one in our text, where they are on one line, but neither there nor in the original.
    """
    originals = {pair.original for pair in wanted}
    todo = [(pairs[0].original, exploded)]
    while todo:
        left, right = todo.pop()
        if left in originals:
            yield left, right
        nested, others = left.nested, right.nested
        if [one.name for one in nested] != [one.name for one in others]:
            below = [(a.arg, b.arg) for a, b in aligned(left, right) if type(a.arg) is RawCode is type(b.arg)]
        else:
            below = list(zip(nested, others))
        todo += [(one, other) for one, other in below if not originals.isdisjoint(one.walk())]


def _at(positions: Any, instruction: Instruction) -> Any:
    unit = instruction.offset // 2
    if not 0 <= unit < len(positions):
        return None
    position = positions[unit]
    return None if None in position else position


def anchors_by_lines(pairs: Sequence[CodePair], text: Text, moved: Unchanged) -> ByObject:
    """Return the anchors of the statements that moved unchanged."""
    all_found: ByObject = {}
    tokens = text.cut.tokens
    first_of_line = {tokens[one.start].line: one.start for one in text.cut.statements}
    for pair, statements in zip(pairs, moved.of_pair):
        found = all_found.setdefault(pair.original, Anchors())
        _begin(found, pair, first_of_line)
        for number in statements:
            shift = moved.shifts.get(number)
            down = shift[0] if shift is not None else moved.lines.get(number)
            if down is not None:
                at = text.cut.statements[number].start
                found.line(at, tokens[at].line + down)
    return all_found


def add_lines(
    all_found: ByObject, pairs: Sequence[CodePair], exploded: RawCode, text: Text, moved: Unchanged
) -> None:
    """Add the anchors of the other statements, found with one token per line."""
    tokens = text.cut.tokens
    wanted = [pair for pair, found in zip(pairs, moved.of_pair) if not found.isdisjoint(moved.changed)]
    for left, right in _in_parallel(pairs, exploded, wanted):
        pair = CodePair(left, right)
        found = all_found.setdefault(left, Anchors())
        first = text.exploded.get(right.firstlineno)
        if first is not None and left.name != "<module>":
            found.line(first, left.firstlineno)
        for (where, here), count in pair.position_pairs.items():
            token = text.exploded.get(here[0] or 0)
            if token is not None and where[0] is not None:
                found.line(token, where[0], count)
        for where, here in pair.ends:
            token, line = text.exploded.get(here[0] or 0), where[0]
            if token is None or line is None:
                continue
            if tokens[token].text == "return":
                found.line(token, line)
            elif tokens[token].kind != "statement":
                column = 0 if line == left.firstlineno else NO_COLUMN
                found.ends[token] = (line, column, line, column)
