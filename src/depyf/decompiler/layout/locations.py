"""Anchors -> the location of each token, and the author's redundant parentheses, which the AST lacks.

The innermost span that begins (ends) with a token gives its location. If an outer one begins earlier or ends later,
there is a parenthesis.
"""

from __future__ import annotations

import bisect
import operator
from typing import NamedTuple

from .literals.displays import ends_operand, may_be_bare
from .literals.spelling import spell
from .literals.strings import width_of
from .literals.token_texts import TokenTexts
from .matching.anchors import Anchors, Extent, Location, most_of
from .matching.text import Span
from .matching.tokens import CLOSING, OPENING, Token, Tokens
from .named_expressions import needless_parentheses

MOST_COLUMNS = 2000
"""No readable source has columns beyond this."""
MOST_LINES = 50
"""Lines per token: no real source needs more."""
_FEW_LINES = 20_000


class Parenthesis(NamedTuple):
    """A pair around the tokens of ``span``: where it opens and where it closes, None if unknown."""

    span: Span
    opens: Location | None
    closes: Location | None


class Locations(NamedTuple):
    """For each token, where it starts and ends, None if unknown; ``lines``: its line, which may be known alone.

    ``parentheses`` are to be added; ``dropped`` are the indices of tokens that the author did not write; ``spelled``
    has other spellings of the rest; ``extents`` are the extents of spans, ``silent`` those of the ends of bodies (see
    ``Anchors.ends``). ``body_ends``: for the last token of a definition, where that ends, if later.
    ``commas``: tokens with a comma after them that ends an index, ``colons``: with a colon that ends a slice.
    ``ending``: tokens that end where a definition does.
    """

    starts: list[Location | None]
    ends: list[Location | None]
    lines: list[int | None]
    parentheses: list[Parenthesis]
    dropped: set[int]
    spelled: TokenTexts
    extents: dict[Span, Extent]
    silent: dict[int, Extent]
    body_ends: dict[int, Location]
    commas: set[int]
    colons: set[int]
    ending: set[int]

    def of(self, token: int) -> tuple[int, int | None] | None:
        """Return where a token starts; the column is None if only the line is known."""
        line = self.lines[token]
        return self.starts[token] or ((line, None) if line is not None else None)


def locate(anchors: Anchors, cut: Tokens) -> Locations:
    """Find the location of each token."""
    tokens = cut.tokens
    size = len(tokens)
    most = _FEW_LINES + MOST_LINES * size
    votes: dict[Span, Extent] = {}
    for span, extents in anchors.extents.items():
        outer = _of_return(span, extents, tokens)
        if outer is not None:  # a constant below its keyword: there is an instruction for each
            votes[span[0] - 1, span[1]] = outer
            extents = {one: count for one, count in extents.items() if one != outer}
        extent = most_of(extents) if len(extents) > 1 else next(iter(extents))
        if _is_plausible(extent, most):
            votes[span] = extent
    votes = _with_operands(votes, tokens)
    dropped: set[int] = set()
    squeezed: set[int] = set()
    votes = _without_our_parentheses(votes, anchors.tuples, tokens, dropped, squeezed)
    around = _around_strings(tokens)
    dropped |= around
    spelled = spell(votes, tokens, anchors.origins, anchors.tuples, squeezed)
    dropped |= spelled.without
    silent = {token: at for token, at in anchors.ends.items() if 0 < at[0] <= at[2] <= most and at[3] <= MOST_COLUMNS}
    edges = _Edges(_inside(votes, around), anchors.tuples, cut)
    starts, ends = edges.starts, edges.ends
    lines: list[int | None] = [None] * size
    for token, counter in anchors.lines.items():
        line = max(counter, key=lambda line: (counter[line], line)) if len(counter) > 1 else next(iter(counter))
        lines[token] = line if 0 < line <= most else None
    for token in range(size):
        end = ends[token]
        if starts[token] is None and end is not None and "\n" not in tokens[token].text:
            column = end[1] - width_of(spelled.texts.get(token, tokens[token].text))
            starts[token] = (end[0], column) if column >= 0 else None
        if tokens[token].kind == "string_start" and starts[token] is not None and starts[token] == starts[token + 1]:
            starts[token + 1] = None  # a literal adjacent to formatted ones: both have its position
    _keep_in_order(starts, ends, lines)
    dropped.update(needless_parentheses(tokens, starts, ends))
    parentheses = edges.parentheses()
    return Locations(
        starts, ends, lines, parentheses, dropped, spelled, votes, silent, edges.body_ends, edges.commas, edges.colons,
        edges.ending,
    )


class _Edges:
    """The bounds of tokens, by the innermost spans, and parentheses, by outer spans that begin earlier or end later."""

    def __init__(self, votes: dict[Span, Extent], tuples: set[Span], cut: Tokens) -> None:
        self.votes, self.tuples, self.tokens = votes, tuples, cut.tokens
        self.statement_of = _statements(cut)
        self.starts: list[Location | None] = [None] * len(cut.tokens)
        self.ends: list[Location | None] = [None] * len(cut.tokens)
        self.opened: dict[Span, Location] = {}
        self.closed: dict[Span, Location] = {}
        self.body_ends: dict[int, Location] = {}
        self.commas: set[int] = set()
        self.colons: set[int] = set()
        self.ending: set[int] = set()
        self.starting: dict[int, list[Span]] = {}
        self.ended: dict[int, list[Span]] = {}
        for span in votes:
            if not self._is_name_of_method(span):
                self.starting.setdefault(span[0], []).append(span)
            self.ended.setdefault(span[1], []).append(span)
        for token, spans in self.starting.items():
            if len(spans) == 1 and self.tokens[token].text != "*":
                self.starts[token] = votes[spans[0]][:2]
            else:
                self._begin(token, sorted(spans, key=lambda span: span[1]))
        for token, spans in self.ended.items():
            extent = votes[spans[0]]
            if len(spans) == 1 and extent[0] == extent[2] and spans[0] not in self.opened:
                self.ends[token] = extent[2:]
            else:
                self._end(token, sorted(spans, key=lambda span: -span[0]))

    def _is_in_statement(self, span: Span) -> bool:
        return self.statement_of[span[0]] == self.statement_of[span[1]]

    def _is_name_of_method(self, span: Span) -> bool:
        """Whether the extent of ``span``, an attribute, is that of its name: a method that is called over lines."""
        last = self.tokens[span[1]]
        if span[1] - span[0] < 2 or last.kind != "name" or self.tokens[span[1] - 1].text != ".":
            return False
        line, column, end_line, end_column = self.votes[span]
        return line == end_line and end_column - column == width_of(last.text)

    def _begin(self, token: int, spans: list[Span]) -> None:
        """Locate the start of ``token``, with which ``spans`` begin, innermost first."""
        inner, at = spans[0], self.votes[spans[0]][:2]
        self.starts[token] = self._after_parenthesis(token, inner) or at
        for span in spans[1:]:
            outer_at = self.votes[span][:2]
            if outer_at < at and self._is_in_statement(span):
                around = self._joined_by_and(inner, span, 1)
                if span in self.tuples:
                    around = (span[0], self._comma(span, 1) - 1) if self._ends_with_element(span) else span
                self.opened.setdefault(around, outer_at)
                at = outer_at
            inner = span

    def _after_parenthesis(self, token: int, span: Span) -> Location | None:
        """Return where the star is that a tuple, ``span``, begins with, if there is a parenthesis before it."""
        if self.tokens[token].text != "*" or span not in self.tuples:
            return None
        after = self.starting.get(token + 1)
        if after is None:
            return None
        line, column = self.votes[min(after, key=lambda one: one[1])][:2]
        at = self.votes[span][:2]
        if not column or (line, column - 1) <= at:
            return None
        self.opened.setdefault(span, at)
        return line, column - 1

    def _end(self, token: int, spans: list[Span]) -> None:
        """Locate the end of ``token``, with which ``spans`` end, innermost first."""
        inner, at = spans[0], self.votes[spans[0]][2:]
        if inner in self.opened and inner in self.tuples:
            self.closed.setdefault(inner, at)  # of the parenthesis: the end of its last element is unknown
            return
        for span in spans[1:]:
            outer_at = self.votes[span][2:]
            if outer_at == (at[0], at[1] + len(",")) and self._is_index(span):
                self.commas.add(token)
                at = outer_at
            elif outer_at == (at[0], at[1] + len(":")) and self._is_slice(span):
                self.colons.add(token)
                at = outer_at
            elif outer_at > at and self._is_in_statement(span):
                value = (span[0] + 1, token)
                around = value if self._opens_after_return(span) else self._joined_by_and(inner, span, -1)
                if span in self.tuples:
                    around = (self._comma(span, -1) + 1, token) if self._begins_with_element(span) else span
                self.closed.setdefault(around, outer_at)
                at = outer_at
            elif outer_at > at and not self._is_in_statement(span):
                self.body_ends.setdefault(token, outer_at)
            elif outer_at == at and not self._is_in_statement(span):
                self.ending.add(token)
            inner = span
        line, column, end_line, end_column = self.votes[spans[0]]
        if line != end_line and end_column - width_of(self.tokens[token].text) == column + len(","):
            if self._is_constant_index(spans[0]):  # its items are below each other, and a comma ends it
                self.commas.add(token)
                end_column -= len(",")
        self.ends[token] = end_line, end_column

    def _joined_by_and(self, span: Span, outer: Span, step: int) -> Span:
        """Extend ``span``, the first operand in ``outer`` (``step`` 1) or the last (-1), to all that ``and`` joins, if
        there is no room for a parenthesis between them and ``or`` is next. What ``and`` joins has no location.
        """
        number = span[step > 0]
        spans = self.starting if step > 0 else self.ended
        while outer[0] <= number + 2 * step <= outer[1] and self.tokens[number + step].text == "and":
            others = [one for one in spans.get(number + 2 * step, ()) if outer[0] <= one[0] and one[1] <= outer[1]]
            others.sort(key=lambda one: one[1] - one[0])
            if not others or others[-1] == outer:
                return span
            left, right = (self.votes[span], self.votes[others[0]])[::step]
            if number == span[step > 0] and left[2:] != (right[0], right[1] - len(" and ")):
                return span
            number = others[-1][step > 0]
        is_inside = outer[0] < number < outer[1] and self.tokens[number + step].text == "or"
        return (min(span[0], number), max(span[1], number)) if is_inside else span

    def _comma(self, span: Span, step: int) -> int:
        """Return the comma after the first element of the tuple ``span`` (``step`` 1), or before the last (-1)."""
        first, last = span if step > 0 else span[::-1]
        depth = 0
        for number in range(first, last, step):
            text = self.tokens[number].text
            depth += (text in OPENING) - (text in CLOSING)
            if text == "," and not depth:
                return number
        return last + step

    def _ends_with_element(self, span: Span) -> bool:
        """Whether ``span``, a tuple, ends with the last token inside it: there is no parenthesis after it."""
        end = self.votes[span][2:]
        return any(self.votes[one][2:] == end for one in self.ended[span[1]] if one[0] > span[0])

    def _begins_with_element(self, span: Span) -> bool:
        """Whether ``span``, a tuple, begins with the first token inside it: there is no parenthesis before it."""
        start = self.votes[span][:2]
        return any(self.votes[one][:2] == start for one in self.starting[span[0]] if one[1] < span[1])

    def _is_in_brackets(self, span: Span) -> bool:
        """Whether ``span`` has more than one token, and is all that is between square brackets."""
        if not 0 < span[0] < span[1] < len(self.tokens) - 1:
            return False
        return (self.tokens[span[0] - 1].text, self.tokens[span[1] + 1].text) == ("[", "]")

    def _is_constant_index(self, span: Span) -> bool:
        inside = self.tokens[span[0] : span[1] + 1]
        is_flat = len(inside) > 1 and inside[1].text == "," and all(one.text not in OPENING for one in inside)
        return is_flat and self._is_in_brackets(span) and span[0] > 1 and ends_operand(self.tokens[span[0] - 2])

    def _is_slice(self, span: Span) -> bool:
        """Whether ``span`` is an index, or part of one, with one colon."""
        before = self.tokens[span[0] - 1].text if span[0] else ""
        texts = [token.text for token in self.tokens[span[0] : span[1] + 1]]
        is_flat = "lambda" not in texts and "{" not in texts
        return before in ("[", ",") and is_flat and "[" not in texts and texts.count(":") == 1

    def _is_index(self, span: Span) -> bool:
        """Whether ``span`` is a tuple in square brackets, which has no parenthesis to begin with."""
        if span not in self.tuples or span in self.opened or not self._is_in_brackets(span):
            return False
        is_known = any(inner[1] < span[1] for inner in self.starting[span[0]])
        return is_known and self.starts[span[0]] == self.votes[span][:2]

    def _opens_after_return(self, span: Span) -> bool:
        """Whether ``span`` is a return statement with room for a parenthesis, or a line end, before its value."""
        keyword, value = self.votes[span][:2], self.starts[span[0] + 1] if span[0] < span[1] else None
        if self.tokens[span[0]].text != "return" or value is None:
            return False
        return value[0] > keyword[0] or value[1] == keyword[1] + len("return (")

    def parentheses(self) -> list[Parenthesis]:
        """Return the author's parentheses, except around a token that nothing may precede."""
        return [
            Parenthesis(span, self.opened.get(span), self.closed.get(span))
            for span in {*self.opened, *self.closed}
            if not (self.tokens[span[0]].in_string and self.tokens[span[0]].is_glued)
        ]


def _is_plausible(extent: Extent, most: int) -> bool:
    """Whether real source could be there."""
    line, column, end_line, end_column = extent
    in_order = (line, column) < (end_line, end_column)
    return in_order and 0 < line and end_line <= most and 0 <= column and max(column, end_column) <= MOST_COLUMNS


def _of_return(span: Span, extents: dict[Extent, int], tokens: list[Token]) -> Extent | None:
    """Return that of the extents of a value which is the extent of the return statement around it."""
    if len(extents) != 2 or not span[0] or tokens[span[0] - 1].text != "return":
        return None
    outer, inner = sorted(extents)
    return outer if outer[:2] < inner[:2] and outer[2:] >= inner[2:] else None


def _with_operands(votes: dict[Span, Extent], tokens: list[Token]) -> dict[Span, Extent]:
    """Let the spans of attributes that are on one line, and of their calls, begin with their operands.

    The position of an attribute whose operand is over lines, as in our text, is that of its name (``compile.c``,
    update_start_location_to_match_attr). That of its call begins there.
    """
    spans = [one for one in votes if one[0] > 1 and tokens[one[0] - 1].text == "." and tokens[one[0]].kind == "name"]
    if not spans:
        return votes
    starts: dict[int, int] = {}
    places = {(start, extent[:2]) for (start, _), extent in votes.items()}
    for start, end in spans:
        line, column, end_line, end_column = votes[start, end]
        operand = _start_of_operand(tokens, start - 2)
        is_wide = start == end and line == end_line and end_column - column > width_of(tokens[start].text)
        if is_wide or (operand, (line, column)) in places:
            starts[start] = operand
    return {(starts.get(start, start), end): extent for (start, end), extent in votes.items()}


def _start_of_operand(tokens: list[Token], last: int) -> int:
    """Return the first token of the operand, without operators, that ends with token ``last``."""
    depth = 0
    for number in range(last, -1, -1):
        depth += (tokens[number].text in CLOSING) - (tokens[number].text in OPENING)
        before = tokens[number - 1] if number else None
        is_continued = tokens[number].text in (".", *OPENING) and before is not None and ends_operand(before)
        if not depth and not is_continued and (before is None or before.text != "."):
            return number
    return 0


def _without_our_parentheses(
    votes: dict[Span, Extent], tuples: set[Span], tokens: list[Token], dropped: set[int], squeezed: set[int]
) -> dict[Span, Extent]:
    """Drop our parentheses around tuples that fit their extent only without them; the inner span gets the vote."""
    found: dict[Span, Extent] = {}
    begins = {(span[0], extent[:2]) for span, extent in votes.items()}
    ends = {(span[1], extent[2:]) for span, extent in votes.items()}
    known = {span[0] for span in votes}
    for (start, end), extent in votes.items():
        if (start, end) in tuples and tokens[start].text == "(" and tokens[end].text == ")" and end - start > 2:
            line, column, end_line, end_column = extent
            inner = (start + 1, end - 1)
            missing = tokens[end].end_column - tokens[start].column - (end_column - column) if line == end_line else 0
            inside = range(start + 1, end)
            blanks = [number for number in inside if tokens[number - 1].text == "," and tokens[number].space]
            is_bare = (start + 1, extent[:2]) in begins or (end - 1, extent[2:]) in ends
            if missing and missing == len(blanks) + (2 if is_bare else 0) or missing == len(blanks) + 2:
                squeezed.update(blanks)
            fits = missing in (2, 2 + len(blanks)) and missing != len(blanks)
            is_bare = is_bare or fits and start + 1 not in known
            if is_bare and may_be_bare(tokens, start, end):
                dropped.update((start, end))
                tuples.add(inner)
                found[inner] = extent
                continue
        found.setdefault((start, end), extent)
    return found


def _around_strings(tokens: list[Token]) -> set[int]:
    """Return the parentheses around a single string, which the printer adds to a long one."""
    found: set[int] = set()
    for number in range(1, len(tokens) - 1):
        if tokens[number].kind == "string" and tokens[number - 1].text == "(" and tokens[number + 1].text == ")":
            before = tokens[number - 2] if number > 1 else None
            is_call = before is not None and (before.text in CLOSING or before.kind != "op" and not before.is_keyword)
            if not is_call:
                found.update((number - 1, number + 1))
    return found


def _inside(votes: dict[Span, Extent], around: set[int]) -> dict[Span, Extent]:
    """Return the extents of spans without the parentheses ``around`` strings, with which they begin or end."""
    if not around:
        return votes
    found: dict[Span, Extent] = {}
    for (start, end), extent in votes.items():
        found.setdefault((start + (start in around), end - (end in around)), extent)
    return found


def _statements(cut: Tokens) -> list[int]:
    found = [0] * len(cut.tokens)
    for number, statement in enumerate(cut.statements):
        for token in range(statement.start, statement.end):
            found[token] = number
    return found


def _keep_in_order(
    starts: list[Location | None], ends: list[Location | None], lines: list[int | None]
) -> None:
    """Drop locations out of token order: keep the longest increasing subsequence."""
    known = [n for n, at in enumerate(starts) if at is not None and at[0] > 0 and 0 <= at[1] <= MOST_COLUMNS]
    kept_tokens = {known[n] for n in _increasing([starts[n] for n in known])}  # type: ignore[misc]
    if len(kept_tokens) < len(starts):
        for n in range(len(starts)):
            if n not in kept_tokens:
                starts[n] = None
    before = 0
    after = _next_lines(starts)
    for n in range(len(starts)):
        start = starts[n]
        if start is not None:
            before = start[0]
            lines[n] = before
        elif lines[n] is not None and not before <= (lines[n] or 0) <= after[n]:
            lines[n] = None
    known = [n for n, line in enumerate(lines) if line is not None and line > 0]
    kept_tokens = {known[n] for n in _increasing([(lines[n] or 0, 0) for n in known], strictly=False)}
    for n in range(len(lines)):
        if n not in kept_tokens:
            lines[n] = None
            starts[n] = None
        if starts[n] is None:
            ends[n] = None


def _next_lines(starts: list[Location | None]) -> list[int]:
    found = [0] * len(starts)
    line = 1 << 30
    for n in range(len(starts) - 1, -1, -1):
        start = starts[n]
        line = start[0] if start is not None else line
        found[n] = line
    return found


def _increasing(locations: list[Location], *, strictly: bool = True) -> list[int]:
    """Return the indices of a longest increasing subsequence."""
    follows = operator.lt if strictly else operator.le
    if all(map(follows, locations, locations[1:])):
        return list(range(len(locations)))
    find = bisect.bisect_left if strictly else bisect.bisect_right
    tails: list[Location] = []
    last: list[int] = []
    before: list[int] = []
    for number, one in enumerate(locations):
        at = find(tails, one)
        before.append(last[at - 1] if at else -1)
        if at == len(tails):
            tails.append(one)
            last.append(number)
        else:
            tails[at] = one
            last[at] = number
    found = []
    number = last[-1] if last else -1
    while number >= 0:
        found.append(number)
        number = before[number]
    return found[::-1]
