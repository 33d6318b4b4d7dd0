"""What people hand to decompile: functions, methods, classes, modules, and things that wrap them."""

from __future__ import annotations

import functools
import textwrap

import pytest

import depyf
from depyf.decompiler.pipeline import analyze, standalone
from depyf.errors import DecompilationError


class Thing:
    """A thing."""

    kind = "thing"

    def method(self, x, y=2, *, z=(3, "a")):
        return x + y

    @staticmethod
    def static(a):
        return a

    @classmethod
    def made(cls):
        return cls()

    @property
    def size(self):
        return 1

    def __call__(self, what):
        return what.called


METHOD = "def method(self, x, y=2, *, z=(3, 'a')):\n    return x + y\n"


@pytest.mark.parametrize(
    "target",
    [Thing.method, Thing().method, functools.partial(Thing.method, 1), functools.lru_cache(Thing.method)],
    ids=["function", "bound", "partial", "wrapped"],
)
def test_leads_to_the_function(target):
    assert depyf.decompile(target) == METHOD


def test_a_callable_object_is_its_call():
    assert "return what.called" in depyf.decompile(Thing())


def test_a_lambda():
    assert depyf.decompile(lambda x, *y: x if y else None).strip() == "lambda x, *y: x if y else None"


def test_a_class_shows_its_members():
    text = depyf.decompile(Thing)
    compile(text, "case.py", "exec")
    for line in ("class Thing:", "@staticmethod", "@classmethod", "@property", "kind = 'thing'", '"""A thing."""'):
        assert line in text


def test_a_module_as_a_whole():
    result = analyze(textwrap)
    assert result.proven
    namespace: dict = {"__name__": "copy"}
    exec(result.source, namespace)
    assert namespace["dedent"]("  a\n  b") == "a\nb"


def test_an_opaque_default_is_named():
    opaque = object()

    def function(x=opaque):
        return x

    text = depyf.decompile(function)
    assert "def function(x=...):" in text and "the default of x is no literal" in text


@pytest.mark.parametrize("target", [len, 3, int, "text", None, __import__("sys")])
def test_what_has_no_bytecode_says_so(target):
    with pytest.raises(DecompilationError, match=r"no Python|implemented in C"):
        depyf.decompile(target)


def test_a_closure_stands_alone():
    def outer(a):
        def inner(b):
            nonlocal a
            a += b
            return a

        return inner

    result = analyze(outer(1))
    assert result.verdict.level.value == "exact"
    assert result.source.startswith("def inner(b):\n    nonlocal a\n")
    namespace: dict = {}
    exec(standalone(result), namespace)
    assert namespace["enclosing_function"](1)(2) == 3
