"""Spellings of numbers."""

from __future__ import annotations

import ast
import math
from typing import Iterable, Iterator

from .expressions import powers_of_two

_FEW = 1000
_MOST_BITS = 2000
_USUAL_WIDTHS = (2, 4, 8, 16)
_LARGEST_MODE = 0o777
"""The largest permissions of a file, which are written with as many octal digits."""


def spellings_of_number(value: int | float) -> Iterator[str]:
    """Yield other texts that compile to this number, the most common first."""
    if isinstance(value, float):
        yield from _floats(value)
        return
    if value.bit_length() > _MOST_BITS:
        return
    if value % 10:
        yield from _based(value)
    yield from powers_of_two(value)
    if value >= 1000:
        yield f"{value:_}"
    if value >= 1 << 16:
        yield f"{value:#_x}"
    yield from _padded(value, _USUAL_WIDTHS)
    if value % 10 == 0:
        yield from _based(value)
    for base in (10, 2):
        for less in (0, 1):
            power = len(str(value + less)) - 1 if base == 10 else (value + less).bit_length() - 1
            if power > 0 and base**power == value + less:
                yield from (f"{base}**{power}{'-1' * less}", f"{base} ** {power}{' - 1' * less}")
                if base == 2 and less:
                    yield from (f"(1 << {power}) - 1", f"(1<<{power})-1")
    yield from _near_powers(value)
    yield f"0o{value:o}"
    yield from _padded(value, range(2, 20))


def _padded(value: int, widths: Iterable[int]) -> Iterator[str]:
    """Yield spellings with leading zeros, of as many digits as ``widths``."""
    for width in widths:
        for mark in "xob":
            digits = f"{value:{mark}}"
            if len(digits) < width:
                yield f"0{mark}{digits:0>{width}}"


def _near_powers(value: int) -> Iterator[str]:
    """Yield powers, and large powers of two and ten with something added or subtracted."""
    for base in range(3, 100):
        power = round(math.log(value, base)) if value > base else 0
        if power > 2 and base**power == value:
            yield from (f"{base}**{power}", f"{base} ** {power}")
    for base in (2, 10) if value > _FEW**2 else ():
        power = round(math.log(value, base))
        more = value - base**power
        if 0 < abs(more) < _FEW:
            sign = "+" if more > 0 else "-"
            yield from (f"{base}**{power}{sign}{abs(more)}", f"{base}**{power} {sign} {abs(more)}")


def with_last_groups(value: object, width: int) -> Iterator[str]:
    """Yield an integer with only its last groups of three digits set apart, as in a time in nanoseconds."""
    digits = str(value) if type(value) is int and value.bit_length() < _MOST_BITS else ""
    count = width - len(digits)
    if 0 < count < len(digits) / 3:
        ends = range(len(digits) - 3 * count, len(digits), 3)
        yield "_".join((digits[: -3 * count], *(digits[at : at + 3] for at in ends)))


def after_minus(value: int) -> Iterator[str]:
    """Yield what is minus ``value`` after a minus: a shift in parentheses, or a power less or plus a number."""
    yield from (f"({one})" for one in powers_of_two(value) if "<<" in one)
    for base in (2, 10):
        power = round(math.log(value, base)) if value > _FEW else 0
        more = value - base**power
        if power and 0 < abs(more) < _FEW:
            sign = "-" if more > 0 else "+"
            yield from (f"{base}**{power} {sign} {abs(more)}", f"{base}**{power}{sign}{abs(more)}",
                        f"{base} ** {power} {sign} {abs(more)}")  # fmt: skip


def _based(value: int) -> Iterator[str]:
    yield f"0x{value:x}"
    if value <= _LARGEST_MODE:
        yield f"0o{value:o}"
    yield f"0b{value:b}"
    yield f"{value:d}"


def _floats(value: float) -> Iterator[str]:
    text = repr(value)
    if "inf" in text or "nan" in text:
        return
    yield text
    if _is_same(f"{value:.0e}", value):
        yield _short_exponent(f"{value:.0e}")
    mantissa, _, exponent = text.partition("e")
    for short in (mantissa, mantissa.rstrip("0"), mantissa.rstrip("0").rstrip("."), mantissa.lstrip("0")):
        for power in (exponent, exponent.lstrip("-+").lstrip("0") if not exponent.startswith("-") else "-" +
                      exponent.lstrip("-").lstrip("0")):  # fmt: skip
            one = short + ("e" + power if power else "")
            if _is_same(one, value):
                yield one
    for places in range(13):
        for one in (f"{value:.{places}f}", f"{value:.{places}e}", _short_exponent(f"{value:.{places}e}")):
            if _is_same(one, value):
                yield one
    for places in range(13, 30):  # more digits than a float can distinguish
        if _is_same(f"{value:.{places}f}", value):
            yield f"{value:.{places}f}"
    for above in range(1, 11):
        for below in range(2, 101):
            if above / below == value and math.gcd(above, below) == 1:
                yield from (f"{above}/{below}", f"{above} / {below}", f"{above}/{below}.0", f"{above}.0/{below}",
                            f"{above}.0/{below}.0", f"{above}.0 / {below}.0")  # fmt: skip
    fraction, exponent_of_half = math.frexp(value)
    if fraction == 0.5:
        of_two = exponent_of_half - 1
        yield from (f"2.0**{of_two}", f"2.0 ** {of_two}", f"2.**{of_two}")
        if of_two < 0:
            yield from (f"2**{of_two}", f"2 ** {of_two}")


def _short_exponent(text: str) -> str:
    mantissa, _, power = text.partition("e")
    return f"{mantissa}e{int(power)}"


def _is_same(text: str, value: float) -> bool:
    try:
        return float(text) == value and isinstance(ast.literal_eval(text), float)
    except (SyntaxError, ValueError):
        return False
