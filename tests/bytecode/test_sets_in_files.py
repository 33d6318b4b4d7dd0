"""A set in a file has the order of the set that was written, where the version's marshal writes it so."""

from __future__ import annotations

import random

import pytest

from depyf.decompiler.bytecode.reading.marshal import read_marshal


def written(numbers):
    """A frozenset as marshal writes it."""
    size = len(numbers).to_bytes(4, "little")
    return b">" + size + b"".join(b"i" + number.to_bytes(4, "little") for number in numbers)


def of_a_set(seed):
    """Numbers in the order of a set, as the compiler makes it: of another set."""
    chosen = random.Random(seed)
    numbers = chosen.sample(range(600), chosen.randrange(2, 12))
    return list(frozenset(list(frozenset(numbers))))


@pytest.mark.parametrize("version", [(3, 8), (3, 9), (3, 10)])
@pytest.mark.parametrize("seed", range(30))
def test_the_order_of_the_set_that_was_written(version, seed):
    order = of_a_set(seed)
    assert list(read_marshal(written(order), version)) == order


@pytest.mark.parametrize("version", [(3, 7), (3, 11), (3, 15)])
def test_the_order_of_a_set_that_is_made_of_what_is_written(version):
    order = [24, 8, 0, 16]
    assert list(read_marshal(written(order), version)) == list(frozenset(order))


def test_an_order_that_no_set_has():
    order = [2, 1, 0]
    assert read_marshal(written(order), (3, 8)) == frozenset(order)
