"""A set in a file has the order in which CPython fills it when it reads the file, and the text gives that order."""

from __future__ import annotations

import random

import pytest

from depyf.decompiler.bytecode import Instruction, RawCode
from depyf.decompiler.bytecode.code.formats import FORMATS
from depyf.decompiler.bytecode.interpreters import HOST_VERSION
from depyf.decompiler.bytecode.reading.marshal import read_marshal
from depyf.decompiler.driver.file_sets import is_of_file, make_sets_here
from depyf.decompiler.syntax.set_order import set_order

TIMES = {(3, 7): 1, (3, 8): 2, (3, 9): 2, (3, 10): 2}
"""How often a set is made of a display, in versions whose files keep its order."""


def written(numbers):
    """A frozenset as marshal writes it."""
    size = len(numbers).to_bytes(4, "little")
    return b">" + size + b"".join(b"i" + number.to_bytes(4, "little") for number in numbers)


def made(order, times):
    """The order of a set that is made of a set, and so on."""
    for _ in range(times):
        order = list(frozenset(order))
    return order


def numbers(seed):
    chosen = random.Random(seed)
    found = chosen.sample(range(chosen.choice((100, 600, 10**6))), chosen.randrange(2, 20))
    return sorted(found) if seed % 2 else found


@pytest.mark.parametrize("version", sorted(FORMATS))
def test_it_is_filled_in_the_order_of_the_file(version):
    orders = [made(numbers(seed), 2) for seed in range(40)] + [[2, 1, 0], [24, 8, 0, 16]]
    assert [list(read_marshal(written(order), version)) for order in orders] == [made(order, 1) for order in orders]


@pytest.mark.parametrize("version", sorted(TIMES))
def test_the_display_makes_the_set_of_the_file(version):
    wrong = []
    for seed in range(100):
        read = read_marshal(written(made(numbers(seed), TIMES[version])), version)
        instructions = [Instruction("CONST", read)]
        make_sets_here(instructions, version)
        display = set_order(instructions[0].arg)
        if made(display, TIMES[version] + 1) != list(read):
            wrong.append(seed)
    assert len(wrong) <= 1  # an order is found by trials


@pytest.mark.parametrize("version", sorted(FORMATS.keys() - TIMES))
def test_where_marshal_sorts_the_display_makes_what_a_sorted_one_makes(version):
    for seed in range(20):
        instructions = [Instruction("CONST", frozenset(numbers(seed)))]
        make_sets_here(instructions, version)
        assert made(set_order(instructions[0].arg), 2) == made(sorted(instructions[0].arg), 2)


def test_what_is_known_of_the_host():
    constants = compile("x in {7, 15}", "", "eval").co_consts
    once = next(list(value) for value in constants if type(value) is frozenset) == made([7, 15], 1)
    assert FORMATS[HOST_VERSION].makes_sets_once == once


def test_code_in_memory_is_not_of_a_file():
    assert not is_of_file(RawCode())
