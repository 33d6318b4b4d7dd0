"""Free variables that nothing reads: annotations of variables name them, or dead code; the text compiles by itself."""

from __future__ import annotations

import itertools

import pytest

from depyf.decompiler.bytecode.interpreters import HOST_VERSION, find_interpreter
from depyf.decompiler.bytecode.versions import HOSTS
from depyf.decompiler.pipeline import analyze, decompile
from depyf.decompiler.proof.scaffold import compile_source

VERSIONS = [one for one in HOSTS if one == HOST_VERSION or find_interpreter(one)]
TARGETS = {
    "variable": "x: {} = y", "attribute": "self.x: {} = y", "item": "self[0]: {} = y", "list": "x: list[{}] = []",
    "without a value": "x: {}", "in a loop": "for i in y: x: {} = i", "in with": "with y as z: x: {} = z",
    "awaited": "x: {} = await y", "text": "x: {} = '''a\n b'''", "dead": "if 0: {}", "call": "x: {} = set()",
    "tuple": "x: {} = 1, 2", "none": "return y\n x: {}",
}  # fmt: skip
PARAMETERS = {"T": "T", "two": "T, S", "stars": "*T, **S", "bound": "T: int"}
SCOPES = {
    "function": ("def f[{}](self, y):\n", 1), "method": ("class C[{}]:\n def f(self, y):\n", 2),
    "generic method": ("class C[{}]:\n def f[Q](self, y):\n", 2), "nested": ("def o[{}]():\n def f(self, y):\n", 2),
    "twice nested": ("class C[{}]:\n class D:\n  def f(self, y):\n", 3),
}  # fmt: skip


def body(text, depth):
    return "".join(f"{' ' * depth}{line}\n" for line in text.split("\n "))


@pytest.mark.parametrize("scope, parameters", list(itertools.product(SCOPES, PARAMETERS)))
def test_type_parameters(scope, parameters):
    header, depth = SCOPES[scope]
    for target, version in itertools.product(TARGETS.values(), [one for one in VERSIONS if one >= (3, 12)]):
        named = "T" if parameters in ("T", "bound") else "S, T"
        is_async = "await" in target
        text = header.format(PARAMETERS[parameters]).replace("def f", "async def f" if is_async else "def f")
        source = text + body(target.format(f"({named})" if "," in named else named), depth)
        result = analyze(compile_source(source, version))
        assert all(one.verdict.exact for one in result.walk()), (version, source, result.source)


CLOSURES = {
    "annotated": "def f(a):\n def g():\n  x: a = 1\n  return x\n return g\n",
    "declared": "def f(a):\n def g():\n  nonlocal a\n return g\n",
    "stored": "def f(a):\n def g():\n  nonlocal a\n  a = 1\n return g\n",
    "stored below": "def f(a):\n def g():\n  def h():\n   nonlocal a\n   a = 1\n  return h\n return g\n",
    "in a class": "def f(a):\n class C:\n  nonlocal a\n  a = 1\n return C\n",
    "dead": "def f(a):\n def g():\n  return 1\n  a\n return g\n",
    "a class asked for": "class C:\n def f(self):\n  nonlocal __class__\n",
    "a list taken as a type": "def f(a):\n list = 1\n def g():\n  x: a = []\n  return x\n return g, list\n",
    "an asynchronous list": "async def f(a):\n return [x async for x in a]\n",
}


@pytest.mark.parametrize("closure", CLOSURES)
def test_the_text_of_each_code_object_compiles_by_itself(closure):
    for version in VERSIONS:
        code = compile_source(CLOSURES[closure], version)
        assert all(one.verdict.proven for one in analyze(code).walk())
        for one in code.walk():
            compile_source(decompile(one), version)
