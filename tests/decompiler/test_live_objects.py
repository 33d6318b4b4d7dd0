"""What people hand to ``decompile``: everything that leads to code, and a clear error for what does not."""

from __future__ import annotations

import colorsys
import functools

import pytest

import depyf
from depyf.decompiler import decompile
from depyf.decompiler.pipeline import analyze, standalone
from depyf.errors import DecompilationError


def plain(a, b=2, *, c="x", d=None):
    return a + b


@functools.lru_cache(maxsize=None)
def wrapped(a):
    return a * 2


class Thing:
    limit = 3

    def __call__(self, x):
        return x + 1

    def method(self):
        return self.limit

    @property
    def size(self):
        return 5

    @classmethod
    def make(cls):
        return cls()

    @staticmethod
    def add(a, b):
        return a + b


FOUND = {
    "function": (plain, "def plain(a, b=2, *, c='x', d=None):\n    return a + b"),
    "code object": (plain.__code__, "return a + b"),
    "partial": (functools.partial(plain, 1), "def plain(a, b=2"),
    "wrapped": (wrapped, "def wrapped(a):\n    return a * 2"),
    "bound method": (Thing().method, "def method(self):\n    return self.limit"),
    "method": (Thing.method, "def method(self):"),
    "property": (Thing.__dict__["size"], "def size(self):\n    return 5"),
    "classmethod": (Thing.make, "def make(cls):\n    return cls()"),
    "staticmethod": (Thing.__dict__["add"], "def add(a, b):"),
    "callable instance": (Thing(), "def __call__(self, x):\n    return x + 1"),
    "class": (Thing, "class Thing"),
    "module": (colorsys, "def rgb_to_yiq(r, g, b):"),
}


@pytest.mark.parametrize("kind", FOUND)
def test_leads_to_its_code(kind):
    target, expected = FOUND[kind]
    text = decompile(target)
    compile(text, "<text>", "exec")
    assert expected.replace("'", '"') in text.replace("'", '"')


def test_a_class_keeps_its_members():
    names = {}
    exec(decompile(Thing), names)
    rebuilt = names["Thing"]
    assert (rebuilt.limit, rebuilt().size, rebuilt.add(1, 2), rebuilt()(1)) == (3, 5, 3, 2)
    assert type(rebuilt.make()) is rebuilt


@pytest.mark.parametrize("x", [len, 3, "text", [], functools.partial(len)], ids=repr)
def test_what_has_no_bytecode_is_an_error(x):
    with pytest.raises(DecompilationError, match="has no Python bytecode"):
        decompile(x)


def test_a_builtin_module_is_an_error():
    import sys

    with pytest.raises(DecompilationError, match="sys"):
        decompile(sys)


def test_standalone_binds_free_variables():
    def outer(n):
        def inner():
            nonlocal n
            n += 1
            return n

        return inner

    text = standalone(analyze(outer(1)))
    names = {}
    exec(compile(text, "<text>", "exec"), names)
    assert names["enclosing_function"](5)() == 6


@pytest.mark.parametrize("docstring", ["", "'says what it does'"])
def test_standalone_does_not_bind_a_global_of_the_functions_name(docstring):
    """A method that calls super() and the builtin that it is named after."""
    source = f"""
class Base:
    def repr(self, x): return "base"
class Inner(Base):
    def repr(self, x):
        {docstring}
        def inner(): return [repr for _ in x]
        class Nested:
            found = repr
        return super().repr(x), repr(x), inner()[0], Nested.found
"""
    names = {}
    exec(compile(source, "<text>", "exec"), names)
    text = standalone(analyze(names["Inner"].repr))
    given = {"repr": ascii}
    exec(compile(text, "<text>", "exec"), given)
    function = given["enclosing_function"](names["Inner"])
    assert function(names["Inner"](), "a") == ("base", "'a'", ascii, ascii)
    assert function.__doc__ == (docstring.strip("'") or None)


def test_standalone_does_not_bind_a_global_of_the_classs_name():
    source = "def outer(x):\n    global K\n    class K:\n        y = x\n        def own(self): return K\n    return K\n"
    names = {}
    exec(compile(source, "<text>", "exec"), names)
    (body,) = [one for one in names["outer"].__code__.co_consts if hasattr(one, "co_code")]
    text = standalone(analyze(body))
    given = {}
    exec(compile(text, "<text>", "exec"), given)
    made = given["enclosing_function"](3)
    assert made.y == 3
    given["K"] = "the global"
    assert made().own() == "the global"


def test_a_lambda_has_its_default_values():
    # https://github.com/rocky/python-decompile3/issues/172: source of functions while they run, lambdas alone too
    handlers = {"double": lambda x, n=2, *, k="a": x * n, "own": eval("lambda x=object(), *y: x")}
    assert depyf.decompile(handlers["double"]) == "lambda x, n=2, *, k='a': x * n\n"
    comment = "# the default of x is no literal: an object of type object\n"
    assert depyf.decompile(handlers["own"]) == comment + "lambda x=..., *y: x\n"
    assert depyf.getsource(handlers["own"]).startswith("lambda x=..., *y: x\n")
    assert depyf.getsource(eval("lambda x, n=1: (x,\n n)")).startswith("lambda x, n=1: (x,\n")
