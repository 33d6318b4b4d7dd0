"""Code whose tables were renamed each by itself: the names that compilers give are found by use and put back."""

from __future__ import annotations

import dis
import os
import random
import subprocess
import sys
import types
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "benchmarks" / "attack"), str(ROOT / "benchmarks" / "lib")]

import renamed  # noqa: E402
from depyf.decompiler.bytecode.interpreters import HOST_VERSION, find_interpreter  # noqa: E402
from depyf.decompiler.pipeline import analyze  # noqa: E402
from depyf.decompiler.proof.scaffold import compile_source  # noqa: E402
from depyf.decompiler.recompile import recompile  # noqa: E402

VERSIONS = [HOST_VERSION, *(version for version in ((3, 14), (3, 15)) if find_interpreter(version))]
GENERIC = """
class E[T: int, *U, **P](B):
    x: T = 1
    def m[V: T](self, a: V, *, b: V = 2) -> U: return lambda: T
def f[T](a: T, b: T = 1) -> T: return a
type A[X: int] = dict[X, Y]
type B = A
"""
TEXTS = {
    "a class": "class A(B):\n    'doc'\n    x = 1\n    __all__ = ['A']\n",
    "super": "class A(B):\n    def f(self, x):\n        return super().f(x), print()\n",
    "the class": "class A(B):\n    def f(self):\n        return __class__\n",
    "two cells": "def f(b, a):\n    c = 1\n    return lambda: (a, b, c)\n",
    "cells in another order": "def f():\n    z = a = 0\n    def g():\n        return lambda: (z, a)\n    return g\n",
    "a parameter in a cell": "class A(B):\n    def f(self, x):\n        super().f()\n        return lambda: x\n",
    "imports": "from a import b, c\nfrom a.b import *\nimport d.e as f, d.e, g.h.i as j\nfrom . import k\n",
    "annotations": "def f(self, a: int, *b: str, c: int = 1, **d) -> int:\n    pass\ndef g(a: int) -> int: pass\n",
    "annotations that are strings": "from __future__ import annotations\ndef f(a: int, b: str) -> int: pass\n",
    "annotations that are constants": "def f(a: None, b: 1 = 2) -> None: pass\ndef g(c: None) -> 'x': pass\n",
    "annotated variables": "x: int = 1\nclass A:\n    y: x\n    z: x = 2\nif x:\n    w: int\n",
    "keyword-only defaults": "def f(*, a, b=1, c=2): pass\nclass A:\n    g = lambda self, *, x=1: x\n",
    "attributes": "class A:\n    __slots__ = ('a', 'b')\n    def f(self, x):\n        self.a = self.b = x\n",
    "attributes of another variable": "class A:\n    def __new__(cls):\n        self = cls()\n        self.a = 1\n",
    "builtins": "def f(x):\n    return all(y for y in x) or any(y for y in x)\n",
    "variables like builtins": (
        "def f(x, tuple=tuple, *any):\n    def g(all=x):\n        return all(y for y in any(z for z in x))\n"
        "    return tuple(y for y in x), g, any\nclass A:\n    tuple = f\n    x = tuple(a for a in y)\n"
    ),
    "names of type parameters": GENERIC if sys.version_info >= (3, 12) else "",
    "comprehensions": "class A:\n    x = [f(i) for i in range(9)]\n    y = {i: x for i in x if any(z for z in i)}\n",
    "the iterator": "x = (i for i in y)\ndef f(a):\n    return {(i, a) for i in (lambda: a)()}\n",
}  # fmt: skip


def tables(text: str) -> types.CodeType:
    return renamed.tables(compile(text, "m.py", "exec", dont_inherit=True), random.Random(0))


def every_name(code: types.CodeType) -> list[tuple[str, ...]]:
    kinds = ("co_names", "co_varnames", "co_freevars", "co_cellvars")
    return sorted((one.co_name, *(name for kind in kinds for name in getattr(one, kind))) for one in renamed.walk(code))


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_all_of_it_is_proven_and_put_back(text: str):
    code = tables(text)
    result = analyze(code)
    assert [(part.qualname, part.verdict.reasons) for part in result.walk() if not part.proven] == []
    again = recompile(result.source, code)
    assert every_name(again) == every_name(code)
    assert renamed.fault(code, result) == ""


def test_the_verdict_says_what_is_put_back():
    result = analyze(tables(TEXTS["super"]))
    (method,) = (part for part in result.walk() if "super()" in part.source and not part.nested)
    assert not method.verdict.identical
    assert any("name for super" in reason and "is put back" in reason for reason in method.verdict.reasons)


def renamed_variable(text: str, name: str, other: str) -> types.CodeType:
    """The code of ``text`` with a free variable of the innermost function called ``other``."""

    def rename(code: types.CodeType) -> types.CodeType:
        consts = tuple(rename(one) if isinstance(one, types.CodeType) else one for one in code.co_consts)
        nested = any(isinstance(one, types.CodeType) for one in consts)
        free = code.co_freevars if nested else tuple(other if one == name else one for one in code.co_freevars)
        return code.replace(co_consts=consts, co_freevars=free)

    return rename(compile(text, "m.py", "exec", dont_inherit=True))


def test_the_heading_names_the_variable():
    source = analyze(renamed_variable("def f(x):\n    return lambda: x\n", "x", "y")).source
    (heading,) = (line for line in source.splitlines() if "has other names" in line or "have other names" in line)
    assert heading.endswith(": x in f.<locals>.<lambda> is 'y'")


def test_the_heading_leaves_out_what_is_refused():
    code = renamed_variable("def f(x):\n    def g():\n        return x\n    return g\n", "x", "y")
    (inner,) = (one for one in renamed.walk(code) if one.co_name == "g")

    def damage(one: types.CodeType) -> types.CodeType:
        if one is inner:
            return one.replace(co_code=one.co_code[:-2] + bytes([dis.opmap["BUILD_SLICE"], 0]))
        consts = (damage(value) if isinstance(value, types.CodeType) else value for value in one.co_consts)
        return one.replace(co_consts=tuple(consts))

    result = analyze(damage(code))
    assert [part.name for part in result.walk() if not part.verdict.proven] == ["g"]
    assert "is 'y'" not in result.source


def test_a_constant_that_is_a_name_and_a_string_keeps_its_text_as_a_string():
    """The name of the class is another constant than the equal string, which the program sees."""
    code = compile("class A: pass\nx = ['A', len]\n", "m.py", "exec")
    names = tuple("B" if name == "A" else name for name in code.co_names)  # stored under another name
    result = analyze(code.replace(co_names=names))
    assert result.proven and "class B" in result.source and "'A'" in result.source


def test_honest_dead_code_is_no_reason_to_call_something_super():
    text = "class A:\n    def f(self):\n        g()\n        if 0:\n            super().f()\n"
    source = analyze(compile(text, "m.py", "exec")).source
    assert "g()" in source and source.count("super") <= 1


@pytest.mark.parametrize("text", ["x\n  y\t", " x", "\ud800", "a\n  b\n    c", "", '"""'], ids=ascii)
def test_a_docstring_that_no_source_can_have_is_put_back(text: str):
    module = compile("def f():\n    'doc'\n    return 1\n", "m.py", "exec", dont_inherit=True)
    (code,) = (one for one in renamed.walk(module) if one.co_name == "f")
    code = code.replace(co_consts=(text, *code.co_consts[1:]))
    result = analyze(code)
    assert result.proven, result.verdict.describe()
    assert recompile(result.source, code).co_consts[0] == text


def test_two_runs_choose_the_same_names():
    sources = {analyze(tables(TEXTS["cells in another order"])).source for _ in range(3)}
    assert len(sources) == 1


@pytest.mark.parametrize("version", VERSIONS, ids="{0[0]}.{0[1]}".format)
def test_variables_that_an_inlined_loop_tests_for_a_builtin_have_its_name(version: tuple[int, int], tmp_path: Path):
    """3.14 and 3.15 inline the loops, and look only at the name: a variable may have it, as a global may."""
    (tmp_path / "program.py").write_text(TEXTS["variables like builtins"])
    script = str(ROOT / "benchmarks" / "attack" / "renamed.py")
    command = [str(find_interpreter(version)), script, "--habits", "tables", "--", str(tmp_path / "program.py")]
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT / "src")}, timeout=300
    )
    assert "| 8 | 8 (100.00%) | 0 | 0 | 0 | 1 | 1 (100.0%) |" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("version", VERSIONS, ids="{0[0]}.{0[1]}".format)
@pytest.mark.parametrize(
    "annotation", ["x(k=y, **w, l=z)", "x(**w)", "{'b': 1, **c}", "[{'k': v} for v in w][0]", "x(k=x(l=1, **w))"]
)
def test_a_dictionary_in_an_annotation_has_no_keys_of_parameters(version: tuple[int, int], annotation: str):
    texts = ["def f(self) -> (?): pass", "def f(a: (?), *b: c, d: (?) = 1): pass", "def f(a) -> (?): return {'b': a}"]
    for text in texts:
        result = analyze(compile_source(text.replace("?", annotation) + "\n", version))
        assert {part.verdict.level.value for part in result.walk()} == {"identical"}, result.source
