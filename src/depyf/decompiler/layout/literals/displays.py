"""Spell the elements of displays of constants, which the compiler folds: only the width of the whole is known."""

from __future__ import annotations

import itertools
import math
import re
from typing import AbstractSet, Collection, Iterator, NamedTuple

from ..matching.anchors import Extent
from ..matching.folded import Folding
from ..matching.text import Span
from ..matching.tokens import CLOSING, OPENING, Token
from .expressions import expressions
from .strings import width_of
from .values import rare_spellings_of, spellings_of, value_of

_CONSTANTS = frozenset(("None", "True", "False"))
_MARKS = frozenset((*OPENING, *CLOSING, ","))
_MOST_TOKENS = 200
_MOST = 24
"""The elements that may be respelled one by one."""
_SPELLINGS = 60, 200
"""The spellings of one element that are looked at: at first, and if nothing fits."""
_SHORT = 6
_SMALLEST = 100
_FARTHEST = 2000
"""Columns that a display may be wider or narrower on the way."""
_QUOTED = re.compile(r"""'[^']*'|"[^"]*\"""")
_MARK = re.compile(r" ?(?:\*\*|<<|//|(?!^)[-+]|[*/|~%]) ?|0[xob]|_|\.(?!\d)")
"""What the spellings of one display have in common: operators with their blanks, how numbers begin, ..."""


class Element(NamedTuple):
    """A number or string: its tokens, of which there are several if it has a sign; its value, and our text."""

    tokens: range
    value: object
    text: str


class Choice(NamedTuple):
    """A spelling of an element: how much wider it is than ours, how unlikely, its text, and its marks."""

    more: int
    cost: float
    text: str
    marks: frozenset[str]


class Respelled(NamedTuple):
    """The texts of tokens, the tokens to omit, and those to write without a space before them."""

    texts: dict[int, str]
    omitted: set[int]
    squeezed: set[int] = set()


_NONE = Respelled({}, set())


def spell_display(
    tokens: list[Token],
    span: Span,
    extent: Extent,
    origin: Folding,
    squeezed: Collection[int] = (),
    located: AbstractSet[int] = frozenset(),
    quote: str = "'",
) -> Respelled:
    """Return other spellings of elements of a display with which it has the width of ``extent``; none if it is no
    display of constants, fits as it is, or nothing fits.

    ``origin``: what is known of how it was folded; its first literal is that of the first element. ``squeezed``: the
    tokens written without a space before them. ``located``: those that have a location of their own. ``quote``: of
    strings where either needs no escape.
    """
    start, end = span
    first = origin.first
    line, column, end_line, end_column = extent
    if end - start > _MOST_TOKENS or first is None and line != end_line:
        return _NONE
    if not located.isdisjoint(range(start + 1, end)):
        return _NONE  # it isn't folded
    elements = _elements(tokens, start, end)
    missing = end_column - column - _width(tokens, start, end)
    missing += sum(tokens[number].space for number in squeezed if start < number <= end)
    if len(elements) < 2:
        return _repeated(tokens, start, end, missing) if first is None and line == end_line and missing else _NONE
    if first is None and not missing:
        return _NONE
    if line != end_line:
        first_choices = _choices(elements[0], origin, quote, 1)
        return _respelled(elements, {0: first_choices[0].text}) if first_choices else _NONE
    wanted = {missing: _NONE}
    if tokens[start].text == "(" and may_be_bare(tokens, start, end):
        wanted[missing + len("()")] = Respelled({}, {start, end})
    origins = origin, *[origin._replace(first=None)] * (len(elements) - 1)
    choices: list[list[Choice]] = []
    for most in _SPELLINGS:
        choices = [_choices(one, each, quote, most) for one, each in zip(elements, origins)]
        found = _in_one_way(elements, choices, wanted, needs_first=first is not None)
        if found is not None:
            return found
    if first is not None:
        return _NONE
    repeated = _repeated(tokens, start, end, missing)
    return repeated if repeated.texts else _narrower(tokens, span, elements, choices, wanted)


def _narrower(
    tokens: list[Token], span: Span, elements: list[Element], choices: list[list[Choice]], wanted: dict[int, Respelled]
) -> Respelled:
    """Respell as few long elements as possible so that the display has the width without blanks after commas."""
    blanks = {one for one in range(span[0] + 1, span[1] + 1) if tokens[one].space and tokens[one - 1].text == ","}
    if min(wanted) + len(blanks) >= 0:
        return _NONE
    without = {more + len(blanks): Respelled({}, around.omitted, blanks) for more, around in wanted.items()}
    costly = [[one._replace(cost=1 + one.cost) for one in each] for each in choices]
    long = [each if width_of(one.text) >= _SHORT else [] for one, each in zip(elements, costly)]
    fitted = _fitted(elements, long, [0.0] * len(elements), {**without, **wanted})
    return fitted[1] if fitted is not None else _NONE


def _respelled(elements: list[Element], texts: dict[int, str], around: Respelled = _NONE) -> Respelled:
    """Return the new texts of the elements with these numbers; ``around``: what else is to change."""
    omitted = {number for one in texts for number in elements[one].tokens[1:]}
    return Respelled({elements[one].tokens[0]: text for one, text in texts.items()}, omitted | around.omitted,
                     around.squeezed)  # fmt: skip


def _choices(one: Element, origin: Folding, quote: str, most: int) -> list[Choice]:
    """Return the likeliest spellings of an element, one of each width and kind; without ours."""
    found: list[Choice] = []
    seen = {(_marks(one.text), width_of(one.text))}
    for rank, text in enumerate(itertools.islice(_spellings(one, origin, quote), most)):
        marks, width = _marks(text), width_of(text)
        if (marks, width) not in seen and "\n" not in text:
            seen.add((marks, width))
            found.append(Choice(width - width_of(one.text), rank / most / _MOST, text, marks))
    return found


def _spellings(one: Element, origin: Folding, quote: str) -> Iterator[str]:
    value = one.value
    folded = expressions(value, None, origin, quote)
    if origin.first is not None:
        yield from folded
    else:
        sign = "-" if one.text[0] == "-" else ""
        size = -value if sign else value  # type: ignore[operator]
        yield from (sign + text for text in spellings_of(size, one.text))
        yield from folded
        yield from (sign + text for text in rare_spellings_of(size, one.text))


def _marks(text: str) -> frozenset[str]:
    return frozenset(one.replace("-", "+") for one in _MARK.findall(_QUOTED.sub("", text)))


def _in_one_way(
    elements: list[Element], choices: list[list[Choice]], wanted: dict[int, Respelled], *, needs_first: bool
) -> Respelled | None:
    """Respell elements in one way so that they are wider by one of ``wanted``, as people do who write
    ``(2**31-1, 2**31)``: all that can be, or as few as possible are left out.
    """
    found: list[tuple[float, int, Respelled]] = []
    for number, marks in enumerate(dict.fromkeys(one.marks for each in choices for one in each)):
        alike = [[one for one in each if one.marks == marks or one.marks and one.marks < marks] for each in choices]
        if needs_first and not alike[0]:
            continue
        left_out = [2.0 if of_one and _size(one.value) >= _SMALLEST else 0.0 for one, of_one in zip(elements, alike)]
        if needs_first:
            left_out[0] = math.inf
        fitted = _fitted(elements, alike, left_out, wanted)
        if fitted is not None:
            found.append((fitted[0] // 1, number, fitted[1]))
    return min(found)[2] if found else None


def _size(value: object) -> int:
    return abs(value) if isinstance(value, int) else len(value) if isinstance(value, (str, bytes)) else 0


def _fitted(
    elements: list[Element], choices: list[list[Choice]], left_out: list[float], wanted: dict[int, Respelled]
) -> tuple[float, Respelled] | None:
    """Respell elements so that they are wider by one of ``wanted``, the likeliest way. ``left_out``: how unlikely each
    is to be left as it is. Return how unlikely it all is, and the spellings.
    """
    open_ones = [number for number, each in enumerate(choices) if each]
    if not 0 < len(open_ones) <= _MOST:
        return None
    best: dict[int, tuple[float, tuple[str | None, ...]]] = {0: (0.0, ())}
    for number in open_ones:
        after: dict[int, tuple[float, tuple[str | None, ...]]] = {}
        options: list[tuple[int, float, str | None]] = [(0, left_out[number], None)]
        options += [one[:3] for one in choices[number]]
        for width, (cost, texts) in best.items():
            for more, own, text in options:
                total = width + more
                if abs(total) <= _FARTHEST and (total not in after or cost + own < after[total][0]):
                    after[total] = cost + own, (*texts, text)
        best = after
    for more, around in wanted.items():
        if more in best and best[more][0] < math.inf:
            chosen = {number: text for number, text in zip(open_ones, best[more][1]) if text is not None}
            return best[more][0], _respelled(elements, chosen, around)
    return None


def _repeated(tokens: list[Token], start: int, end: int, missing: int) -> Respelled:
    """Write a tuple of equal parts as a product."""
    commas, depth = [], 0
    for number in range(start + 1, end):
        depth += (tokens[number].text in OPENING) - (tokens[number].text in CLOSING)
        if tokens[number].text == "," and not depth:
            commas.append(number)
    if tokens[start].text != "(" or not commas or commas[-1] == end - 1:
        return _NONE
    texts = [one.text for one in tokens[start : end + 1]]
    count = len(commas) + 1
    for size in (one for one in range(1, count) if count % one == 0):
        last = commas[size - 1]
        unit = texts[1 : last - start + 1]
        if [*texts[1:-1], ","] != unit * (count // size):
            continue
        for times in ("*", " * "):
            text = f"{',' if size == 1 else ''}){times}{count // size}"
            if len(text) - _width(tokens, last, end) == missing:
                return Respelled({end: text}, set(range(last, end)))
    return _NONE


def _width(tokens: list[Token], start: int, end: int) -> int:
    inside = tokens[start : end + 1]
    return sum(width_of(one.text) + one.space for one in inside) - inside[0].space


def _elements(tokens: list[Token], start: int, end: int) -> list[Element]:
    """Return the elements; nothing unless these tokens are brackets, literals, signs and commas."""
    found: list[Element] = []
    number = start
    while number <= end:
        token = tokens[number]
        if token.in_string or "\n" in token.text:
            return []
        last = number
        while last < end and tokens[last + 1].text not in _MARKS and token.text not in _MARKS:
            last += 1
        text = token.text + "".join(" " * one.space + one.text for one in tokens[number + 1 : last + 1])
        if text not in _MARKS and text not in _CONSTANTS:
            value = _value(text)
            if not isinstance(value, (int, float, complex, str, bytes)):
                return []
            found.append(Element(range(number, last + 1), value, text))
        number = last + 1
    return found


def _value(text: str) -> object:
    """Return the value of a literal, or of a power with a number added, as the printer writes large numbers."""
    if _POWER.fullmatch(text) is None:
        return value_of(text)
    constants = compile(text, "<constant>", "eval").co_consts
    return constants[0] if len(constants) == 1 else None


_POWER = re.compile(r"-?\d+ ?\*\* ?\d{1,4}( ?[-+] ?\d+)?")


def may_be_bare(tokens: list[Token], start: int, end: int) -> bool:
    """Whether the syntax allows the tuple in these parentheses without them."""
    after = tokens[end + 1] if end + 1 < len(tokens) and tokens[end + 1].line == tokens[end].line else None
    if not start or tokens[start].line != tokens[start - 1].line:
        return after is None or after.text == "="
    before = tokens[start - 1].text
    if before == "{" and tokens[start].in_string:
        return after is not None and (after.text == "}" or after.kind == "part")  # a field
    if before == "[":
        return after is not None and after.text == "]" and start > 1 and ends_operand(tokens[start - 2])
    return before in ("=", "return", "in", "for", "yield", "+=", "except") and (
        after is None or after.text in (":", "=", "in") and not tokens[start].in_string
    )


def ends_operand(token: Token) -> bool:
    """Whether an operand may end with the token."""
    return token.text in CLOSING or token.kind == "name" and not token.is_keyword
