"""Lambdas and comprehensions whose flags, cells or free variables come from folded code alone."""

from __future__ import annotations

import inspect

import pytest

from depyf import analyze, recompile

SOURCES = [
    "f = lambda: (0 and (yield))",
    "f = lambda x: [x, 0 and (yield from x)]",
    "f = lambda *a, b=1: ((yield) if 0 else b)",
    "f = lambda a=(lambda: 1 or (yield)): a",
    "def f(x): return lambda: 0 and x",
    "def f(x): return lambda y: [1 or (lambda: x), 1 or (lambda: y)]",
    "f = lambda x: [(0 and (lambda: x)), 1]",
    "f = lambda: [a for a in b if (0 and (lambda: (yield)))]",
    "class A:\n    def f(self): return lambda: 0 and super().f()",
    "async def f(y): return [x for x in y if (0 and await z)]",
    "async def f(y): return (x for x in y if (0 and await z))",
    "async def f(y): return {x: 1 or await z for x in y}",
    "async def f(y): return [[x for x in (1 or await z)] for q in y]",
    "def f(a): return (lambda: (0 and i) for i in a)",
    "def f(): return [0 and (x := 1) for i in y]",
]


@pytest.mark.parametrize("source", SOURCES)
def test_proven(source):
    found = analyze(compile(source, "<text>", "exec"))
    assert all(one.verdict.proven for one in found.walk()), found.source


def test_a_lambda_stays_a_generator():
    made: dict[str, object] = {}
    code = compile("f = lambda x: (x if 1 else (yield))", "<text>", "exec")
    exec(recompile(analyze(code).source, like=code), made)
    assert inspect.isgeneratorfunction(made["f"])
