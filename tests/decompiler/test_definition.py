"""A function or class that a file defines comes back with what it is defined with."""

from __future__ import annotations

import pytest

from depyf.decompiler.bytecode import load
from depyf.decompiler.bytecode.reading.load import HOST_VERSION
from depyf.decompiler.cut_out import cut_out
from depyf.decompiler.definition import Definition, analyze_definition
from depyf.decompiler.driver.settings import DEFAULT
from depyf.decompiler.pipeline import analyze

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
    result = analyze_definition(definition(MODULE, qualname, line))
    assert result.source.startswith(first + "\n")
    assert result.proven and result.qualname == qualname


def test_where_the_code_around_it_is_refused_a_comment_says_what_is_missing():
    found = definition(MODULE, "A.f", 2)
    refusing = DEFAULT._replace(budget=1)
    result = analyze_definition(found, settings=refusing)
    assert result.source.splitlines()[0] == (
        "# Its decorators, defaults, annotations are not known: A, which defines it, is not proven."
    )


LAID_OUT = '''\
import os

@cached(size=None,
        other=[1,
               2])
@plain
def first(self, a: int = 3, *,
          b=[4]) -> str:
    """Doc
    string
      more."""
    text = """a
    b
"""
    return a

class A(Base, metaclass=Meta):
    x = 1; y = 2

    @property
    def one(self, a=1): pass
    async def two(self, b: int = 2):
        return (
            a,
            b)

    class Inner(object):
        def m(self, z=1):
            text = """
            def no(): pass
  x"""
            return text
last = 1
'''


@pytest.mark.parametrize(
    "number, first, last, indent", [(0, 3, 15, 0), (1, 17, 32, 0), (2, 20, 21, 4), (3, 22, 25, 4), (4, 27, 32, 4),
                                    (5, 28, 32, 8)]
)  # fmt: skip
def test_a_definition_is_cut_out_of_a_text(number, first, last, indent):
    lines = LAID_OUT.splitlines(keepends=True)[first - 1 : last]
    kept = [line if "def no" in line or "  x" in line else line[indent:] for line in lines]
    kept = [line or "\n" for line in kept]
    assert cut_out(LAID_OUT, number) == ("".join(kept), first)


WRAPPED = """\
class A:

    @cached(size=None,
            other=[b,
                   c])
    @plain

    def f(self, a: int = 3, *, b=[4]):
        if a: return b

        return [a,
                b]

    def g(self):
        return self.f()
"""


@pytest.mark.parametrize("qualname, first, last", [("A", 1, 15), ("A.f", 3, 12), ("A.g", 14, 15)])
def test_in_the_authors_layout_too(qualname, first, last):
    found = definition(WRAPPED, qualname)
    result = analyze_definition(found, settings=DEFAULT._replace(layout="author"))
    whole = analyze(found.root, layout="author")
    lines = (whole.source if HOST_VERSION < (3, 11) else WRAPPED).splitlines(keepends=True)[first - 1 : last]
    assert result.source == "".join(line[4 * qualname.count(".") :] or "\n" for line in lines)
    assert result.verdict.lines and result.qualname == qualname
    assert result.line_map[1] == first


def test_what_this_python_cannot_cut_is_not_cut():
    assert cut_out("def f():\n  x\n y\n", 0) is None
    assert cut_out("x = 1\n", 0) is None
    assert cut_out("def f():\n    return (1\n", 0) is None
