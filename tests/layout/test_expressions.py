"""Expressions that the compiler folds to a given constant: each has its value, its type and its width."""

from __future__ import annotations

import math
import random

import pytest

from depyf.decompiler.layout.literals.arithmetic import likely, unlikely
from depyf.decompiler.layout.literals.expressions import expressions, is_operation, operators_of
from depyf.decompiler.layout.literals.numbers import spellings_of_number

VALUES = [
    *range(-3, 20), 60, 100, 255, 256, 3600, 65535, 65536, 86400, 2**31 - 1, 2**53, 10**9, 2**64 - 1, 2**64, 10**100,
    2**5000, 0.0, -0.0, 0.5, 6.5, 1 / 3, 72 / 2.54, 5e-324, 1e-300, 1e300, 1e22, math.inf, -math.inf, math.nan,
    "", "a", "aaaa", "abab", "$Revision: ", b"", b"\0\0\0", "é" * 4,
]  # fmt: skip
FIRSTS = [None, 0, 1, 2, 7, 1000, -1, 0.0, 2.0, 7.0, 1e14, math.inf, math.nan, "a", "$", "", b"\0", 3j]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: repr(value)[:20])
def test_they_have_the_value_and_the_width(value):
    for first in FIRSTS:
        for width in range(1, 24):
            for text in expressions(value, width, first):
                found = eval(text)
                assert (type(found), repr(found)) == (type(value), repr(value))
                assert len(text) == width and is_operation(text)
                operands = text.lstrip("~")
                left = operands[: operands.index(next(operators_of(operands), ""))] or operands
                assert first is None or eval(left) == first


def test_shifts_and_products_are_found_by_their_width():
    numbers = random.Random(1)
    for _ in range(300):
        shift, left, right = numbers.randrange(10, 60), numbers.randrange(2, 60), 10 ** numbers.randrange(2, 7)
        for text in ("1 << {}".format(shift), "2**{}".format(shift), "{} * {}".format(left, right)):
            assert text in expressions(eval(text), len(text)), text


def _numbers(random_numbers: random.Random):
    for _ in range(400):
        yield random_numbers.randrange(10 ** random_numbers.randrange(1, 40))
        yield 2 ** random_numbers.randrange(1, 130) + random_numbers.randrange(-3, 4)
        yield random_numbers.random() * 10.0 ** random_numbers.randrange(-320, 300)
        yield random_numbers.randrange(1000) * 2.0 ** random_numbers.randrange(-1000, 900)
        yield random_numbers.randrange(1, 1000) / random_numbers.randrange(1, 100)


def test_every_spelling_has_the_value():
    for value in _numbers(random.Random(2)):
        for text in (*spellings_of_number(value), *likely(value), *likely(-value), *unlikely(value)):
            found = eval(text)
            assert type(found) is type(value) and abs(found) == value, (value, text)


def test_what_is_likely_of_a_number_does_not_depend_on_equal_ones_before_it():
    """A cache takes 0, 0.0, 0j and -0j for the same key."""
    for numbers in ([0, 0.0, 0j, -0j], [-0j, 0j, 0.0, 0], [81, 81.0], [81.0, 81]):
        for number in numbers:
            for text in (*likely(number), *unlikely(number)):
                value = eval(text)
                assert (type(value), repr(value)) == (type(number), repr(number))
    assert likely(0j) and not likely(0)
