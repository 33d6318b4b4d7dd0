"""Expressions that the compiler folds to a given constant: each has its value, its type and its width."""

from __future__ import annotations

import ast
import math
import random

import pytest

from depyf.decompiler.layout.literals.expressions import any_expression, expressions, is_operation
from depyf.decompiler.layout.literals.numbers import rare_spellings, spellings_of_number
from depyf.decompiler.layout.matching.folded import Folding

VALUES = [
    *range(-3, 9), 60, 255, 256, 3600, 65535, 86400, 2**31 - 1, 2**53, 10**9, 2**64 - 1, 2**64, 10**100, 2**5000,
    0.0, -0.0, 0.5, 6.5, -1.25, 1 / 3, 72 / 2.54, 5e-324, 1e300, 1e22, math.inf, -math.inf, math.nan,
    0j, -0j, 1 + 2j, "", "a", "aaaa", "abab", "- - - - -.", "$Revision: ", b"", b"\0\0\0", "é" * 4,
]  # fmt: skip
FIRSTS = [None, 0, 1, 1000, 0.0, 2.0, math.nan, "a", "", b"\0", 3j]


def _first_literal(text: str) -> object:
    node: ast.AST = ast.parse(text, mode="eval").body
    while not isinstance(node, ast.Constant):
        node = next(ast.iter_child_nodes(node)) if isinstance(node, (ast.BinOp, ast.Subscript)) else node.operand
    return node.value


@pytest.mark.parametrize("value", VALUES, ids=lambda value: repr(value)[:20])
def test_they_have_the_value_and_begin_with_the_literal(value):
    for first in FIRSTS:
        for text in expressions(value, None, Folding(True, first)):
            found = eval(text)
            assert (type(found), repr(found)) == (type(value), repr(value))
            assert first is None or repr(_first_literal(text)) == repr(first)


@pytest.mark.parametrize("value", [255, 2**31 - 1, -86400, 2.5, "abab", b"\0\0\0"])
def test_they_have_the_width(value):
    for width in range(1, 24):
        for text in expressions(value, width):
            assert len(text) == width and eval(text) == value and is_operation(text)


def test_an_expression_of_any_width_is_padded():
    for width in range(3, 40):
        text = any_expression(3600, "'", width, Folding(True))
        assert eval(text) == 3600 and (len(text) == width or width < 7)


def test_what_people_write_is_found_by_its_width():
    numbers = random.Random(1)
    for _ in range(200):
        shift, left, right = numbers.randrange(10, 60), numbers.randrange(2, 60), 10 ** numbers.randrange(2, 7)
        for text in (
            f"1 << {shift}", f"2**{shift}", f"2 ** {shift} - 1", f"{left} * {right}", f"-{left} * {right}",
            f"{left} * 1024**2", f"{left} * 60 * 60", f"{left}/{shift}", f"-(2**{shift})", f"'=' * {shift}",
            f"'+' + '-' * {shift} + '+'", f"(0o{left:o} << 16) | 0o4", f"{left} * {right} + 1", f"{left}.5 - 3j",
        ):  # fmt: skip
            assert text in expressions(eval(text), len(text)), text


def test_every_literal_has_the_value():
    numbers = random.Random(2)
    for _ in range(400):
        for value in (
            numbers.randrange(10 ** numbers.randrange(1, 40)), 2 ** numbers.randrange(1, 130),
            numbers.random() * 10.0 ** numbers.randrange(-320, 300), numbers.randrange(1, 1000) / 8,
        ):  # fmt: skip
            for text in (*spellings_of_number(value), *rare_spellings(value)):
                found = eval(text)
                assert type(found) is type(value) and found == value, (value, text)


def test_equal_numbers_are_kept_apart():
    """A cache takes 0, 0.0, 0j and -0j for the same key."""
    for numbers in ([0, 0.0, 0j, -0j], [-0j, 0j, 0.0, 0], [81, 81.0], [81.0, 81]):
        for number in numbers:
            for text in expressions(number, None):
                value = eval(text)
                assert (type(value), repr(value)) == (type(number), repr(number))
