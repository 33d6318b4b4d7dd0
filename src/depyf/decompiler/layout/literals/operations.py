"""Operations on literals that the compiler folds to a given constant, the likeliest first."""

from __future__ import annotations

import itertools
import math
import re
from typing import Iterable, Iterator

from ...proof.constants import constant_key
from .operation import BITS, Literal, Operand, Operation, is_negative, literals, value_of_operation

_FACTORS = (
    10**6, 10**5, 10**4, 1000, 1024**2, 1024, 3600, 60, 100, 2, 3, 4, 5, 7, 8, 10, 16, 24, 32, 64, 128, 256, 512
)  # fmt: skip
"""What people multiply by, the roundest first."""
_UNITS = (1024, 60, 10, 2)
"""What people multiply by several times, or take a power of."""
_DIVISORS = (*range(2, 101), 2.54, 25.4, 180, 360, 1000, 1024, 3600)
_MORE = (1, -1, *range(2, 10), *range(-9, -1))
_FAR, _FARTHEST, _LARGE = 10, 1000, 10**6
"""How far from a power a number may be, one below a million and a larger one."""
_DIGITS = 8
_LARGEST_FLOAT = 1e17
_MOST_BITS = 4000
_LONGEST_UNIT = 256
_MOST_PIECES = 12
_RUN = re.compile(r"(.{1,80}?)\1{2,}", re.DOTALL)
_RUN_OF_BYTES = re.compile(rb"(.{1,80}?)\1{2,}", re.DOTALL)


def operations(
    value: Literal, first: object = None, others: Iterable[object] = (), *, likely: bool
) -> Iterator[Operation]:
    """Yield operations with this value: those that people write, or others. ``first``: the literal that they begin
    with, if known. ``others``: literals that are likely operands.
    """
    known = [one for one in (first, *others) if one is not None]
    found = itertools.chain.from_iterable((_beside if likely else _added_to)(value, one) for one in known)
    if first is None or type(first) is type(value) or isinstance(value, float) and type(first) is int:
        found = itertools.chain(found, _of(value, likely))
    key = constant_key(value)
    seen = set()
    for one in found:
        text = repr(one)
        if text in seen or first is not None and constant_key(next(literals(one))) != constant_key(first):
            continue
        seen.add(text)
        if constant_key(value_of_operation(one)) == key:
            yield one


def _of(value: Literal, likely: bool) -> Iterator[Operation]:
    if isinstance(value, (str, bytes)):
        yield from _of_text(value) if likely else _of_parts(value)
    elif isinstance(value, complex):
        yield from _of_complex(value) if likely else ()
    elif isinstance(value, int) or value - value == 0:
        yield from _of_real(value, likely)
        yield from () if likely or is_negative(value) else (Operation("+", None, value),)


def _of_real(value: int | float, likely: bool) -> Iterator[Operation]:
    if isinstance(value, int) and value < 0 and likely:
        yield Operation("~", None, ~value)
    size = abs(value)
    if isinstance(size, float):
        found = _of_float(size) if likely else _of_decimals(size)
    else:
        found = _of_int(size) if likely else _of_sums(size)
    for one in found if value and (isinstance(value, float) or value.bit_length() <= BITS + 1) else ():
        yield from _negated(one) if value < 0 else (one,)
    if isinstance(value, int) and -(1 << BITS) < value < 0 and not likely:
        yield from (Operation("<<", -1, one.right) for one in _powers(-value) if one.sign == "<<")
        yield from (Operation("~", None, one) for one in _of_int(~value) if one.sign in ("**", "<<", "-"))


def _negated(one: Operation) -> Iterator[Operation]:
    """Yield operations with this value after a minus."""
    if one.left is None or one.sign == "**" or one.sign == "<<" and one.left == 1:
        yield Operation("-", None, one)
        return
    lefts: Iterable[Operand]
    lefts = _negated(one.left) if isinstance(one.left, Operation) else (-one.left,)  # type: ignore[operator]
    other = {"+": "-", "-": "+"}.get(one.sign, one.sign)
    if one.sign in ("*", "/", "<<", "+", "-") and one.left != 0:
        yield from (Operation(other, left, one.right) for left in lefts)
    if one.sign == "-":
        yield Operation("-", one.right, one.left)
    yield Operation("-", None, one)


# Integers


def _of_int(value: int) -> Iterator[Operation]:
    """Yield operations on a positive number."""
    yield from _powers(value)
    yield from _near_powers(value)
    yield from _products(value)
    yield Operation("**", max(math.isqrt(value), 2), 2)
    yield from _shifts(value)


def _of_sums(value: int) -> Iterator[Operation]:
    """Yield products of three numbers, and sums and differences."""
    yield from _longer_products(value)
    if value > _FAR:
        zeros = (value & -value).bit_length() - 1
        yield from (Operation("<<", value >> shift, shift) for shift in range(zeros & ~7, 7, -8))
        yield from _powers_added(value)
        for unit in (10**6, 10**5, 10**4, 1000, 100, 10):
            if unit < value < 10 * unit:
                yield Operation("+", unit, value - unit)
                yield Operation("+", value // unit * unit, value % unit)
    for more in (1, 2):
        yield Operation("-", value + more, more)
        if value > more:
            yield Operation("+", value - more, more)


def _powers(value: int) -> Iterator[Operation]:
    """Yield powers, and shifts of one."""
    if value < 2:
        return
    power = value.bit_length() - 1
    if value == 1 << power:
        yield Operation("<<", 1, power)
        yield Operation("**", 2, power)
        yield from (Operation("**", 1024, more) for more in (2, 3, 4) if 1024**more == value)
        return
    for base in (10, *range(3, 100)):
        power = round(math.log(value, base))
        if power > 1 + (base != 10) and base**power == value:
            yield Operation("**", base, power)


def _near_powers(value: int) -> Iterator[Operation]:
    """Yield powers with a number added or subtracted."""
    far = _FARTHEST if value >= _LARGE else _FAR
    for base in (2, 10, *range(3, 10)) if value > 4 else ():
        nearest = round(math.log(value, base))
        for power in (nearest, nearest + 1, nearest - 1):
            more = value - base**power
            if power < 2 or not more or abs(more) > (far if base in (2, 10) else 1):
                continue
            for one in (Operation("**", base, power), *([Operation("<<", 1, power)] if base == 2 else ())):
                yield _plus(one, more)
                if more == 1:
                    yield Operation("+", 1, one)


def _plus(left: Operand, more: int) -> Operation:
    return Operation("+" if more > 0 else "-", left, abs(more))


def _products(value: int) -> Iterator[Operation]:
    """Yield products of two numbers, the last of which may be a power, and usual ones with a number added."""
    for left, right in ((24, 3600), (60, 60), (60, 24), (1024, 1024)):
        more = value - left * right
        if more and abs(more) <= _FARTHEST:
            yield _plus(Operation("*", left, right), more)
    for unit in _UNITS if value & value - 1 else _UNITS[:-1]:
        rest, power, found = value, 0, []
        while rest and rest % unit == 0:
            rest, power = rest // unit, power + 1
            is_usual = unit != 10 or rest < 100 or power % 3 == 0
            if power > 1 and 1 < rest < _FARTHEST and unit**power > 64 and is_usual:
                found.append((unit == 2 and power % 8 > 0 < power % 10, -power, rest))
        for _, exponent, left in sorted(found):
            yield Operation("*", left, Operation("**", unit, -exponent))
            yield Operation("*", Operation("**", unit, -exponent), left)
            if exponent == -2 and unit >= 60:
                yield Operation("*", Operation("*", left, unit), unit)
    for left, right in _pairs(value):
        if left < _LARGE:
            yield Operation("*", left, right)
            yield Operation("*", right, left)


def _pairs(value: int) -> Iterator[tuple[int, int]]:
    """Yield what the number is a product of, the roundest and the smallest first."""
    pairs = [(value // one, one) for one in _FACTORS if value > one and value % one == 0]
    return iter(sorted(pairs, key=lambda pair: pair[0] > _FARTHEST))


def _longer_products(value: int) -> Iterator[Operation]:
    """Yield products of three numbers, and of two with a number added."""
    three = [(left // one, one, right) for left, right in _pairs(value) for one in _FACTORS if left % one == 0]
    for left, middle, right in sorted(three, key=lambda each: (each[0], each[1] > each[2])):
        if 1 < left < _FARTHEST:
            yield Operation("*", Operation("*", left, middle), right)
            yield Operation("*", Operation("*", middle, right), left)
    for more in _MORE if value > 64 else ():
        for left, right in _pairs(value - more):
            yield _plus(Operation("*", left, right), more)
            yield _plus(Operation("*", right, left), more)


def _shifts(value: int) -> Iterator[Operation]:
    """Yield shifted numbers, and those with one more bit, as in the modes of files."""
    zeros = (value & -value).bit_length() - 1
    if zeros > 0 and 1 < value >> zeros < (1 << 16 if zeros > 7 else 64):
        yield Operation("<<", value >> zeros, zeros)
    for shift in (16, 24, 8, 32):
        left, right = value >> shift, value & (1 << shift) - 1
        if 0 < left < 1 << 16 and right and not right & right - 1:
            yield Operation("|", Operation("<<", left, shift), right)


def _powers_added(value: int) -> Iterator[Operation]:
    """Yield the sum of the fewest powers of two, with signs, the last of which may be a number."""
    terms: list[tuple[int, int]] = []
    exponent, rest = 0, value
    while rest and len(terms) < 5:
        if rest & 1:
            sign = 2 - (rest & 3)
            terms.append((sign, exponent))
            rest -= sign
        rest >>= 1
        exponent += 1
    if rest or len(terms) < 2:
        return
    for is_literal in (True, False):
        one: Operand = Operation("**", 2, terms[-1][1])
        for sign, exponent in terms[-2::-1]:
            right = 1 << exponent if is_literal and exponent < _FAR else Operation("**", 2, exponent)
            one = Operation("+" if sign > 0 else "-", one, right)
        assert isinstance(one, Operation)
        yield one


# Floats and complex numbers


def _of_float(value: float) -> Iterator[Operation]:
    """Yield operations on a positive number."""
    for divisor in _DIVISORS:
        for dividend in (round(value * divisor), round(value * divisor, 1)) if value < 1e6 else ():
            if dividend and not (value.is_integer() and value > _FAR) and dividend / divisor == value:
                yield Operation("/", dividend, divisor)
                yield Operation("/", float(dividend), float(divisor))
                yield Operation("/", dividend, float(divisor))
                yield Operation("/", float(dividend), divisor)
    for left in (1, 100, 1000, *range(2, 11)):
        for right in _short(left / value):
            yield from (Operation("/", one, right) for one in (left, float(left)))
    fraction, power = math.frexp(value)
    for places in range(1, 12):
        left, exponent = fraction * 2.0**places, power - places
        if left.is_integer() and abs(exponent) > 1:
            for base in (2.0, 2):
                if left == 1:
                    yield Operation("**", base, exponent)
                else:
                    yield from (Operation("*", one, Operation("**", base, exponent)) for one in (left, int(left)))
            break
    yield from _near_round(value)


def _of_decimals(value: float) -> Iterator[Operation]:
    """Yield products of short decimals, halves, and sums of small numbers."""
    for exponent in (30, 20, 10, 40):
        for right in _short(value / 2.0**exponent):
            yield Operation("*", right, Operation("**", 2, exponent))
    for tenths in range(1, 100):
        for right in _short(value / (tenths / 10), 2):
            yield Operation("*", tenths / 10, right)
    half = value / 2
    yield from (Operation("*", half, 2), Operation("*", 2, half), Operation("-", value + 1.0, 1.0))
    yield from (Operation("+", value - one, one) for one in (0.5, 1.0, 2.0, 1, 2) if value > one)


def _short(value: float, digits: int = _DIGITS) -> Iterator[float]:
    """Yield the numbers nearest to this one that have few digits."""
    if math.isfinite(value):
        yield from dict.fromkeys(float(f"{value:.{places}e}") for places in range(digits))


def _near_round(value: float) -> Iterator[Operation]:
    """Yield numbers of one digit, and powers, with a number added or subtracted."""
    above = math.ceil(value)
    if (value * 8).is_integer() and above != value:
        yield Operation("-", float(above), above - value)
    if not 100 < value < _LARGEST_FLOAT:
        return
    power, exponent = round(math.log10(value)), round(math.log2(value))
    starts: list[Operand] = [float(f"{digit}e{p}") for p in (power, power - 1) for digit in range(1, 10)]
    starts.append(Operation("**", 2.0, exponent))
    for start in starts:
        more = value - value_of_operation(start)  # type: ignore[operator]
        if more and abs(more) <= 2 * _FAR:
            for right in (abs(more), *([int(abs(more))] if more.is_integer() else ())):
                yield Operation("+" if more > 0 else "-", start, right)


def _of_complex(value: complex) -> Iterator[Operation]:
    """Yield the sum or difference of the parts."""
    sign = "-" if math.copysign(1, value.imag) < 0 else "+"
    for real in (value.real, *([int(value.real)] if value.real.is_integer() else ())):
        yield Operation(sign, real, complex(0, abs(value.imag)))
        yield Operation("+", None, Operation(sign, real, complex(0, abs(value.imag))))


# Strings and bytes


def _of_text(value: str | bytes) -> Iterator[Operation]:
    for size in range(1, min(len(value) // 2, _LONGEST_UNIT) + 1):
        count, rest = divmod(len(value), size)
        if not rest and value[:size] * count == value:
            yield Operation("*", value[:size], count)
            yield Operation("*", count, value[:size])
    yield from _of_runs(value)


def _of_parts(value: str | bytes) -> Iterator[Operation]:
    """Yield the text in two or three parts; of a single character, an item."""
    if len(value) > 2:
        yield Operation("+", Operation("+", value[:1], value[1:-1]), value[-1:])
    if len(value) > 1:
        half = len(value) // 2
        yield Operation("+", value[:half], value[half:])
    elif isinstance(value, str):
        yield Operation("[]", value * 2, 0) if value else Operation("*", "a", 0)


def _of_runs(value: str | bytes) -> Iterator[Operation]:
    """Yield what is repeated at least three times as products, added to what is between them; each rotation of a single
    run, so that it may begin elsewhere.
    """
    pattern = _RUN_OF_BYTES if isinstance(value, bytes) else _RUN
    runs = [(one.start(), len(one[1]), one.end()) for one in pattern.finditer(value)]  # type: ignore[arg-type]
    for short in (2, 1):
        longer = [one for one in runs if one[2] - one[0] > short * 4 or one[1] > short * 2]
        if 0 < len(longer) < _MOST_PIECES:
            yield from _sum_of_runs(value, longer)
    for start, size, end in runs[:1] if len(runs) == 1 else ():
        line_end = b"\n" if isinstance(value, bytes) else "\n"
        starts = range(start + 1, start + size)
        for at in sorted(starts, key=lambda at: value[at + size - 1 : at + size] != line_end):
            yield from _sum_of_runs(value, [(at, size, end)])


def _sum_of_runs(value: str | bytes, runs: list[tuple[int, int, int]]) -> Iterator[Operation]:
    for counts_first in (False, True):
        at = 0
        pieces: list[Operand] = []
        for start, size, end in runs:
            count = (end - start) // size
            unit = value[start : start + size]
            pieces += [value[at:start]] if start > at else []
            pieces.append(Operation("*", count, unit) if counts_first else Operation("*", unit, count))
            at = start + count * size
        pieces += [value[at:]] if at < len(value) else []
        found: Operand = pieces[0]
        for piece in pieces[1:]:
            found = Operation("+", found, piece)
        if isinstance(found, Operation):
            yield found


# Of a known operand


def _beside(value: Literal, one: object) -> Iterator[Operation]:
    """Yield operations whose first operand, or whose second one, is this literal."""
    if isinstance(value, (str, bytes)):
        yield from _of_text_beside(value, one)
    elif isinstance(value, complex) or not isinstance(one, (int, float)) or one < 0 or not one < math.inf:
        return
    elif isinstance(value, int):
        if type(one) is int and max(value.bit_length(), one.bit_length()) < _MOST_BITS:
            for each in _of_int_beside(abs(value), one):
                yield from _negated(each) if value < 0 else (each,)
    elif math.isfinite(value) and one < _LARGEST_FLOAT:
        for each in _of_float_beside(abs(value), one):
            yield from _negated(each) if value < 0 else (each,)


def _of_int_beside(value: int, one: int) -> Iterator[Operation]:
    power = round(math.log(value, one)) if one > 1 < value else 0
    yield Operation("**", one, power)
    yield Operation("<<", one, value.bit_length() - one.bit_length())
    if one and value % one == 0:
        rest = value // one
        yield Operation("*", one, rest)
        yield from (Operation("*", one, each) for each in _powers(rest))
        yield Operation("*", rest, one)
    yield Operation("-" if one > value else "+", one, abs(one - value))
    yield Operation("|", one, value ^ one)
    yield from (Operation("-", value + one, one), Operation("+", value - one, one))
    if one > value:
        for sign in ("//", ">>", "%"):
            yield from (Operation(sign, one, right) for right in range(1 + (sign != ">>"), 100))
    elif one:
        yield _plus(Operation("*", one, value // one), value % one)
        yield from (_plus(Operation("*", one, 2), value - 2 * one), Operation("+", Operation("*", one, 0), value))


def _of_float_beside(value: float, one: float) -> Iterator[Operation]:
    for sign, right in (("/", one / value if value else 0.0), ("*", value / one if one else 0.0), ("-", one - value),
                        ("+", value - one)):  # fmt: skip
        for digits in (0, 1, 2, 3, 6) if math.isfinite(right) else ():
            rounded = round(right, digits)
            yield from (Operation(sign, one, each) for each in ((int(rounded), rounded) if not digits else (rounded,)))
        yield Operation(sign, one, right)
    if type(one) is float:
        yield from (Operation("-", value + one, one), Operation("+", value - one, one), Operation("*", value / one, one)
                    if one else Operation("+", value, 0))  # fmt: skip
    yield Operation("+", Operation("*", one, 0), Operation("*", value / 2, 2))


def _of_text_beside(value: str | bytes, one: object) -> Iterator[Operation]:
    if type(one) is int and one > 0:
        for size in range(1, min(len(value) // one, _LONGEST_UNIT) + 1):
            if value[:size] * one == value[: size * one]:
                product, rest = Operation("*", one, value[:size]), value[size * one :]
                yield Operation("+", product, rest) if rest else product
    elif isinstance(one, (str, bytes)) and one and type(one) is type(value):
        if isinstance(value, str) and len(value) == 1 and value in str(one):
            yield Operation("[]", one, str(one).index(value))
        count = len(value) // len(one)
        while count and value[: count * len(one)] != one * count:
            count -= 1
        known: Operand = Operation("*", one, count) if count > 1 else one
        rest = value[count * len(one) :]
        if count and rest:
            products = [each for each in _of_text(rest) if each.sign == "*"]
            yield from (Operation("+", known, each) for each in products or (rest,))
            for each in _of_runs(rest):
                found = known
                for piece in _terms(each):
                    found = Operation("+", found, piece)
                assert isinstance(found, Operation)
                yield found
        elif isinstance(known, Operation):
            yield known


def _added_to(value: Literal, one: object) -> Iterator[Operation]:
    """Yield a text as this one and the rest, even if people would write the rest as a product."""
    if isinstance(one, (str, bytes)) and type(one) is type(value) and len(one) < len(value):
        yield Operation("+", one, value[len(one) :])


def _terms(operand: Operand) -> Iterator[Operand]:
    """Yield what is added."""
    if isinstance(operand, Operation) and operand.sign == "+" and operand.left is not None:
        yield from _terms(operand.left)
        operand = operand.right
    yield operand
