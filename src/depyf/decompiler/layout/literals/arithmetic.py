"""Expressions of several operands that the compiler folds to a given number, of any width.

``expressions`` has those of two operands, and is asked first.
"""

from __future__ import annotations

import functools
import itertools
import math
from typing import Iterable, Iterator, Union

Number = Union[int, float, complex]

_MOST_BITS = 128
"""The largest integer that the compiler folds a power, a product or a shift to (ast_opt.c, MAX_INT_SIZE)."""
_BASES = (2, 10)
_RARE_BASES = (*range(3, 10), *range(11, 100))
_LEAST_EXPONENT = 20
"""The least power of two that a float is written as a multiple of."""
_FEW = 10
_FACTORS = (60, 1000, 1024, 3600, 24, *range(2, 17))
_SMALL = 1000
_LARGE = 10**6
_LEAST_POWER = 64
_SIGNIFICANT = 8
"""Digits of the operand of a float; with more, any number would be one."""


def likely(value: Number) -> tuple[str, ...]:
    """Return expressions that have the value and that people write, the most common first."""
    return _likely(value, repr(value))


def unlikely(value: Number) -> tuple[str, ...]:
    """Return expressions that have the value and that few people write."""
    return _unlikely(value, repr(value))


@functools.lru_cache(maxsize=64)
def _likely(value: Number, _: str) -> tuple[str, ...]:
    """The same; numbers that are equal, as 0, -0.0 and 0j, are kept apart by their text."""
    if isinstance(value, complex):
        found = _complex(value)
    elif isinstance(value, float):
        found = _float(value) if math.isfinite(value) and value else iter(())
    else:
        found = _integer(value) if value.bit_length() <= _MOST_BITS else iter(())
    return tuple(dict.fromkeys(found))


@functools.lru_cache(maxsize=64)
def _unlikely(value: Number, _: str) -> tuple[str, ...]:
    if isinstance(value, float) and math.isfinite(value) and value:
        return tuple(dict.fromkeys(_of_decimals(value)))
    if not isinstance(value, int) or not _LEAST_POWER < abs(value) <= 1 << _MOST_BITS:
        return ()
    found = _more_than_products(value) if value > 0 else (f"-{one}" for one in _products_of_three(-value))
    return tuple(dict.fromkeys((*found, *_near_power(value, _RARE_BASES))))


def _spaced(*words: str) -> Iterator[str]:
    """Yield operands and operators in the usual spacings: what binds tighter is written tighter."""
    tight, loose = "".join(words), " ".join(words)
    powers = loose.replace(" ** ", "**")
    yield from (powers, tight, loose, powers.replace(" * ", "*"))


def _integer(value: int) -> Iterator[str]:
    yield from _near_power(value)
    if value < 0:
        yield f"~{-value - 1}"
        yield from (f"~({one})" for one in _near_power(-value - 1))
        yield from (f"-{one}" for one in _products(-value))
        return
    if value > _LEAST_POWER:
        yield from _products(value)
        yield from _of_two_powers(value)
        yield from _shift_and_more(value)


def _near_power(value: int, bases: Iterable[int] = _BASES) -> Iterator[str]:
    """Yield powers with a small number added or subtracted, and a small number less a power."""
    size = abs(value)
    for base in bases if size > _LEAST_POWER else ():
        nearest = round(math.log(size, base))
        for power in (nearest, nearest - 1, nearest + 1) if base == 2 else (nearest,):
            most = (_SMALL if size >= _LARGE else _FEW) if base in (2, 10) else 1
            if power < 2 or base**power > 1 << _MOST_BITS or abs(base**power - size) > most:
                continue
            more = size - base**power
            small, sign = str(abs(more)), "+" if (more > 0) == (value > 0) else "-"
            if value > 0:
                yield from _spaced(str(base), "**", str(power), *((sign, small) if more else ()))
                yield from _spaced("1", "+", str(base), "**", str(power)) if more == 1 else ()
            elif not more:
                yield from (f"-({one})" for one in _spaced(str(base), "**", str(power)))
            else:
                yield from ("-" + one for one in _spaced(str(base), "**", str(power), sign, small))
                if sign == "+":
                    yield from _spaced(small, "-", str(base), "**", str(power))


def _products(value: int) -> Iterator[str]:
    """Yield products with a power, in both orders."""
    for base, least in ((2, 8), (10, 3), (1024, 2)) if value & value - 1 else ((10, 3), (1024, 2)):
        power = 0
        left = value
        found = []
        while left % base == 0 and left >= base:
            left, power = left // base, power + 1
            if power >= least and 1 < left < _SMALL:
                found.append((base == 2 and power % 8 > 0 < power % 10, -power, left))
        for _, power, left in sorted(found):
            yield from _spaced(str(left), "*", str(base), "**", str(-power))
            yield from _spaced(str(base), "**", str(-power), "*", str(left))


def _more_than_products(value: int) -> Iterator[str]:
    """Yield products of three numbers, and of two with a small one added or subtracted."""
    yield from _products_of_three(value)
    for more in (1, -1, 2, -2):
        for left in _FACTORS:
            right, rest = divmod(value - more, left)
            if not rest and 1 < right < _LARGE:
                yield from _spaced(str(left), "*", str(right), "+" if more > 0 else "-", str(abs(more)))
                yield from _spaced(str(right), "*", str(left), "+" if more > 0 else "-", str(abs(more)))


def _products_of_three(value: int) -> Iterator[str]:
    """Yield products of three numbers, the smallest number of two usual units first: days of hours of seconds."""
    found = []
    for left, middle in itertools.product(_FACTORS, repeat=2):
        right, rest = divmod(value, left * middle)
        if not rest and 1 < right < _SMALL:
            found.append((right, left, middle))
    for right, left, middle in sorted(found, key=lambda one: (one[0], one[1] > one[2])):
        yield from _spaced(str(right), "*", str(left), "*", str(middle))
        yield from _spaced(str(left), "*", str(middle), "*", str(right))


def _of_two_powers(value: int) -> Iterator[str]:
    """Yield sums and differences of two powers, with a small number added or subtracted."""
    for base in (2, 10):
        first = round(math.log(value, base))
        rest = value - base**first
        if first < 3 or not rest or abs(rest) < _LEAST_POWER:
            continue
        second = round(math.log(abs(rest), base))
        sign = "+" if rest > 0 else "-"
        more = rest - (base**second if rest > 0 else -(base**second))
        if abs(more) <= _FEW and second > 1:
            small = ("+" if more > 0 else "-", str(abs(more))) if more else ()
            yield from _spaced(str(base), "**", str(first), sign, str(base), "**", str(second), *small)


def _shift_and_more(value: int) -> Iterator[str]:
    """Yield a shifted number with one bit set, as in the modes of files."""
    for shift in (16, 24, 8, 32):
        left, right = value >> shift, value & (1 << shift) - 1
        if 0 < left < 1 << 16 and right and not right & right - 1:
            for of_left, of_right in itertools.product(("#o", "#x", "d"), ("#x", "d", "#o")):
                a, b = format(left, of_left), format(right, of_right)
                for one in (f"{a} << {shift}", f"{a}<<{shift}"):
                    yield from (f"({one}) | {b}", f"({one})|{b}", f"{one} | {b}")


def _float(value: float) -> Iterator[str]:
    size, minus = abs(value), "-" if value < 0 else ""
    for left in (1, 100, 1000):
        for right in _short(left / size):
            if left / float(right) == size:
                for a in (str(left), f"{left}.0"):
                    yield from (f"{minus}{one}" for one in _spaced(a, "/", right))
    yield from (f"{minus}{one}" for one in _times_power_of_two(size))
    yield from (one for one in _near_round(value))


def _of_decimals(value: float) -> Iterator[str]:
    """Yield quotients of small numbers, and products of short decimals."""
    size, minus = abs(value), "-" if value < 0 else ""
    for left in range(2, 11):
        for right in _short(left / size):
            if left / float(right) == size:
                for a in (str(left), f"{left}.0", f"{left}."):
                    yield from (f"{minus}{one}" for one in _spaced(a, "/", right))
    for tenths in range(1, 100):
        for right in _short(size / (tenths / 10), most=2):
            if tenths / 10 * float(right) == size:
                yield from (f"{minus}{one}" for one in _spaced(f"{tenths / 10}", "*", right))


def _short(value: float, most: int = _SIGNIFICANT) -> Iterator[str]:
    """Yield decimal spellings of the number nearest with few digits."""
    for digits in range(1, most + 1):
        text = repr(float(f"{value:.{digits - 1}e}"))
        if "e" not in text and len(text) <= most + 2:
            yield text
            if text.endswith(".0"):
                yield from (text[:-1], text[:-2])
            if text.startswith("0."):
                yield text[1:]


def _times_power_of_two(size: float) -> Iterator[str]:
    fraction, power = math.frexp(size)
    if abs(power) < _LEAST_EXPONENT:
        return
    for places in range(1, 12):
        left = fraction * (1 << places)
        if not left.is_integer() or not 2.0 ** (power - places):
            continue
        exponent = str(power - places)
        for base in ("2.0", "2.", "2"):
            for one in (exponent, f"({exponent})") if power < places else (exponent,):
                if left == 1 and base != "2":
                    yield from _spaced(base, "**", one)
                elif left > 1:
                    for a in (f"{left}", f"{int(left)}") if base != "2" else (f"{left}",):
                        yield from _spaced(a, "*", base, "**", one)
        if left > 1:
            break


def _near_round(value: float) -> Iterator[str]:
    """Yield a power of ten or two, or a few times that of ten, with a small number added or subtracted."""
    size = abs(value)
    if size < _SMALL or value < 0:
        return
    power = round(math.log10(size))
    starts = [(f"{one}e{p}", float(f"{one}e{p}")) for p in (power, power - 1) for one in range(1, 10)]
    exponent = round(math.log2(size))
    starts += [(f"2.0**{exponent}", 2.0**exponent), (f"2.0 ** {exponent}", 2.0**exponent)]
    for text, start in starts:
        more = value - start
        if more and abs(more) <= _FEW * 2 and start + more == value and more.is_integer():
            sign = "+" if more > 0 else "-"
            for one in (f"{abs(int(more))}", f"{abs(more)}"):
                yield from (f"{text} {sign} {one}", f"{text}{sign}{one}")


def _complex(value: complex) -> Iterator[str]:
    """Yield sums of the parts, which the printer may have left out or written as integers."""
    real, imaginary = value.real, value.imag
    sign = "-" if imaginary < 0 or math.copysign(1, imaginary) < 0 else "+"
    if math.copysign(1, real) < 0 or not math.isfinite(real) or not math.isfinite(imaginary):
        return
    for a in _parts(real):
        for b in _parts(abs(imaginary)):
            yield from (f"{a}{sign}{b}j", f"{a} {sign} {b}j")


def _parts(value: float) -> Iterator[str]:
    text = repr(value)
    yield text
    if text.endswith(".0"):
        yield from (text[:-2], text[:-1])
    if text.startswith("0.") and len(text) > len("0."):
        yield text[1:]
