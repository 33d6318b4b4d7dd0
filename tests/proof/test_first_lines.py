"""Class bodies that differ in the first line that they store (3.13 on) are proven without being read."""

from __future__ import annotations

import pytest
from recorded_compilers import recorded_code

from depyf.decompiler.proof.identical import differ_in_first_line
from depyf.decompiler.proof.prove import prove

# Of the recorded text, by the lines of the bodies: the same at ONES and OTHERS, and one that stores 450 at line 450.
ONES, OTHERS, STORES_ITS_LINE = (1, 300), (9, 400), 450
WITH_ANOTHER_NUMBER, EMPTY, WITH_ANOTHER_NAME = (20, 420), (30, 430), (40, 440)


@pytest.fixture(params=[(3, 13), (3, 14), (3, 15)], ids=str)
def body(request):
    def at(line):
        code = recorded_code("bodies_at_lines", request.param)
        return next(one for one in code.nested if one.firstlineno == line)

    return at


@pytest.mark.parametrize(("line", "other"), list(zip(ONES, OTHERS)))
def test_only_the_first_line(body, line, other):
    one, two = body(line), body(other)
    assert differ_in_first_line(one, two)
    verdict = prove(one, two)
    assert verdict.exact and not verdict.identical and verdict.method == "instructions"
    assert verdict.pairs == ((one.nested[0], two.nested[0]),)


@pytest.mark.parametrize("others", [WITH_ANOTHER_NUMBER, EMPTY, WITH_ANOTHER_NAME])
@pytest.mark.parametrize("size", [0, 1])
def test_something_else_too(body, others, size):
    assert not differ_in_first_line(body(ONES[size]), body(others[size]))


def test_a_constant_that_is_used_elsewhere_too(body):
    """Another number for the line is then another number for what else uses it."""
    one, two = body(STORES_ITS_LINE), body(STORES_ITS_LINE)
    two.consts = tuple(460 if value == 450 and type(value) is int else value for value in two.consts)
    assert one.bytecode == two.bytecode
    assert not differ_in_first_line(one, two)
    assert not prove(one, two).proven


def test_code_that_is_cut_short(body):
    one, two = body(ONES[0]), body(OTHERS[0])
    whole = one.bytecode
    for end in range(len(whole)):
        one.bytecode = whole[:end]
        assert not differ_in_first_line(one, two)
