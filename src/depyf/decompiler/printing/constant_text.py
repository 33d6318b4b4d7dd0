"""Constants as the text that a compiler folds back to the same constant."""

from __future__ import annotations

import math
from types import CodeType
from typing import Any, Callable

from ...errors import DepyfError
from ..syntax.set_order import set_order
from .line_wrapping import CLOSE, COMMA, OPEN_ITEMS
from .precedence import ARITHMETIC, ATOM, FACTOR, PRODUCT
from .string_text import SINGLE_LINE_QUOTES, plain_text, raw_text

# Longer decimal literals may not be read back: the limit of digits can be set as low as 640.
_LONGEST_DECIMAL = 1 << 1999
_INFINITY, _NAN = "1e309", "1e309 - 1e309"


class PrintError(DepyfError):
    """A tree has no source text, or none for the versions that must read it."""


def constant_text(
    value: Any, string: Callable[[str], str], quote: str = SINGLE_LINE_QUOTES[0]
) -> tuple[str, int]:
    """The text of a constant and its precedence; `string` writes the strings, bytes are in `quote` if they can be.

    Raises PrintError for an object that has no literal.
    """
    kind = type(value)
    if kind is str:
        return string(value), ATOM
    if value is None or value is ... or kind is bool:
        return ("..." if value is ... else repr(value)), ATOM
    if kind is int:
        text = repr(value) if -_LONGEST_DECIMAL < value < _LONGEST_DECIMAL else hex(value)
        return text, FACTOR if value < 0 else ATOM
    if kind is float:
        return _float_text(value)
    if kind is complex:
        return _complex_text(value)
    if kind is bytes:
        raw = raw_text(value.decode("ascii"), quote) if value.isascii() else None
        return (plain_text(value, quote) if raw is None else "rb" + raw[1:]), ATOM
    if kind is tuple:
        return f"({OPEN_ITEMS}{tuple_items(value, string, quote)}{CLOSE})", ATOM
    if kind is frozenset:
        if not value:
            raise PrintError("an empty frozenset has no literal")
        items = [constant_text(item, string, quote)[0] for item in set_order(value)]
        return f"{{{OPEN_ITEMS}{_joined(items)}{CLOSE}}}", ATOM
    return _slice_text(value, string, quote), ATOM


def _slice_text(value: object, string: Callable[[str], str], quote: str) -> str:
    """The call for a slice outside of brackets; PrintError for any other object."""
    if isinstance(value, slice):
        bounds = (value.start, value.stop) if value.step is None else (value.start, value.stop, value.step)
        return f"slice({OPEN_ITEMS}{tuple_items(bounds, string, quote)}{CLOSE})"
    if isinstance(value, CodeType):
        raise PrintError(f"the code object {value.co_name} stands where an expression is expected")
    raise PrintError(f"there is no literal for an object of type {type(value).__qualname__}")


def tuple_items(
    value: tuple[object, ...], string: Callable[[str], str], quote: str = SINGLE_LINE_QUOTES[0]
) -> str:
    """The items of a constant tuple, as the text between its parentheses."""
    items = [constant_text(item, string, quote)[0] for item in value]
    return items[0] + "," if len(items) == 1 else _joined(items)


def _joined(items: list[str]) -> str:
    return f",{COMMA}".join(items)


def _float_text(value: float) -> tuple[str, int]:
    if math.isnan(value):
        return _nan_text(value)
    text = repr(abs(value)) if not math.isinf(value) else _INFINITY
    return ("-" + text, FACTOR) if math.copysign(1, value) < 0 else (text, ATOM)


def _nan_text(value: float) -> tuple[str, int]:
    """The text of a nan. Its sign is the processor's choice: `inf - inf` gives one, with the sign bit set on x86."""
    same = math.copysign(1, value) == math.copysign(1, math.inf - math.inf)
    return (_NAN, ARITHMETIC) if same else (f"-({_NAN})", FACTOR)


def _complex_text(value: complex) -> tuple[str, int]:
    """A sum of a real and an imaginary literal may lose the sign of a zero; these forms keep it."""
    real, imag = value.real, value.imag
    real_negative = math.copysign(1, real) < 0
    imag_negative = math.copysign(1, imag) < 0
    if math.isnan(imag):
        if not real:
            return (
                (f"-({_INFINITY}j - {_INFINITY}j)", FACTOR)
                if real_negative
                else (f"{_INFINITY}j - {_INFINITY}j", ARITHMETIC)
            )
        return f"{_part(real)} + ({_INFINITY}j - {_INFINITY}j)", ARITHMETIC
    if not real and not real_negative and not imag_negative:
        return f"{_part(imag)}j", ATOM
    if not real and real_negative and imag_negative:
        return f"-{_part(-imag)}j", FACTOR
    if imag and not (not real and real_negative):
        sign = "-" if imag_negative else "+"
        return f"{_part(real)} {sign} {_part(abs(imag))}j", ARITHMETIC
    if not real and not imag:  # 0.0 with -0.0: only a product gives different signs
        return ("-(0j * -1j)", FACTOR) if real_negative else ("0j * -1j", PRODUCT)
    if imag or imag_negative:  # the negation of a sum that can be written
        return f"-({_complex_text(-value)[0]})", FACTOR
    return f"{_part(real)} + 0j", ARITHMETIC


def _part(value: float) -> str:
    if math.isnan(value):
        text, precedence = _nan_text(value)
        return text if precedence == FACTOR else f"({text})"
    if math.isinf(value):
        return _INFINITY if value > 0 else "-" + _INFINITY
    text = repr(value)
    return text[:-2] if text.endswith(".0") else text
