"""Spellings of numbers."""

from __future__ import annotations

import ast
from typing import Iterable, Iterator

_MOST_BITS = 2000
_USUAL_WIDTHS = (2, 4, 8, 16)
_LARGEST_MODE = 0o777
"""The largest permissions of a file, which are written with as many octal digits."""


def spellings_of_number(value: int | float) -> Iterator[str]:
    """Yield other literals of this number, the most common first."""
    if isinstance(value, float):
        yield from _floats(value)
    elif value.bit_length() <= _MOST_BITS:
        yield from _based(value) if value % 10 else ()
        if value >= 1000:
            yield f"{value:_}"
        if value >= 1 << 16:
            yield f"{value:#_x}"
        yield from _based(value) if value % 10 == 0 else ()


def rare_spellings(value: int | float) -> Iterator[str]:
    """Yield literals that fewer people write."""
    if isinstance(value, int) and value.bit_length() <= _MOST_BITS:
        yield from _padded(value, _USUAL_WIDTHS)
        yield f"0o{value:o}"
        yield from _padded(value, range(2, 20))


def _padded(value: int, widths: Iterable[int]) -> Iterator[str]:
    """Yield spellings with leading zeros, of as many digits as ``widths``."""
    for width in widths:
        for mark in "xob":
            digits = f"{value:{mark}}"
            if len(digits) < width:
                yield f"0{mark}{digits:0>{width}}"


def with_last_groups(value: object, width: int) -> Iterator[str]:
    """Yield an integer with only its last groups of three digits set apart, as in a time in nanoseconds."""
    digits = str(value) if type(value) is int and value.bit_length() < _MOST_BITS else ""
    count = width - len(digits)
    if 0 < count < len(digits) / 3:
        ends = range(len(digits) - 3 * count, len(digits), 3)
        yield "_".join((digits[: -3 * count], *(digits[at : at + 3] for at in ends)))


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
    decimals = [f"{value:.{places}f}" for places in range(13)]
    yield from (one for one in decimals if 0.01 <= value < 100 and _is_same(one, value))
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
        for one in (decimals[places], f"{value:.{places}e}", _short_exponent(f"{value:.{places}e}")):
            if _is_same(one, value):
                yield one
    for places in range(13, 30):  # more digits than a float can distinguish
        if _is_same(f"{value:.{places}f}", value):
            yield f"{value:.{places}f}"


def _short_exponent(text: str) -> str:
    mantissa, _, power = text.partition("e")
    return f"{mantissa}e{int(power)}"


def _is_same(text: str, value: float) -> bool:
    try:
        return float(text) == value and isinstance(ast.literal_eval(text), float)
    except (SyntaxError, ValueError):
        return False
