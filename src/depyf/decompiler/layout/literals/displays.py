"""Spell the elements of displays of constants, which the compiler folds: only the width of the whole is known.

All elements are spelled in one style, as people do who write ``(2**31-1, 2**31)``.
"""

from __future__ import annotations

import ast
import re
from typing import AbstractSet, Callable, Collection, Iterator, NamedTuple, Optional, Union

from ..matching.anchors import Extent
from ..matching.folded import Folding, Scalar
from ..matching.text import Span
from ..matching.tokens import CLOSING, OPENING, Token
from .expressions import begins_with
from .fitting import fitted
from .order import fits_order
from .strings import width_of, with_short_escapes

_CONSTANTS = frozenset(("None", "True", "False"))
_MARKS = frozenset((*OPENING, *CLOSING, ",", "-"))
_POWER = re.compile(r"2\*\*(?P<exponent>\d{1,4})(?P<more>[-+]\d{1,4})?")
_MOST_TOKENS = 200
_FARTHEST = 64
"""The most that is added to or subtracted from a power."""
_SMALLEST = 100
_SMALLEST_HEXADECIMAL = 1000
_LONGEST = 1 << 12
"""Bits of a number, and characters of a string, beyond which nothing is tried."""

Constant = Union[int, float, complex, str, bytes]


class Element(NamedTuple):
    """A number or string: its tokens, of which there are several if the printer writes an expression; the value, and
    whether a minus sign precedes it.
    """

    tokens: range
    value: Constant
    is_negative: bool
    text: str


class Respelled(NamedTuple):
    """The texts of tokens, the tokens to omit, and those to write without a space before them."""

    texts: dict[int, str]
    omitted: set[int]
    squeezed: set[int] = set()


_NONE = Respelled({}, set())
Style = Callable[[Element], Optional[str]]
"""How an element is spelled, None if not in this style."""


def spell_display(
    tokens: list[Token],
    span: Span,
    extent: Extent,
    origin: Folding,
    squeezed: Collection[int] = (),
    located: AbstractSet[int] = frozenset(),
) -> Respelled:
    """Return other spellings of elements of a display with which it has the width of ``extent``; none if it is no
    display of constants, fits as it is, or nothing fits.

    ``origin``: what is known of how it was folded; its first literal is that of the first element. ``squeezed``: the
    tokens written without a space before them. ``located``: those that have a location of their own.
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
    if first is None and not missing and all(fits_order(_signed(tokens, one)[1], origin) for one in elements):
        return _NONE
    is_bare = tokens[start].text == "(" and may_be_bare(tokens, start, end)
    around = {start, end} if is_bare else set()
    wanted = missing if line == end_line else None
    found = _in_one_style(tokens, elements, wanted, origin, around)
    if found.texts or line != end_line or first is not None:
        return found
    repeated = _repeated(tokens, start, end, missing)
    return repeated if repeated.texts else _fitted(tokens, span, elements, missing, around)


def _in_one_style(
    tokens: list[Token], elements: list[Element], missing: int | None, origin: Folding, around: set[int]
) -> Respelled:
    """Respell elements in one style so that they are wider by ``missing``, None if that is unknown."""
    first = origin.first
    for texts in _candidates(elements, first):
        if first is not None and not begins_with(texts.get(elements[0].tokens[0], ""), first):
            continue
        changed = [one for one in elements if one.tokens[0] in texts]
        old = sum(_width(tokens, one.tokens[0], one.tokens[-1]) for one in changed)
        more = sum(map(width_of, texts.values())) - old
        omitted = {number for one in changed for number in one.tokens[1:]}
        is_bare = missing is not None and bool(around) and more == missing + len("()")
        if missing is None or more == missing or is_bare:
            signed = ("-" * one.is_negative + texts[one.tokens[0]] for one in changed)
            if all(fits_order(text, origin) for text in signed):
                return Respelled(texts, omitted | around if is_bare else omitted)
    return _NONE


def _fitted(
    tokens: list[Token], span: Span, elements: list[Element], missing: int, around: set[int]
) -> Respelled:
    """Respell elements one by one if the display is too wide even without blanks."""
    inside = range(span[0] + 1, span[1] + 1)
    blanks = [number for number in inside if tokens[number].space and tokens[number - 1].text == ","]
    least = missing + len(blanks)
    if least >= 0:
        return _NONE
    wanted = [(missing, False, False), (least, True, False)]
    if around:
        wanted[1:1] = [(missing + len("()"), False, True)]
        wanted.append((least + len("()"), True, True))
    found = fitted([_signed(tokens, one) for one in elements], [one[0] for one in wanted])
    if found is None:
        return _NONE
    _, is_tight, is_bare = wanted[found[0]]
    texts, omitted = {}, set(around) if is_bare else set()
    for number, text in found[1].items():
        one = elements[number]
        omitted.update(one.tokens[1:])
        if one.is_negative and text[0] != "-":
            omitted.add(one.tokens[0] - 1)
        texts[one.tokens[0]] = text[1:] if one.is_negative and text[0] == "-" else text
    return Respelled(texts, omitted, set(blanks) if is_tight else set())


def _signed(tokens: list[Token], one: Element) -> tuple[Constant, str]:
    """Return the value of the element and its text, both with the sign."""
    first, *rest = (tokens[number] for number in one.tokens)
    text = first.text + "".join(" " * token.space + token.text for token in rest)
    if one.is_negative and not isinstance(one.value, (str, bytes)):
        return -one.value, f"-{text}"
    return one.value, text


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
        if token.kind in ("number", "string"):
            last = number
            while last < end and tokens[last + 1].text in ("**", "+", "-") and tokens[last + 2].kind == "number":
                last += 2
            text = "".join(one.text for one in tokens[number : last + 1])
            is_negative = number > start and tokens[number - 1].text == "-"
            value = _value(text, is_negative=is_negative)
            if value is None:
                return []
            found.append(Element(range(number, last + 1), value, is_negative, text))
            number = last
        elif token.text not in _MARKS and token.text not in _CONSTANTS:
            return []
        number += 1
    return found


def _value(text: str, *, is_negative: bool) -> Constant | None:
    """Return the value of a literal, or of a power of two with a number added; without the minus sign before the
    power, which does not apply to that number.
    """
    match = _POWER.fullmatch(text)
    if match is not None:
        more = int(match["more"] or 0)
        return (1 << int(match["exponent"])) + (-more if is_negative else more)
    try:
        value: Constant = ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return None
    return value


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


def _candidates(elements: list[Element], first: Scalar | None) -> Iterator[dict[int, str]]:
    """Yield spellings by the elements' first tokens: in each style, of all that may be written otherwise, then of fewer
    in each, the largest first.
    """
    found = []
    for style in _STYLES_OF_FLOATS if type(first) is int and type(elements[0].value) is float else _STYLES:
        texts = {one: style(one) for one in elements}
        texts = {one: text for one, text in texts.items() if text not in (None, one.text)}
        sizes = sorted({_size(one.value) for one in texts})
        for least in sizes:
            some = {one: text for one, text in texts.items() if text is not None and _size(one.value) >= least}
            is_all = all(one in some for one in elements if _size(one.value) >= _SMALLEST)
            found.append((not is_all, {one.tokens[0]: text for one, text in some.items()}))
    for _, texts_of in sorted(found, key=lambda one: one[0]):
        yield texts_of


def _size(value: Constant) -> int:
    return value if isinstance(value, int) else len(value) if isinstance(value, (str, bytes)) else 0


def _near_power(base: int, form: str) -> Style:
    """Return the style that writes integers near a power of ``base``; ``form`` shows its blanks."""
    power_sign, sum_sign = form.split("1")

    def spelling(one: Element) -> str | None:
        value = one.value
        if type(value) is not int or not _SMALLEST <= value < 1 << _LONGEST:
            return None
        power = value.bit_length() if base == 2 else len(str(value))
        for exponent in (power - 1, power):
            more = value - base**exponent
            if exponent > 1 and abs(more) <= (_FARTHEST if base == 2 else 1):
                text = f"{base}{power_sign}{exponent}"
                sign = "+" if (more > 0) is not one.is_negative else "-"
                return text + (sum_sign.replace("+", sign) + str(abs(more)) if more else "")
        return None

    return spelling


_near_power_of_two = _near_power(2, "**1+")


def _in_parentheses(one: Element) -> str | None:
    """Write an integer near a power of two, in parentheses after a minus."""
    text = _near_power_of_two(one._replace(is_negative=False))
    return f"({text})" if text is not None and one.is_negative else text


def _power_of_two(form: str) -> Style:
    """Return the style that writes powers of two, those after a minus in parentheses."""

    def spelling(one: Element) -> str | None:
        value = one.value
        if type(value) is not int or not _SMALLEST <= value < 1 << _LONGEST or value & (value - 1):
            return None
        text = form.format(value.bit_length() - 1)
        return f"({text})" if one.is_negative else text

    return spelling


def _shift(form: str) -> Style:
    """Return the style that writes integers near a power of two as shifts; ``form`` shows its blanks."""
    shift_sign, sum_sign = form.split("1")

    def spelling(one: Element) -> str | None:
        value = one.value
        if one.is_negative or type(value) is not int or not _SMALLEST <= value < 1 << _LONGEST:
            return None
        for more in (0, -1):
            exponent = (value - more).bit_length() - 1
            if 1 << exponent == value - more:
                return f"1{shift_sign}{exponent}" if not more else f"(1{shift_sign}{exponent}){sum_sign}1"
        return None

    return spelling


def _number(form: str) -> Style:
    """Return the style that writes integers by a format."""

    def spelling(one: Element) -> str | None:
        return format(one.value, form) if type(one.value) is int and one.value >= _SMALLEST_HEXADECIMAL else None

    return spelling


def _repetition(times: str) -> Style:
    """Return the style that writes strings that repeat a unit as products."""

    def spelling(one: Element) -> str | None:
        value = one.value
        if not isinstance(value, (str, bytes)) or not 2 < len(value) < _LONGEST:
            return None
        for size in range(1, 4):
            count = len(value) // size
            if count > 2 and value[:size] * count == value:
                return f"{value[:size]!r}{times}{count}"
        return None

    return spelling


def _quotient(over: str) -> Style:
    """Return the style that writes floats as quotients of small integers."""

    def spelling(one: Element) -> str | None:
        if type(one.value) is not float or not 0 < one.value < _SMALLEST:
            return None
        for below in range(2, _SMALLEST):
            above = round(one.value * below)
            if above and above / below == one.value:
                return f"{above}{over}{below}"
        return None

    return spelling


def _short_float(one: Element) -> str | None:
    return one.text[:-1] if type(one.value) is float and one.text.endswith(".0") else None


def _short_escapes(one: Element) -> str | None:
    return with_short_escapes(one.value, one.text) if isinstance(one.value, (str, bytes)) else None


_STYLES: tuple[Style, ...] = (
    _near_power_of_two, _near_power(2, "**1 + "), _near_power(2, " ** 1 + "),
    _shift("<<1-"), _shift(" << 1 - "), _near_power(10, "**1+"), _near_power(10, " ** 1 + "),
    _number("#x"), _number("#06x"), _number("#010x"), _number("_"), _repetition("*"), _repetition(" * "),
    _short_float, _short_escapes, _power_of_two("2**{}"), _power_of_two("2 ** {}"), _power_of_two("1 << {}"),
    _in_parentheses,
)  # fmt: skip
"""The most common first."""
_STYLES_OF_FLOATS: tuple[Style, ...] = (_quotient("/"), _quotient(" / "))
"""How elements are spelled in a display of floats whose first literal is an integer."""
