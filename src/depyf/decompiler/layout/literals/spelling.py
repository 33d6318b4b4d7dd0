"""Choose the spelling of a literal that fits its extent: its value and width leave few candidates.

All candidates have the value of the token. If several fit, the most common one is used.
"""

from __future__ import annotations

import ast
import itertools
import re
from typing import Collection, Iterator

from ..matching.anchors import Extent
from ..matching.folded import Folding, Scalar
from ..matching.text import Span
from ..matching.tokens import CLOSING, OPENING, Token
from .displays import spell_display
from .expressions import begins_with, expressions, has_operand, is_operation, operators_of, sums
from .fallbacks import foldable, folded_somehow
from .idle import idle
from .numbers import after_minus, spellings_of_number, with_last_groups
from .over_lines import folded_over_lines, indented, text_over_lines
from .percent import left_of_percent
from .pieces import in_pieces, on_one_row
from .strings import OF_LITERAL, compositions, forget, in_quotes, plain, spellings_of_string, width_of

_UNKNOWN = Folding(None)


class TokenTexts:
    """Other spellings of tokens; ``joined``: their lines are adjacent literals; ``expressions``: they are expressions.

    ``quote``: of literals that could as well have the other; ``without``: omitted tokens; ``negated``: tokens to write
    after ``not``; ``squeezed``: tokens to write without a space before them.
    """

    def __init__(self, quote: str = "'") -> None:
        self.quote = quote
        self.texts: dict[int, str] = {}
        self.joined: set[int] = set()
        self.expressions: set[int] = set()
        self.without: set[int] = set()
        self.negated: set[int] = set()
        self.squeezed: set[int] = set()

    def tokens(self) -> set[int]:
        """Return the tokens of which anything is known."""
        return self.joined.union(self.texts, self.expressions, self.without, self.negated, self.squeezed)


def spell(
    votes: dict[Span, Extent],
    tokens: list[Token],
    origins: dict[Span, Folding],
    tuples: Collection[Span] = (),
    squeezed: Collection[int] = (),
) -> TokenTexts:
    """Find the spellings that fit the extents in the original; ``origins``: which constants are folded; ``tuples``: the
    spans of tuples; ``squeezed``: the tokens to write without a space before them.
    """
    found = TokenTexts(_usual_quote(tokens))
    found.squeezed.update(squeezed)
    starts = {span[0] for span in votes}
    for (start, end), extent in [*votes.items(), *left_of_percent(found, votes, tokens)]:
        token = tokens[start]
        if token.kind == "statement":
            continue
        line, column, end_line, end_column = extent
        if start == end and token.kind in ("string", "number"):
            _literal(found, votes, tokens, start, extent, origins.get((start, end), _UNKNOWN))
        elif end == start + 1 and token.text == "-" and tokens[end].kind == "number" and line == end_line:
            _signed(found, end, end_column - column, tokens, origins.get((start, end), _UNKNOWN).first)
        elif end == start + 2 and token.kind == tokens[end].kind == "number" and line == end_line:
            _complex(found, start, end_column - column, tokens, origins.get((start, end), _UNKNOWN).first)
        elif token.text == "assert":
            _asserted(found, votes, start, extent, tokens)
        elif token.text == "return":
            _returned(found, start, end, extent, tokens)
        elif token.text == "pass" and not _is_first(tokens, start):
            found.texts[start] = idle(extent) or token.text
        elif start == end and line == end_line and (token.text, end_column - column) in _BY_WIDTH:
            found.texts[start] = _BY_WIDTH[token.text, end_column - column]
        elif end == start + 3 and line == end_line:
            _only_item(found, start, end_column - column, tokens)
        elif (start, end) in tuples:
            _display(found, (start, end), extent, tokens, origins.get((start, end), _UNKNOWN).first, starts)
    _negate(found, votes, tokens)
    forget()
    return found


def _usual_quote(tokens: list[Token]) -> str:
    """Return the only kind of quotes in the first literal, or adjacent ones, that are on one line and have no other."""
    for one in tokens:
        if one.kind == "string" and not one.text.endswith(('"""', "'''")):
            quotes = {"'", '"'}.intersection(one.text)
            if len(quotes) == 1:
                return quotes.pop()
    return "'"


def _display(
    found: TokenTexts, span: Span, extent: Extent, tokens: list[Token], first: Scalar | None, located: set[int]
) -> None:
    start, end = span
    respelled = spell_display(tokens, span, extent, first, found.squeezed, located)
    if not respelled.texts and first is not None and not found.squeezed.isdisjoint(range(start + 1, end)):
        respelled = spell_display(tokens, span, extent, first, (), located)
        found.squeezed.difference_update(range(start + 1, end if respelled.texts else start))
    found.texts.update(respelled.texts)
    found.without |= respelled.omitted
    found.squeezed |= respelled.squeezed | {end} & {*respelled.texts}


_BY_WIDTH = {("yield", 10): "yield None", ("True", 1): "1", (":", 2): "::"}
"""What a token is spelled as that has another width: ``1`` is the test of ``while 1``."""
_ARITHMETIC = frozenset("+ - * / // % @ ** << >> & | ^ ~ .".split())
_UNUSUAL = re.compile(
    r"""[rR][bB]?("\""|''')[^\\]*$|\d\.\d+e(?:[-+]?0|[12]$)|\d*\.\d*[1-9]00"""
    r"""|0[xb]0(?=\w)(?!\w$|\w{3}$|\w{7}$|\w{15}$)|0o0(?!\w{2}$)"""
)
"""What few write: raw strings without a backslash, in triple quotes; small floats with an exponent or with zeros at the
end; leading zeros, but to a usual width."""
_UNUSUAL_OF_ROUND = re.compile(r"0[xob]")
"""What few write for a large number that is round as a decimal one."""
_ROUND = 10**6
_FEW = 10
_PLAIN = re.compile(r"""'[^'\\\n]*'|"[^"\\\n]*\"""")
"""A literal that is what it reads, which needs no parser."""
_BINDS_LESS = re.compile(r"<<|[-+/]|(?<!\*)\*(?!\*)")
"""Operators in a spelling of a number that an adjacent operator may bind tighter than."""


def _literal(
    found: TokenTexts, votes: dict[Span, Extent], tokens: list[Token], number: int, extent: Extent, origin: Folding
) -> None:
    """Respell a string or number whose width or number of lines differs from its extent."""
    token = tokens[number]
    line, column, end_line, end_column = extent
    width = end_column - column
    is_plain = line == end_line and width == width_of(token.text) and "\n" not in token.text
    if is_plain and not origin.is_folded and origin.first is None:
        return
    is_alone = _is_alone(tokens, number)
    folded = _folded(tokens, number, width, origin, found.quote) if line == end_line and not is_alone else None
    if folded is not None:
        found.texts[number] = folded
        found.expressions.add(number)
    if is_plain or folded is not None:
        return
    if token.kind == "number" and line != end_line or _without_fields(found, votes, number, token.text):
        return
    if token.text == "1" and width == len("True") and number and tokens[number - 1].text == "while":
        found.texts[number] = "True"
    elif line == end_line:
        text = _of_width(tokens, number, width, origin, found.quote, is_alone=is_alone)
        if text is None and "\n" in token.text:
            text = next(_spellings(token), None)
        if text is not None:
            found.texts[number] = text
            if is_operation(text):
                found.expressions.add(number)
        return
    _over_lines(found, number, token.text, extent, origin, is_alone=is_alone)
    if number not in found.texts and is_alone:
        found.texts[number] = indented(token.text, extent)


def _folded(tokens: list[Token], number: int, width: int, origin: Folding, quote: str) -> str | None:
    """Return an expression of this width for a constant that is known to be folded."""
    if origin.first is None and not origin.is_folded:
        return None
    value = _value(tokens[number].text)
    texts = [*expressions(value, width, origin.first, quote)] if origin.first is not None else []
    if not texts and origin.is_folded:
        if isinstance(value, (str, bytes)):
            spellings = compositions(value, tokens[number].text, width)
        else:
            spellings = _spellings(tokens[number])
        fitting = (one for one in spellings if width_of(one) == width and is_operation(one))
        first = origin.first
        texts = [one for one in fitting if first is None or begins_with(one, first)][:_FEW]
        texts += [*(expressions(value, width, quote=quote) if first is None else ()), *sums(value, width, first)]
    if origin.is_folded and (origin.operands or not texts):
        more = foldable(value, quote, origin.first, origin.operands)
        texts += [one for one in more if width_of(one) == width]
        texts.sort(key=lambda one: not has_operand(one, origin.operands))
    text = _tight(texts, tokens, number)
    if text is None and origin.is_folded and width != width_of(tokens[number].text):
        return folded_somehow(value, quote, width, origin.first)
    return text


def _of_width(
    tokens: list[Token], number: int, width: int, origin: Folding, quote: str, *, is_alone: bool
) -> str | None:
    """Return a spelling of this width; None if none is known."""
    token = tokens[number]
    value = _value(token.text)
    unusual = _unusual(value)
    may_be_unusual = is_alone or origin.is_folded is False
    is_first = True
    fitting: list[str] = []
    for one in _spellings_of(value, token.text, width):
        if width_of(one) != width or "\n" in one:
            continue
        fitting.append(one)
        if is_first and (may_be_unusual or not unusual.match(one)):
            if not is_operation(one):
                return one  # without looking at the rest
            is_first = origin.is_folded is False
    if origin.is_folded is False:
        fitting = [*with_last_groups(value, width), *fitting]
    adjacent = None
    if not is_alone and isinstance(value, (str, bytes)) and all({*operators_of(one)} == {"+"} for one in fitting):
        adjacent = on_one_row(value, width, quote)
    fitting = [adjacent] if adjacent is not None else fitting
    if not fitting and isinstance(value, (int, float)) and width == width_of(token.text) + len("+"):
        return "+" + token.text
    if not is_alone:
        usual = [one for one in fitting if not unusual.match(one)]
        folded = expressions(value, width, quote=quote)
        fitting = usual or [*itertools.islice(folded, _FEW)] or fitting
    return _tight(fitting, tokens, number)


def _unusual(value: object) -> re.Pattern[str]:
    """Return what few write for this value."""
    is_round = isinstance(value, int) and value >= _ROUND and value % 1000 == 0
    return _UNUSUAL_OF_ROUND if is_round else _UNUSUAL


def _tight(texts: list[str], tokens: list[Token], number: int) -> str | None:
    """Return the first text that needs no parentheses there, or else the first one."""
    beside = {one.text for one in tokens[max(0, number - 1) : number + 2]}
    if not _ARITHMETIC.isdisjoint(beside):
        tight = (one for one in texts if not (_BINDS_LESS.search(one) and is_operation(one)))
        texts = [*itertools.islice(tight, 1), *texts]
    return texts[0] if texts else None


def _negate(found: TokenTexts, votes: dict[Span, Extent], tokens: list[Token]) -> None:
    """Tell ``not a in b`` from ``a not in b``, and ``not a is b`` from ``a is not b``, by the gap between operands."""
    operators = [
        number
        for number in range(1, len(tokens) - 2)
        if tokens[number].text in _SECOND_WORDS and tokens[number + 1].text == _SECOND_WORDS[tokens[number].text]
    ]
    if not operators:
        return
    starts: dict[int, Span] = {}
    ends: dict[int, Span] = {}
    for span in votes:
        if span[0] not in starts or span[1] < starts[span[0]][1]:
            starts[span[0]] = span
        if span[1] not in ends or span[0] > ends[span[1]][0]:
            ends[span[1]] = span
    for number in operators:
        left, right = ends.get(number - 1), starts.get(number + 2)
        if left is None or right is None or votes[left][2] != votes[right][0]:
            continue
        if votes[right][1] - votes[left][3] == len(" in "):
            first = _left_operand(tokens, number)
            if first is not None:
                found.negated.add(first)
                found.without.add(number + (tokens[number].text == "is"))


def _without_fields(found: TokenTexts, votes: dict[Span, Extent], number: int, text: str) -> bool:
    """Detect a formatted string without fields: from 3.12 on, its text has a position, without prefix and quotes."""
    line, column, end_line, end_column = votes.get((number, number), (0, 0, 0, 0))
    texts = [text]
    if line != end_line and "\\n" in text:
        value = _value(text)
        if not isinstance(value, (str, bytes)):
            return False
        texts = [next(in_quotes(value, quote, (plain,), raw=False)) for quote in ('"""', "'''")]
    for one in texts:
        match = OF_LITERAL.match(one)
        if match is None or match["prefix"] or set(one) & set("{}\\") or one.count("\n") != end_line - line:
            continue
        quote = match["quote"]
        last = width_of(one[one.rfind("\n") + 1 :]) - len(quote)
        first = len("f") + len(quote)
        is_inside = end_column == last if line != end_line else end_column - column == last - len(quote)
        if is_inside and column >= first and one.count(quote) == len("''") and _value(text) is not None:
            found.texts[number] = "f" + one
            votes[number, number] = (line, column - first, end_line, end_column + len(quote))
            return True
    return False


_SECOND_WORDS = {"not": "in", "is": "not"}
_BEFORE_COMPARISON = frozenset("and or not if elif while = return ( [ { , : else assert lambda := yield".split())


def _left_operand(tokens: list[Token], number: int) -> int | None:
    """Return where the left operand of the comparison begins; None if that can't hold a ``not``."""
    depth = 0
    for index in range(number - 1, -1, -1):
        text = tokens[index].text
        if depth == 0 and text in _BEFORE_COMPARISON:
            return index + 1 if index + 1 < number else None
        depth += (text in CLOSING) - (text in OPENING)
        if depth == 0 and text in ("in", "is", "<", ">", "==", "!=", "<=", ">="):
            return None
    return None


def _signed(found: TokenTexts, number: int, width: int, tokens: list[Token], first: object) -> None:
    """Respell a number after a minus: both are one constant. ``first``: the literal after the minus, if known."""
    room = width - len("-")
    value = _value(tokens[number].text)
    text: str | None = None
    if type(first) is int and value == first + 1 and room == len(str(first)):
        found.texts[number - 1], text = "~", str(first)
    elif first is not None:
        text = _after_minus_with(value, room, first)
    elif width_of(tokens[number].text) != room:
        text = _after_minus(value, number, room, tokens) or _instead_of_minus(found, value, number, width, tokens)
    if text is not None:
        found.texts[number] = text


def _after_minus(value: object, number: int, room: int, tokens: list[Token]) -> str | None:
    """Return what is ``value`` after a minus, of this width."""
    fitting = (one for one in _spellings(tokens[number]) if width_of(one) == room)
    text = next((one for one in fitting if not _BINDS_LESS.search(one)), None)
    if text is None:  # the sign of a quotient is that of its dividend
        text = next((one for one in expressions(value, room) if [*operators_of(one)] == ["/"]), None)
    if text is None and isinstance(value, int):
        is_apart = _is_apart(tokens, number)
        fitting = (one for one in after_minus(value) if len(one) == room)
        text = next((one for one in fitting if one[0] == "(" or is_apart), None)
    return text


def _is_apart(tokens: list[Token], number: int) -> bool:
    """Whether no operator is beside the number and the minus before it."""
    beside = {one.text for one in (*tokens[max(0, number - 2) : number - 1], *tokens[number + 1 : number + 2])}
    return _ARITHMETIC.isdisjoint(beside)


def _instead_of_minus(
    found: TokenTexts, value: object, number: int, width: int, tokens: list[Token]
) -> str | None:
    """Return the rest of an expression that begins with the minus, or one without it, of this width."""
    if not isinstance(value, (int, float)) or not _is_apart(tokens, number):
        return None
    text = next(expressions(-value, width), None)
    if text is not None and text[0] != "-":
        found.without.add(number - 1)
        return text
    return text[1:] if text is not None else None


def _after_minus_with(value: object, room: int, first: object) -> str | None:
    """Return an expression that begins with ``first`` and is ``value``, with the sign of its first operand changed if
    that changes the sign of the whole, or else in parentheses.
    """
    keeps_sign = (one for one in expressions(value, room, first) if {*operators_of(one)} in ({"*"}, {"/"}, {"<<"}))
    found = next(keeps_sign, None) or next((f"({one})" for one in expressions(value, room - 2, first)), None)
    if found is None and isinstance(value, int):
        found = next((one for one in after_minus(value) if len(one) == room and begins_with(one, first)), None)
    inner = folded_somehow(value, "'", room - 2, first) if found is None else None
    return f"({inner})" if inner is not None else found


def _complex(found: TokenTexts, start: int, width: int, tokens: list[Token], first: object) -> None:
    """Respell a complex constant, which is written as a sum or a difference. ``first``: the first literal, if known."""
    inside = tokens[start : start + 3]
    if sum(width_of(one.text) + one.space for one in inside) - inside[0].space != width:
        value = _value("".join(one.text for one in inside))
        if isinstance(value, complex):
            texts = [*expressions(value, width, first)]
            texts += (f"+({one})" for one in expressions(value, width - len("+()"), first))
            text = texts[0] if texts else None
            if text is not None:
                found.texts[start] = text
                found.expressions.add(start)
                found.without.update((start + 1, start + 2))


def _asserted(
    found: TokenTexts, votes: dict[Span, Extent], start: int, extent: Extent, tokens: list[Token]
) -> None:
    """Tell ``assert 0`` from ``assert False`` by the width, or by the column of the message."""
    test, after = tokens[start + 1], tokens[start + 2] if start + 2 < len(tokens) else None
    if test.text != "False":
        return
    end = extent[2:]
    if after is not None and after.text == ",":
        messages = [(-span[1], votes[span]) for span in votes if span[0] == start + 3]
        end = min(messages)[1][:2] if messages else end
        end = end[0], end[1] - len(", ")
    if end == (extent[0], extent[1] + len("assert 0")):
        found.texts[start + 1] = "0"


def _returned(found: TokenTexts, start: int, end: int, extent: Extent, tokens: list[Token]) -> None:
    """Tell ``return`` from ``return None`` and statements without instructions: the instructions are the same."""
    width = extent[3] - extent[1] if extent[0] == extent[2] else None
    if end == start + 1 and tokens[end].text == "None" and width == len("return"):
        found.without.add(end)
    elif end == start and width == len("return None"):
        found.texts[start] = "return None"
    elif end == start and width != len("return"):
        found.texts[start] = idle(extent) or "return"


def _is_first(tokens: list[Token], number: int) -> bool:
    """Whether a string there would be a docstring."""
    if not number:
        return True
    line = tokens[number - 1].line
    header = next(one for one in reversed(range(number)) if not one or tokens[one - 1].end_line != line)
    return tokens[header].text in ("def", "async", "class")


def _only_item(found: TokenTexts, start: int, width: int, tokens: list[Token]) -> None:
    """Write a tuple of one token as a list: after ``in``, and as a target, the instructions are the same. Or respell
    the token.
    """
    opening, item, comma, closing = (token.text for token in tokens[start : start + 4])
    if (opening, comma, closing) != ("(", ",", ")"):
        return
    is_plain = tokens[start + 1].kind == "string" and "\\" not in item and "\n" not in item
    if width == width_of(item) + len("[]"):
        found.texts[start], found.texts[start + 3] = "[", "]"
        found.without.add(start + 2)
    elif width != width_of(item) + len("(,)") and not is_plain:
        fitting = (one for one in _spellings(tokens[start + 1]) if width_of(one) == width - len("(,)"))
        text = next((one for one in fitting if not _UNUSUAL.match(one)), None)
        found.texts.update({start + 1: text} if text is not None else {})


def _value(text: str) -> object:
    """Return the value of a literal; None for a formatted string."""
    if _PLAIN.fullmatch(text) is not None:
        return text[1:-1]
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return None


def _spellings(token: Token) -> Iterator[str]:
    return _spellings_of(_value(token.text), token.text)


def _spellings_of(value: object, text: str, width: int | None = None) -> Iterator[str]:
    """Yield other texts of the literal ``text``; ``width``: those of another one are of no use."""
    if isinstance(value, (str, bytes)):
        yield from spellings_of_string(value, text, width)
    elif isinstance(value, (int, float)):
        yield from spellings_of_number(value)


# Strings over several lines


def _over_lines(
    found: TokenTexts, number: int, text: str, extent: Extent, origin: Folding, *, is_alone: bool
) -> None:
    """Write a string in triple quotes if its newlines match the lines, otherwise as literals, one per line: adjacent,
    or with a plus between them if that was folded.
    """
    line, column, end_line, end_column = extent
    value = _value(text)
    if not isinstance(value, (str, bytes)) or not value:
        return
    rows = end_line - line
    if is_alone and "\\" not in text and text.count("\n") == rows and width_of(text.rpartition("\n")[2]) == end_column:
        return
    if origin.is_folded:
        whole = folded_over_lines(value, rows, column, end_column, found.quote, origin.first)
        if whole is not None:
            found.texts[number] = whole
            found.expressions.add(number)
            found.joined.update({number} if whole.count("+\n") else ())
            return
    whole = text_over_lines(value, rows, end_column)
    if whole is not None:
        found.texts[number] = whole
        return
    marks = value.count(b"\n") if isinstance(value, bytes) else value.count("\n")
    if is_alone and marks == rows and text.count("\n") == rows:
        return
    pieces = in_pieces(value, rows, column, end_column, found.quote, origin.first)
    if pieces is not None:
        found.texts[number] = pieces
        found.joined.add(number)


def _is_alone(tokens: list[Token], number: int) -> bool:
    """Whether the token is a whole statement, a docstring."""
    before = tokens[number - 1] if number else None
    after = tokens[number + 1] if number + 1 < len(tokens) else None
    line, end = tokens[number].line, tokens[number].end_line
    return (before is None or before.end_line != line) and (after is None or after.line != end)
