"""Recompiled code has the local variables that are asked for, used or not: torch up to 2.2 copies each by its name."""

import pytest

from depyf import recompile


def plain(a, b):
    return a * b


def closed_over(k):
    def inner(a, b):
        c = a * b + k
        return [lambda: c, c]

    return inner


@pytest.mark.parametrize(
    ("function", "source", "calls"),
    [
        (plain, "def plain(a, b):\n    return a * b\n", lambda result: result),
        (closed_over(3), "def inner(a, b):\n    c = a * b + k\n    return [lambda: c, c]\n", lambda r: (r[0](), r[1])),
    ],
)
def test_unused_variables_are_there_and_change_nothing(function, source, calls):
    code = recompile(source, function.__code__, "<test>", places=("a", "b", "old", "___stack0", "b_0"))
    assert set(code.co_varnames) >= {"a", "b", "old", "___stack0", "b_0"}
    assert code.co_nlocals == len(code.co_varnames)
    assert (code.co_cellvars, code.co_freevars) == (function.__code__.co_cellvars, function.__code__.co_freevars)
    again = type(function)(code, {}, "again", None, function.__closure__)
    for arguments in [(2, 3), (0, 5)]:
        assert calls(again(*arguments)) == calls(function(*arguments))


def test_what_is_there_already_is_not_added_again():
    code = recompile("def plain(a, b):\n    return a * b\n", plain.__code__, "<test>", places=("a", "b"))
    assert code.co_varnames == plain.__code__.co_varnames


def cell_of_dead_code(a):
    if 0:
        lost = a
        return lambda: (lost, a)
    return a


def hides_a_global(a):
    if 0:
        len = a
        return lambda: len
    return a


def test_cells_that_nothing_binds_any_more_are_kept():
    """As in Dynamo's code, where the comprehension that shared a variable has become a part of the graph."""
    like = cell_of_dead_code.__code__
    code = recompile("def cell_of_dead_code(a):\n    return a\n", like, "<test>")
    assert sorted(code.co_cellvars) == sorted(like.co_cellvars) == ["a", "lost"]
    assert type(cell_of_dead_code)(code, {})(5) == 5


def test_a_cell_that_nothing_binds_hides_no_global_of_its_name():
    code = recompile("def hides_a_global(a):\n    return len(a)\n", hides_a_global.__code__, "<test>")
    assert type(hides_a_global)(code, {"len": len})("abc") == 3
