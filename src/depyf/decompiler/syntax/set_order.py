"""In which order to write the elements of a constant set, so that the compiler's set iterates as the original does."""

from __future__ import annotations

import contextlib
import marshal
import random
from functools import lru_cache
from typing import Any, Callable

_MANY = 100  # elements of a set whose order is not searched for


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
    """The same from 3.11 on: marshal sorts elements by what it writes for each (its w_complex_object)."""
    if not _marshal_sorts():
        return []
    try:
        return list(frozenset(sorted(frozenset(_compiled(order)), key=marshal.dumps)))  # type: ignore[arg-type]
    except ValueError:  # can't be in a file
        return []


_MAKERS = (_compiled, _read, _read_sorted)


@lru_cache(maxsize=None)
def _marshal_sorts() -> bool:
    """Whether the running interpreter's marshal writes two sets alike whose elements are in different orders."""
    return marshal.dumps(frozenset([0, 8])) == marshal.dumps(frozenset([8, 0]))


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
