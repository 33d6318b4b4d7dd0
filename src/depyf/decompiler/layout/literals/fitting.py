"""Respell elements of a display of constants so that it is as wide as its extent."""

from __future__ import annotations

import itertools
from typing import Iterator, NamedTuple

from .arithmetic import likely
from .expressions import is_operation
from .numbers import spellings_of_number
from .strings import spellings_of_string, width_of

_MOST = 24
"""The elements that may be respelled."""
_SPELLINGS = 200
"""The spellings of one element that are looked at."""
_SHORT = 6
_LARGE = 10**5
_FARTHEST = 2000
"""Columns that a display may be wider or narrower on the way."""


class Choice(NamedTuple):
    """A spelling of an element: how much wider it is than ours, how unlikely, and its text."""

    more: int
    cost: float
    text: str


def fitted(elements: list[tuple[object, str]], wanted: list[int]) -> tuple[int, dict[int, str]] | None:
    """Choose spellings of the elements, (value, our text), with which these are wider by one of ``wanted``, the
    likeliest first. Return which one, and the new texts by the number of the element; None if there are none.
    """
    open_ones = [number for number, (_, text) in enumerate(elements) if width_of(text) >= _SHORT]
    if not open_ones or len(open_ones) > _MOST:
        return None
    best: dict[int, tuple[float, tuple[str, ...]]] = {0: (0.0, ())}
    for number in open_ones:
        value, text = elements[number]
        choices = [Choice(0, 0.0, text), *_choices(value, text)]
        after: dict[int, tuple[float, tuple[str, ...]]] = {}
        for width, (cost, texts) in best.items():
            for one in choices:
                total, sum_of_costs = width + one.more, cost + one.cost
                if abs(total) <= _FARTHEST and (total not in after or sum_of_costs < after[total][0]):
                    after[total] = sum_of_costs, (*texts, one.text)
        best = after
    for index, more in enumerate(wanted):
        if more in best:
            chosen = zip(open_ones, best[more][1])
            return index, {number: text for number, text in chosen if text != elements[number][1]}
    return None


def _choices(value: object, text: str) -> Iterator[Choice]:
    """Yield the likeliest other spelling of each width."""
    seen = {width_of(text)}
    for rank, one in enumerate(itertools.islice(_spellings(value, text), _SPELLINGS)):
        width = width_of(one)
        if width not in seen and "\n" not in one:
            seen.add(width)
            yield Choice(width - width_of(text), 1 + rank / _SPELLINGS, one)


def _spellings(value: object, text: str) -> Iterator[str]:
    if isinstance(value, (str, bytes)):
        yield from spellings_of_string(value, text)
    elif isinstance(value, (int, float, complex)):
        is_large = not isinstance(value, complex) and abs(value) >= _LARGE
        if is_large:
            yield from likely(value)
        if not isinstance(value, complex):
            sign = "-" if value < 0 else ""
            yield from (sign + one for one in spellings_of_number(abs(value)) if not sign or not _is_sum(one))
        if not is_large:
            yield from likely(value)


def _is_sum(text: str) -> bool:
    return is_operation(text) and "**" not in text or "+" in text or " - " in text
