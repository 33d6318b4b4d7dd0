"""Choose the spelling of a literal that fits its extent: its value and width leave few candidates.

All candidates have the value of the token. If several fit, the most common one is used.
"""

from __future__ import annotations

import itertools
import re
from typing import Collection, Iterable

from ..matching.anchors import Extent
from ..matching.folded import Folding
from ..matching.text import Span
from ..matching.tokens import CLOSING, OPENING, Token
from .displays import spell_display
from .expressions import any_expression, expressions, is_operation
from .idle import idle
from .numbers import rare_spellings, spellings_of_number, with_last_groups
from .over_lines import folded_over_lines, indented, text_over_lines
from .percent import left_of_percent
from .pieces import in_pieces, on_one_row
from .strings import OF_LITERAL, forget, in_quotes, plain, width_of
from .token_texts import TokenTexts
from .values import ARITHMETIC, BINDS_LESS, rare_spellings_of, spellings_of, value_of

_UNKNOWN = Folding(None)


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
        elif line == end_line and _is_number(tokens, start, end):
            _number(found, tokens, (start, end), end_column - column, origins.get((start, end), _UNKNOWN))
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
            _display(found, (start, end), extent, tokens, origins.get((start, end), _UNKNOWN), starts)
    _negate(found, votes, tokens)
    forget()
    return found


def _is_number(tokens: list[Token], start: int, end: int) -> bool:
    """Whether these tokens are a number with a sign, or a complex number."""
    kinds = [one.kind for one in tokens[start : end + 1]] if start < end <= start + 2 else []
    return kinds[-1:] == ["number"] and (tokens[start].text in ("-", "+") if len(kinds) == 2 else kinds[0] == "number")


def _number(found: TokenTexts, tokens: list[Token], span: Span, width: int, origin: Folding) -> None:
    """Respell a number of several tokens."""
    start, end = span
    ours = tokens[start].text + "".join(" " * one.space + one.text for one in tokens[start + 1 : end + 1])
    if tokens[start].text == "+":  # with which our text shows that it is folded
        origin = origin._replace(is_folded=True, operands=origin.order.numbers if origin.order is not None else ())
    elif width == width_of(ours) and not origin.is_folded and origin.first is None:
        return
    value = value_of(ours)
    text = _folded(value, ours, tokens, span, width, origin, found.quote)
    if text is None and isinstance(value, (int, float)) and origin.first is None:
        texts = [*spellings_of_number(abs(value)), *rare_spellings(abs(value))]
        fitting = [one for one in texts if len(one) == width - 1]
        fitting = [one for one in fitting if not _unusual(value).match(one)] or fitting
        text = tokens[start].text + fitting[0] if fitting else None
        text = text or _tight(expressions(value, width, origin, found.quote), tokens, span)
    elif text is None:
        text = next(expressions(value, width, origin, found.quote), None)
    if text is not None:
        found.texts[start] = text
        found.without.update(range(start + 1, end + 1))
        if is_operation(text[1:]):
            found.expressions[start] = ours


def _usual_quote(tokens: list[Token]) -> str:
    """Return the only kind of quotes in the first literal, or adjacent ones, that are on one line and have no other."""
    for one in tokens:
        if one.kind == "string" and not one.text.endswith(('"""', "'''")):
            quotes = {"'", '"'}.intersection(one.text)
            if len(quotes) == 1:
                return quotes.pop()
    return "'"


def _display(
    found: TokenTexts, span: Span, extent: Extent, tokens: list[Token], origin: Folding, located: set[int]
) -> None:
    start, end = span
    respelled = spell_display(tokens, span, extent, origin, found.squeezed, located, found.quote)
    if not respelled.texts and origin.first is not None and not found.squeezed.isdisjoint(range(start + 1, end)):
        respelled = spell_display(tokens, span, extent, origin, (), located, found.quote)
        found.squeezed.difference_update(range(start + 1, end if respelled.texts else start))
    found.texts.update(respelled.texts)
    found.without |= respelled.omitted
    found.squeezed |= respelled.squeezed | {end} & {*respelled.texts}


_BY_WIDTH = {("yield", 10): "yield None", ("True", 1): "1", (":", 2): "::"}
"""What a token is spelled as that has another width: ``1`` is the test of ``while 1``."""
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
    value = value_of(token.text)
    span = number, number
    is_whole = line == end_line and not is_alone
    folded = _folded(value, token.text, tokens, span, width, origin, found.quote) if is_whole else None
    if folded is not None:
        found.texts[number] = folded
        found.expressions[number] = token.text
    if is_plain or folded is not None:
        return
    if token.kind == "number" and line != end_line or _without_fields(found, votes, number, token.text):
        return
    if token.text == "1" and width == len("True") and number and tokens[number - 1].text == "while":
        found.texts[number] = "True"
    elif line == end_line:
        text = _of_width(tokens, number, width, origin, found.quote, is_alone=is_alone)
        if text is None and "\n" in token.text:
            text = next(spellings_of(value, token.text), None)
        if text is not None:
            found.texts[number] = text
            if is_operation(text):
                found.expressions[number] = token.text
        return
    _over_lines(found, number, token.text, extent, origin, is_alone=is_alone)
    if number not in found.texts and is_alone:
        found.texts[number] = indented(token.text, extent)


def _folded(
    value: object, ours: str, tokens: list[Token], span: Span, width: int, origin: Folding, quote: str
) -> str | None:
    """Return an expression of this width for a constant that is known to be folded."""
    if origin.first is None and not origin.is_folded:
        return None
    text = _tight(expressions(value, width, origin, quote), tokens, span)
    if text is None and origin.is_folded and width != width_of(ours):
        return any_expression(value, quote, width, origin)
    return text


def _of_width(
    tokens: list[Token], number: int, width: int, origin: Folding, quote: str, *, is_alone: bool
) -> str | None:
    """Return a spelling of this width; None if none is known."""
    token = tokens[number]
    value = value_of(token.text)
    unusual = _unusual(value)
    may_be_unusual = is_alone or origin.is_folded is False
    fitting: list[str] = []
    for one in spellings_of(value, token.text):
        if width_of(one) == width and "\n" not in one:
            if may_be_unusual or not unusual.match(one):
                return one  # without looking at the rest
            fitting.append(one)
    rare = (one for one in rare_spellings_of(value, token.text, width) if width_of(one) == width and "\n" not in one)
    likely, others = (
        expressions(value, width, origin, quote, one) if not is_alone and origin.is_folded is not False else iter(())
        for one in (True, False)
    )
    if isinstance(value, (str, bytes)):
        adjacent = on_one_row(value, width, quote) if not is_alone else None
        texts = itertools.chain(likely, [adjacent] if adjacent is not None else [], rare, fitting, others)
        return _tight(texts, tokens, (number, number))
    few, rare_ones = [*itertools.islice(likely, _FEW)], [*rare]
    powers = [one for one in few if _POWER.fullmatch(one)]
    grouped = [*with_last_groups(value, width)] if origin.is_folded is False else []
    usual = [one for one in rare_ones if may_be_unusual or not unusual.match(one)]
    texts = itertools.chain(powers or grouped or usual or few, others, fitting, rare_ones)
    return _tight(texts, tokens, (number, number))


_POWER = re.compile(r"(?:1|2|10) ?(\*\*|<<) ?\w+")


def _unusual(value: object) -> re.Pattern[str]:
    """Return what few write for this value."""
    is_round = isinstance(value, int) and value >= _ROUND and value % 1000 == 0
    return _UNUSUAL_OF_ROUND if is_round else _UNUSUAL


def _tight(texts: Iterable[str], tokens: list[Token], span: Span) -> str | None:
    """Return the first of the texts that needs no parentheses there, if it is one of a few; or else the first one."""
    beside = {one.text for one in (*tokens[max(0, span[0] - 1) : span[0]], *tokens[span[1] + 1 : span[1] + 2])}
    if ARITHMETIC.isdisjoint(beside):
        return next(iter(texts), None)
    few = [*itertools.islice(texts, _FEW)]
    return next((one for one in few if not (BINDS_LESS.search(one) and is_operation(one))), few[0] if few else None)


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
        value = value_of(text)
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
        if is_inside and column >= first and one.count(quote) == len("''") and value_of(text) is not None:
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


def _asserted(found: TokenTexts, votes: dict[Span, Extent], start: int, extent: Extent, tokens: list[Token]) -> None:
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
        value = value_of(item)
        texts = itertools.chain(spellings_of(value, item), rare_spellings_of(value, item))
        fitting = (one for one in texts if width_of(one) == width - len("(,)"))
        text = next((one for one in fitting if not _UNUSUAL.match(one)), None)
        found.texts.update({start + 1: text} if text is not None else {})


# Strings over several lines


def _over_lines(found: TokenTexts, number: int, text: str, extent: Extent, origin: Folding, *, is_alone: bool) -> None:
    """Write a string in triple quotes if its newlines match the lines, otherwise as literals, one per line: adjacent,
    or with a plus between them if that was folded.
    """
    line, column, end_line, end_column = extent
    value = value_of(text)
    if not isinstance(value, (str, bytes)) or not value:
        return
    rows = end_line - line
    if is_alone and "\\" not in text and text.count("\n") == rows and width_of(text.rpartition("\n")[2]) == end_column:
        return
    if origin.is_folded:
        whole = folded_over_lines(value, rows, column, end_column, found.quote, origin.first)
        if whole is not None:
            found.texts[number] = whole
            found.expressions[number] = text
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
