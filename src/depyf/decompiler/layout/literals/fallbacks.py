"""Expressions that the compiler folds to a constant of which only that is known: none that people write has its width.

They are no guess of what the author wrote: what counts is that the constant comes where folded ones do.
"""

from __future__ import annotations

import itertools
import math
import re
from typing import Collection, Iterator

from ..matching.folded import Folding
from .expressions import LARGEST_POWER_OF_TWO, begins_with, operands_among
from .order import fits_order
from .strings import OF_LITERAL, in_quotes, width_of

_LARGEST_FLOAT = 1e17
_SMALL = (*range(1, 10), 0.5, 1.0, 2.0, 3.0)
_MOST_TERMS = 4
_FORMS_OF_SUMS = (
    (" + ", "({} * {})"), (" + ", "{} * {}"), (" + ", "{}*{}"), ("+", "{}*{}"), (" + ", "({}*{})")
)  # fmt: skip
_LONGEST_UNIT = 256
_MOST_BITS = 1 << 12
_BLANK = re.compile(r"(?<=[-+*/%>] )|(?<=[-+*/%>])(?=[\d'\"])")
"""Where blanks may be added: behind an operator."""


def folded_somehow(value: object, quote: str, width: int, origin: Folding) -> str | None:
    """Return an expression of this width, or of another one if there is none; ``origin``: what is known of it.

    ``quote``: of the strings in it. None if nothing is known.
    """
    texts = [one for one in foldable(value, quote, origin.first) if fits_order(one, origin)]
    narrow = [one for one in texts if width_of(one) <= width]
    if not narrow:
        return min(texts, key=width_of, default=None)
    widest = max(narrow, key=width_of)
    return _padded(widest, width - width_of(widest))


def foldable(
    value: object, quote: str, first: object = None, operands: Collection[object] = ()
) -> list[str]:
    """Return expressions of any width, those with one of the ``operands`` first.

    None has ``value`` itself as an operand: the compiler would come to it as to a literal.
    """
    if isinstance(value, (str, bytes)):
        found = _of_text(value, quote, first)
    elif isinstance(value, int) and value.bit_length() < _MOST_BITS:
        found = _of_int(value, first)
    elif isinstance(value, float):
        found = _of_float(value, first)
    else:
        return []
    texts = dict.fromkeys(itertools.chain(_with_operands(value, operands), found))
    return [one for one in texts if (first is None or begins_with(one, first)) and not operands_among(one, (value,))]


def _with_operands(value: object, operands: Collection[object]) -> Iterator[str]:
    """Yield operations on one of the numbers ``operands`` and another one."""
    if not isinstance(value, (int, float)):
        return
    for one in operands:
        if type(one) is not type(value) or one == value or one < 0 or one > _LARGEST_FLOAT:
            continue
        for left, operator, right in (
            (value + one, "-", one), (one, "-", one - value), (one, "+", value - one), (value - one, "+", one),
            (one, "*", value / one if one else 0), (value / one if one else 0, "*", one),
        ):  # fmt: skip
            left, right = (type(value)(side) for side in (left, right))
            if min(left, right) > 0 and _result(left, operator, right) == value:
                yield from _both(repr(left), operator, repr(right))


def _result(left: float, operator: str, right: float) -> float:
    return left + right if operator == "+" else left - right if operator == "-" else left * right


def _padded(text: str, blanks: int) -> str:
    """Add blanks after the first operator outside quotes."""
    start = 0
    quotes = OF_LITERAL.match(text)
    if quotes is not None:
        start = next(end for end in _ends_of_literal(text, quotes.end(), quotes["quote"]))
    found = _BLANK.search(text, start)
    at = found.end() if found is not None else len(text)
    return text[:at] + " " * blanks + text[at:]


def _ends_of_literal(text: str, start: int, quote: str) -> Iterator[int]:
    """Yield the end of the literal whose body starts at ``start``: after the next quotes that are not escaped."""
    number = start
    while not text.startswith(quote, number):
        number += 2 if text[number] == "\\" else 1
    yield number + len(quote)


def _both(left: object, operator: str, right: object) -> Iterator[str]:
    yield f"{left} {operator} {right}"
    yield f"{left}{operator}{right}"


def _of_int(value: int, first: object) -> Iterator[str]:
    if type(first) is float:
        return
    if isinstance(first, int):
        yield from _of_int_with_first(value, first)
        return
    for terms in _sums_of_powers(value):
        for power, plus in ((" ** ", " + "), ("**", " + "), ("**", "+")):
            texts = [f"2{power}{exponent}" for _, exponent in terms]
            signs = (plus if sign > 0 else plus.replace("+", "-") for sign, _ in terms[1:])
            yield texts[0] + "".join(sign + one for sign, one in zip(signs, texts[1:]))
            if terms[-1][1] < 10:
                small = str(1 << terms[-1][1])
                signs = (plus if sign > 0 else plus.replace("+", "-") for sign, _ in terms[1:])
                yield texts[0] + "".join(sign + one for sign, one in zip(signs, [*texts[1:-1], small]))
    for exponent in range(8, LARGEST_POWER_OF_TWO + 1):
        more = value - (1 << exponent)
        if more and abs(more) < value // 2:
            for power, plus in ((" ** ", " + "), ("**", " + "), ("**", "+"), ("**", " +")):
                yield f"2{power}{exponent}{plus if more > 0 else plus.replace('+', '-')}{abs(more)}"
    if value:
        yield from _both(value - 1, "+", 1)
    yield from _both(value + 1, "-", 1)
    for factor in (1024, 1000, 100, 60, 10, 8, 7, 5, 4, 3, 2):
        if value > factor and value % factor == 0:
            yield from _both(value // factor, "*", factor)


def _sums_of_powers(value: int) -> Iterator[list[tuple[int, int]]]:
    """Yield the fewest powers of two that add up to ``value``, with signs, the largest first."""
    terms = []
    exponent, rest = 0, value
    while rest:
        if rest & 1:
            sign = 2 - (rest & 3)
            terms.append((sign, exponent))
            rest -= sign
        rest >>= 1
        exponent += 1
    if 1 < len(terms) <= _MOST_TERMS and terms[-1][1] <= LARGEST_POWER_OF_TWO:
        yield terms[::-1]


def _of_int_with_first(value: int, first: int) -> Iterator[str]:
    if first <= 0:
        yield from _both(first, "+", value)
        return
    if first < value:
        yield from _both(first, "+", value - first)
        yield from _both(f"{first} * 2", "+" if value >= 2 * first else "-", abs(value - 2 * first))
    if first > value:
        for right in range(2, 100):
            if first // right == value:
                yield from _both(first, "//", right)
                break
        for right in range(1, 100):
            if first >> right == value:
                yield from _both(first, ">>", right)
                break
        for right in range(2, 100):
            if first % right == value:
                yield from _both(first, "%", right)
                break
        yield from _both(first, "-", first - value)


def _of_float(value: float, first: object) -> Iterator[str]:
    if not math.isfinite(value) or isinstance(first, float) and not math.isfinite(first):
        return
    if isinstance(first, (int, float)):
        yield from _of_float_with_first(value, first)
        return
    for exponent in range(1, LARGEST_POWER_OF_TWO + 1):
        factor = value / (1 << exponent)
        if factor * (1 << exponent) == value and len(repr(factor)) < len(repr(value)):
            for power, times in ((" ** ", " * "), ("**", " * "), ("**", "*")):
                yield f"{factor!r}{times}2{power}{exponent}"
    if value.is_integer() and abs(value) < _LARGEST_FLOAT:
        yield from _of_whole_float(value)
    half = value / 2
    if half * 2 == value:
        yield from _both(repr(half), "*", 2)
        yield from _both(2, "*", repr(half))
    yield from _both(repr(value + 1.0), "-", 1.0) if value + 1.0 - 1.0 == value else ()
    for right in _SMALL:
        left = value - right
        if left + right == value and left != value and left > 0 and len(repr(left)) <= len(repr(value)):
            yield from _both(repr(left), "+", right)


def _of_float_with_first(value: float, first: float) -> Iterator[str]:
    half = value / 2
    if half * 2 == value:
        yield f"{first} * 0 + {half!r} * 2"
        yield f"{first}*0+{half!r}*2"
    for right in _SMALL:
        results = {"+": first + right, "-": first - right, "/": first / right, "*": first * right}
        for operator, result in results.items():
            if result == value and type(result) is float:
                yield from _both(first, operator, right)


def _of_whole_float(value: float) -> Iterator[str]:
    """Yield a round number and what is left, and powers with zero added."""
    digits = str(int(value))
    for places in range(len(digits) - 1, 0, -1):
        base = float(f"{digits[:-places]}e{places}")
        more = int(value - base)
        if more and base + more == value:
            short = f"{base:.0e}".replace("e+", "e")
            yield from _both(short if float(short) == base else repr(base), "+", more)
    for base in range(2, 17):
        power = round(math.log(value, base)) if value > base else 0
        if power > 1 and base**power == value and value < 1 << LARGEST_POWER_OF_TWO:
            for text in (f"{base} ** {power}", f"{base}**{power}"):
                yield from _both(text, "+", 0.0)


def _of_text(value: str | bytes, quote: str, first: object) -> Iterator[str]:
    """Yield products, sums and, for one character, an item."""
    if isinstance(first, int):
        for size in range(1, min(len(value) // first, _LONGEST_UNIT) + 1 if first > 0 else 0):
            if value[:size] * first == value[: size * first]:
                more = value[size * first :]
                for one in in_quotes(value[:size], quote):
                    for product in _both(first, "*", one):
                        yield from _both(product, "+", next(in_quotes(more, quote))) if more else (product,)
        return
    if isinstance(first, (str, bytes)):
        if type(first) is type(value):
            yield from _of_text_with_first(value, quote, first)
        return
    if len(value) < 2:
        if isinstance(value, str):
            texts = [next(in_quotes(value * 2, quote))]
            yield from (f"{one}[0]" if value else f"{one} * 0" for one in texts)
        return
    for size in range(1, min(len(value) // 2, _LONGEST_UNIT) + 1):
        count, rest = divmod(len(value), size)
        if not rest and value[:size] * count == value:
            for one in in_quotes(value[:size], quote):
                yield from _both(one, "*", count)
                yield from _both(count, "*", one)
                yield from _both(one, "*", f"{count:#x}")
    yield from _sums_of_runs(value, quote)
    half = len(value) // 2
    for left, right in zip(in_quotes(value[:half], quote), in_quotes(value[half:], quote)):
        yield from _both(left, "+", right)


def _of_text_with_first(value: str | bytes, quote: str, first: str | bytes) -> Iterator[str]:
    for left in in_quotes(first, quote):
        start = first.find(value)  # type: ignore[arg-type]
        if isinstance(first, str) and len(value) == 1 and start >= 0:
            yield f"{left}[{start}]"
        if value == first[: len(value)] and len(value) < len(first):
            yield f"{left}[:{len(value)}]"
        count = len(value) // max(len(first), 1)
        while count and value[: count * len(first)] != first * count:
            count -= 1
        rest_of = value[count * len(first) :]
        product = [*_both(left, "*", count)] if count > 1 else [left]
        for one in product:
            if not rest_of:
                yield one
                continue
            for right in itertools.chain(in_quotes(rest_of, quote), _sums_of_runs(rest_of, quote)):
                yield from _both(one, "+", right)


def _sums_of_runs(value: str | bytes, quote: str) -> Iterator[str]:
    """Yield what is repeated at least three times as products, added to what is between them."""
    unit = re.compile(rb"(.{1,64}?)\1{2,}" if isinstance(value, bytes) else r"(.{1,64}?)\1{2,}", re.DOTALL)
    pieces: list[tuple[str | bytes, int]] = []
    at = 0
    for found in unit.finditer(value):  # type: ignore[arg-type]
        if len(found[0]) < 9 and len(found[1]) < 4:
            continue
        if found.start() > at:
            pieces.append((value[at : found.start()], 1))
        pieces.append((found[1], len(found[0]) // len(found[1])))
        at = found.end()
    if at < len(value):
        pieces.append((value[at:], 1))
    if not 1 < len(pieces) < 12 or all(count == 1 for _, count in pieces):
        return
    for escape in range(2):
        texts = []
        for piece, count in pieces:
            found_texts = [*itertools.islice(in_quotes(piece, quote), 8)]
            one = found_texts[0] if not escape else next((t for t in found_texts if t.isascii()), found_texts[0])
            texts.append((one, count))
        for plus, form in _FORMS_OF_SUMS:
            yield plus.join(form.format(one, count) if count > 1 else one for one, count in texts)
