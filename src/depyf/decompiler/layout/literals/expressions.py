"""Expressions that the compiler folds to a given number, string or bytes, by their width."""

from __future__ import annotations

import ast
import itertools
import math
import re
from typing import Collection, Iterator, Tuple

from .arithmetic import likely, unlikely
from .strings import in_usual_quotes

Operation = Tuple[object, str, object]
"""Left operand, operator, right operand."""

_FACTORS = (2, 3, 4, 5, 7, 8, 10, 16, 24, 32, 60, 64, 100, 128, 256, 512, 1000, 1024, 3600)
_DIVISORS = (*range(2, 101), 2.54, 25.4, 180, 360, 1000, 1024, 3600)
_ROUND = (10**6, 10**5, 10**4, 1000, 1024**2, 1024, 3600, 60, 100)
_ROUND_TERMS = (10**6, 10**5, 10**4, 1000, 100)
_SQUARED = (60, 1024, 1000)
_POWERS = ((10, 1, 3), (2, 10, 10), (1024, 1, 2))
"""Bases, the steps of their exponents, and the least exponent of a factor."""
_USUAL_PRODUCTS = ((24, 3600), (60, 60), (60, 24), (1024, 1024))
_FEW = 1000
_LARGEST_FLOAT = 1e15
_LARGEST_FACTOR = 10**6
_MOST_BITS = 4000
LARGEST_POWER_OF_TWO = 64
"""The largest exponent for which the compiler folds ``2**n`` (ast_opt.c, safe_power: 128 bits, and 2 has two)."""
_TOKEN = re.compile(
    r"""[bBrRuU]{0,2}(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|0[xX]\w+|\.?\d[\w.]*(?:(?<=[eE])[-+]\d+)?|(?P<operator>\*\*|<<|[-+*/%|~])|."""
)
"""A literal, an operator, or a parenthesis."""


def expressions(value: object, width: int, first: object = None, quote: str = "'") -> Iterator[str]:
    """Yield expressions of this width that have the value, the most common first.

    ``first``: the literal that they begin with, if known. ``quote``: for strings where either needs no escape.
    """
    operations = [] if isinstance(first, (int, float)) and first < 0 else [*_operations(value, first)]
    usual: list[str] = []
    if type(value) is int:
        usual = [*powers_of_two(value), *_products(value), *_near_products(value), *_round_sums(value)]
    usual += likely(value) if isinstance(value, (int, float, complex)) else ()
    yield from (one for one in usual if len(one) == width and (first is None or begins_with(one, first)))
    for spellings in (_plain, _others):
        if spellings is _others and first is None and isinstance(value, (int, float)):
            yield from (one for one in unlikely(value) if len(one) == width)
        for left, operator, right in operations:
            for a in spellings(left, quote):
                for b in spellings(right, quote):
                    for one in (f"{a} {operator} {b}", f"{a}{operator}{b}"):
                        if len(one) == width and one.isascii():
                            yield one


def _operations(value: object, first: object) -> Iterator[Operation]:
    if type(value) is int:
        if value > 0 and value.bit_length() <= _MOST_BITS:
            if first is None:
                yield from _of_int(value)
            elif type(first) is int:
                yield from _with_first(value, first)
    elif type(value) is float:
        yield from _of_float(value, first)
    elif isinstance(value, (str, bytes)):
        yield from _of_text(value, first)


def _plain(value: object, quote: str) -> Iterator[str]:
    yield in_usual_quotes(value, quote) if isinstance(value, (str, bytes)) else repr(value)


def _others(value: object, quote: str) -> Iterator[str]:
    """Yield spellings of an operand."""
    yield from _plain(value, quote)
    if type(value) is int and value > 9:
        yield from (f"0x{value:x}", f"0x{value:04x}", f"{value:_}")
    elif type(value) is float and repr(value).endswith(".0"):
        yield repr(value)[:-1]


def _with_first(value: int, first: int) -> Iterator[Operation]:
    """Yield the operations whose left operand is ``first``."""
    if first > 1 and value > first:
        power = round(math.log(value, first))
        if power > 1 and first**power == value:
            yield first, "**", power
    shift = value.bit_length() - first.bit_length()
    if shift > 0 and first << shift == value:
        yield first, "<<", shift
    if first and value % first == 0:
        yield first, "*", value // first
    if first > value:
        yield first, "-", first - value
    if 0 < first < value:
        yield first, "+", value - first
        if first & value == first:
            yield first, "|", value ^ first


def _of_int(value: int) -> Iterator[Operation]:
    """Yield operations that people write."""
    for base in (10, *range(3, 10)):
        power = round(math.log(value, base)) if value > base else 0
        if power > 1 and base**power == value:
            yield base, "**", power
    for right in _ROUND:
        if value % right == 0 and 1 < value // right < _FEW:
            yield value // right, "*", right
    for left in _FACTORS:
        if value % left == 0 and left < value < _LARGEST_FACTOR * left:
            yield left, "*", value // left
            yield value // left, "*", left
    yield from _shifts(value)
    root = math.isqrt(value)
    if root > 1 and root**2 == value:
        yield root, "**", 2
    yield from ((value + 1, "-", 1), (value + 2, "-", 2))
    if value > 1:
        yield value - 1, "+", 1


def _shifts(value: int) -> Iterator[Operation]:
    """Yield left shifts: of a small odd number first, then by whole bytes."""
    zeros = (value & -value).bit_length() - 1
    if zeros > 0 and (zeros > 7 or value >> zeros < 64):
        yield value >> zeros, "<<", zeros
    for shift in range(zeros & ~7, 7, -8):
        yield value >> shift, "<<", shift


def powers_of_two(value: int) -> Iterator[str]:
    """Yield spellings of a power of two, the most common first: most people write ``2**8`` without spaces."""
    power = value.bit_length() - 1
    if value < 2 or value != 1 << power:
        return
    is_folded = power <= LARGEST_POWER_OF_TWO
    yield from (f"1 << {power}", f"2**{power}", f"1<<{power}", f"2 ** {power}")[:: 1 if is_folded else 2]


def _products(value: int) -> Iterator[str]:
    """Yield products of three factors and products with a power, as in sizes, times and large round numbers."""
    for times in (" * ", "*"):
        for base in _SQUARED:
            left = value // base**2
            if left * base**2 == value and 1 < left < _FEW:
                yield times.join(map(str, (left, base, base)))
        for base, step, least in _POWERS:
            power, left = 0, value
            while left > 1 and left % base**step == 0:
                power, left = power + step, left // base**step
            if power >= least and 1 < left < _FEW:
                yield f"{left}{times}{base}**{power}"
                yield f"{left}{times}{base} ** {power}"


def _near_products(value: int) -> Iterator[str]:
    """Yield products that people write, with a number added or subtracted."""
    for left, right in _USUAL_PRODUCTS:
        more = value - left * right
        if more and abs(more) <= _FEW:
            for times, plus in ((" * ", " + "), ("*", " + "), ("*", "+")):
                yield f"{left}{times}{right}{plus if more > 0 else plus.replace('+', '-')}{abs(more)}"


def _round_sums(value: int) -> Iterator[str]:
    """Yield sums of a round number and a smaller one."""
    for left in _ROUND_TERMS:
        if left < value < 2 * left:
            yield from (f"{left} + {value - left}", f"{left}+{value - left}")


def _of_float(value: float, first: object) -> Iterator[Operation]:
    if not math.isfinite(value) or not value or abs(value) > _LARGEST_FLOAT:
        return
    if first is None:
        above = math.ceil(value)
        if value > 0 and (value * 8).is_integer() and above != value:
            yield float(above), "-", above - value
        for divisor in _DIVISORS:
            for dividend in (round(value * divisor), round(value * divisor, 1)):
                if dividend > 0 and dividend / divisor == value:
                    yield dividend, "/", divisor
                    yield float(dividend), "/", float(divisor)
    elif isinstance(first, (int, float)) and abs(first) < _LARGEST_FLOAT:
        for operator, right in (("/", first / value), ("*", value / first if first else 0.0), ("-", first - value),
                                ("+", value - first)):  # fmt: skip
            for digits in (0, 1, 2, 3, 6) if math.isfinite(right) else ():
                rounded = round(right, digits)
                for operand in (int(rounded), rounded) if not digits else (rounded,):
                    if operand > 0 and _is_result(value, first, operator, operand):
                        yield first, operator, operand


def _is_result(value: float, left: float, operator: str, right: float) -> bool:
    """Whether the operation has this value, a float."""
    results = {"/": left / right, "*": left * right, "-": left - right, "+": left + right}
    return type(results[operator]) is float and results[operator] == value


def _of_text(value: str | bytes, first: object) -> Iterator[Operation]:
    """Yield the repetition or the sum that begins with ``first``; `spellings_of_string` has those of other operands."""
    size = len(value)
    if type(first) is int:
        if first and size % first == 0 and value[: size // first] * first == value:
            yield first, "*", value[: size // first]
    elif isinstance(first, (str, bytes)) and type(first) is type(value) and 0 < len(first) < size:
        count, rest = divmod(size, len(first))
        if not rest and first * count == value:
            yield first, "*", count
        if value.startswith(first):  # type: ignore[arg-type]
            yield first, "+", value[len(first) :]


def sums(value: object, width: int, first: object = None) -> Iterator[str]:
    """Yield expressions of three operands, and sums that nobody writes, of this width that have the value, a positive
    integer: they are folded.
    """
    if type(value) is not int or not 0 < value < 1 << _MOST_BITS:
        return
    if first is None or type(first) is int and first >= 0:
        yield from (one for one in _with_more(value, first) if len(one) == width)
        for plus in (" + ", "+"):
            if first is None:
                yield from (one + plus + "1" for one in _padded(value - 1, width - len(plus) - 1))
            elif first < value:
                left = f"{first}{plus}"
                yield from (left + one for one in _padded(value - first, width - len(left)))


def _with_more(value: int, first: int | None) -> Iterator[str]:
    """Yield products with a small number added."""
    for more, left in itertools.product(range(1, 10), _FACTORS if first is None else (first,)):
        if left > 1 and value - more > left and (value - more) % left == 0:
            right = (value - more) // left
            for times, plus in ((" * ", " + "), ("*", " + "), ("*", "+")):
                yield f"{left}{times}{right}{plus}{more}"


def _padded(value: int, width: int) -> Iterator[str]:
    """Yield spellings of this width, with as many zeros as that takes."""
    if len(str(value)) == width:
        yield str(value)
    elif len(f"{value:#x}") <= width:
        yield f"{value:#0{width}x}"


def begins_with(text: str, first: object) -> bool:
    """Whether the first literal of the expression is this one."""
    match = _TOKEN.match(text.lstrip("(~"))
    value = ast.literal_eval(match[0]) if match is not None and match["operator"] is None else None
    return type(value) is type(first) and value == first


def operands_among(text: str, operands: Collection[object]) -> int:
    """Return how many of the literals of the expression are among these."""
    values = [ast.literal_eval(match[0]) for match in _TOKEN.finditer(text) if match[0][0] not in "()+-*/%|&^~<>[]:, "]
    return sum(any(type(value) is type(one) and value == one for one in operands) for value in values)


def is_operation(text: str) -> bool:
    """Whether the text of a constant is an expression with an operator."""
    return any(operators_of(text[1:-1] if text[0] == "(" else text))


def operators_of(text: str) -> Iterator[str]:
    """Yield the operators of the expression that are outside of parentheses."""
    depth = 0
    for match in _TOKEN.finditer(text):
        depth += (match[0] == "(") - (match[0] == ")")
        if match["operator"] and not depth:
            yield match[0]
