"""Constants as the text that a compiler folds back to the same constant."""

from __future__ import annotations

import contextlib
import marshal
import math
import random
from functools import lru_cache
from types import CodeType
from typing import Any, Callable

from ...errors import DepyfError
from .line_wrapping import CLOSE, COMMA, OPEN_ITEMS
from .precedence import ARITHMETIC, ATOM, FACTOR, PRODUCT
from .string_text import raw_text

# Longer decimal literals may not be read back: the limit of digits can be set as low as 640.
_LONGEST_DECIMAL_BITS = 2000
_MANY = 100  # elements of a set whose order is not searched for
_INFINITY, _NAN = "1e309", "1e309 - 1e309"


class PrintError(DepyfError):
    """A tree has no source text, or none for the versions that must read it."""


def constant_text(value: object, string: Callable[[str], str]) -> tuple[str, int]:
    """The text of a constant and its precedence; `string` writes the strings.

    Raises PrintError for an object that has no literal.
    """
    kind = type(value)
    if kind is str:
        return string(value), ATOM  # type: ignore[arg-type]
    if value is None or value is ... or kind is bool:
        return ("..." if value is ... else repr(value)), ATOM
    if isinstance(value, int) and kind is int:
        text = repr(value) if value.bit_length() < _LONGEST_DECIMAL_BITS else hex(value)
        return text, FACTOR if value < 0 else ATOM
    if isinstance(value, float) and kind is float:
        return _float_text(value)
    if isinstance(value, complex) and kind is complex:
        return _complex_text(value)
    if isinstance(value, bytes) and kind is bytes:
        raw = raw_text(value.decode("ascii")) if value.isascii() else None
        return (repr(value) if raw is None else "rb" + raw[1:]), ATOM
    if isinstance(value, tuple) and kind is tuple:
        return f"({OPEN_ITEMS}{tuple_items(value, string)}{CLOSE})", ATOM
    if isinstance(value, frozenset) and kind is frozenset:
        if not value:
            raise PrintError("an empty frozenset has no literal")
        items = [constant_text(item, string)[0] for item in set_order(value)]
        return f"{{{OPEN_ITEMS}{_joined(items)}{CLOSE}}}", ATOM
    if isinstance(value, CodeType):
        raise PrintError(f"the code object {value.co_name} stands where an expression is expected")
    raise PrintError(f"there is no literal for an object of type {kind.__qualname__}")


def tuple_items(value: tuple[object, ...], string: Callable[[str], str]) -> str:
    """The items of a constant tuple, as the text between its parentheses."""
    items = [constant_text(item, string)[0] for item in value]
    return items[0] + "," if len(items) == 1 else _joined(items)


def _joined(items: list[str]) -> str:
    return f",{COMMA}".join(items)


def set_order(values: frozenset[object]) -> list[object]:
    """The elements in an order from which the compiler makes a set that iterates in the order of ``values``.

    If the order depends on the hash seed, they are sorted, to be stable.
    """
    if not hash_is_random(values):
        return _order_of(list(values))
    by_text = sorted(values, key=lambda value: (type(value).__name__, repr(value)))
    try:
        return sorted(by_text)  # type: ignore[type-var]
    except TypeError:
        return by_text


def _order_of(wanted: list[object]) -> list[object]:
    if _compiled(wanted) == wanted:
        return wanted
    return next(filter(None, (display_order(wanted, made) for made in _MAKERS)), wanted)


def display_order(wanted: list[Any], made: Callable[[list[Any]], list[Any]]) -> list[Any] | None:
    """An order from which ``made`` gives ``wanted``, preferably a sorted one; None if none is found."""
    candidates = [sorted(wanted, key=lambda value: (type(value).__name__, repr(value))), wanted]
    with contextlib.suppress(TypeError):
        candidates.insert(0, sorted(wanted))
    return next((order for order in candidates if made(order) == wanted), None) or _searched(wanted, made)


def _compiled(order: list[object]) -> list[object]:
    """The order of the constant that the compiler makes from a display of this order: elements that share a hash slot
    swap each time a set is made from another set."""
    made = list(frozenset(order))
    return list(frozenset(made)) if _sets_are_made_twice() else made


def _read(order: list[object]) -> list[object]:
    """The same, written to a file and read back, up to 3.10: marshal writes a set in its order."""
    return list(frozenset(_compiled(order)))


def _read_sorted(order: list[object]) -> list[object]:
    """The same from 3.11 on: marshal sorts what it writes (its w_complex_object)."""
    try:
        return list(marshal.loads(marshal.dumps(frozenset(_compiled(order)))))  # type: ignore[arg-type]
    except ValueError:  # can't be in a file
        return []


_MAKERS = (_compiled, _read, _read_sorted)


@lru_cache(maxsize=None)
def _sets_are_made_twice() -> bool:
    """Whether the compiler makes its set constants from sets, as it does up to 3.13 (merge_const_one): determined for
    the running interpreter, whose sets have the order."""
    constants = compile("x in {7, 15}", "", "eval").co_consts
    made = next(constant for constant in constants if isinstance(constant, frozenset))
    return list(made) != list(frozenset([7, 15]))


def _searched(wanted: list[object], maker: Callable[[list[object]], list[object]]) -> list[object] | None:
    """An order from which ``maker`` makes a set of the order ``wanted``, found by trial; None if none is found.

    Of elements that share a hash slot, the first gets it.
    """
    trials = random.Random(len(wanted))  # deterministic
    best = order = wanted
    fewest = len(wanted) if len(wanted) < _MANY else 0
    for number in range(200 if fewest else 0):
        misplaced = [value for value, made in zip(wanted, maker(order)) if value is not made]
        if not misplaced:
            return order
        if len(misplaced) <= fewest:
            best, fewest = order, len(misplaced)
        moved = trials.choice(misplaced)
        order = [other for other in best if other is not moved]
        order.insert(trials.randrange(len(best)) if number % 3 == 2 else 0, moved)
    return None


_NANS = float("nan"), float("nan")
_NAN_IS_RANDOM = hash(_NANS[0]) != hash(_NANS[1])


def hash_is_random(value: object) -> bool:
    """Whether ``value`` contains strings, bytes or nans, so that its position in a set varies between processes."""
    if isinstance(value, (tuple, frozenset)):
        return any(map(hash_is_random, value))
    if isinstance(value, (float, complex)):
        return _NAN_IS_RANDOM and value != value
    return isinstance(value, (str, bytes))


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
