"""A function or class that a file defines comes back with what it is defined with."""

from __future__ import annotations

import pytest

from depyf.decompiler.bytecode import load
from depyf.decompiler.definition import Definition, analyze_in_place
from depyf.decompiler.driver.settings import DEFAULT

MODULE = '''\
class A(Base, metaclass=Meta):
    @cached(size=None)
    def f(self, a: int = 3, *, b=[4]) -> str:
        return a

    async def g(self, a=1):
        pass

def twice(a=1):
    return a

def twice(a=2):
    def inner(x, y=a):
        return x + y
    return inner

numbers = lambda n=7: n
'''


def definition(text, qualname, line=0):
    root = load(compile(text, "m.py", "exec"))
    (found,) = [one for one in root.walk() if one.qualname == qualname and line in (0, one.firstlineno)]
    return Definition(root, found)


@pytest.mark.parametrize(
    "qualname, line, first",
    [
        ("A", 1, "class A(Base, metaclass=Meta):"),
        ("A.f", 2, "@cached(size=None)\ndef f(self, a: int = 3, *, b=[4]) -> str:"),
        ("A.g", 6, "async def g(self, a=1):"),
        ("twice", 9, "def twice(a=1):"),
        ("twice", 12, "def twice(a=2):"),
        ("twice.<locals>.inner", 13, "def inner(x, y=a):"),
        ("<lambda>", 17, "lambda n: n"),
    ],
)
def test_what_it_is_defined_with(qualname, line, first):
    result = analyze_in_place(definition(MODULE, qualname, line))
    assert result.source.startswith(first + "\n")
    assert result.proven and result.qualname == qualname


def test_where_the_code_around_it_is_refused_a_comment_says_what_is_missing():
    found = definition(MODULE, "A.f", 2)
    refusing = DEFAULT._replace(budget=1)
    result = analyze_in_place(found, settings=refusing)
    assert result.source.splitlines()[0] == (
        "# Its decorators, defaults, annotations are not known: A, which defines it, is not proven."
    )
