"""Class bodies that differ in the first line that they store (3.13 on) are proven without being read."""

import pytest

from depyf.decompiler.bytecode import load
from depyf.decompiler.proof.identical import differ_in_first_line
from depyf.decompiler.proof.prove import prove


def body(text, line):
    return load(compile("\n" * (line - 1) + text, "text", "exec")).nested[0]


stores_its_line = "__firstlineno__" in body("class A: pass", 1).names
pytestmark = pytest.mark.skipif(not stores_its_line, reason="classes don't store their first line")
TEXT = "class A:\n x = 5000\n def f(self): pass"


@pytest.mark.parametrize(("line", "other"), [(1, 9), (300, 400)])
def test_only_the_first_line(line, other):
    one, two = body(TEXT, line), body(TEXT, other)
    assert differ_in_first_line(one, two)
    verdict = prove(one, two)
    assert verdict.exact and not verdict.identical and verdict.method == "instructions"
    assert verdict.pairs == ((one.nested[0], two.nested[0]),)


@pytest.mark.parametrize("text", [TEXT.replace("5000", "5001"), "class A: pass", TEXT.replace("x", "y")])
@pytest.mark.parametrize(("line", "other"), [(1, 9), (300, 400)])
def test_something_else_too(text, line, other):
    assert not differ_in_first_line(body(TEXT, line), body(text, other))


def test_a_constant_that_is_used_elsewhere_too():
    """Another number for the line is then another number for what else uses it."""
    one, two = (body("class A:\n x = 300", 300) for _ in range(2))
    two.consts = tuple(400 if value == 300 and type(value) is int else value for value in two.consts)
    assert one.bytecode == two.bytecode
    assert not differ_in_first_line(one, two)
    assert not prove(one, two).proven
