"""The empty set of a syntax tree that a tool made is proven by the only text that there is for it."""

from __future__ import annotations

import ast
import os
import subprocess
from pathlib import Path

import pytest

from depyf import verify
from depyf.decompiler.bytecode.interpreters import find_interpreter
from depyf.decompiler.bytecode.versions import HOSTS

ROOT = Path(__file__).parents[2]
VERSIONS = [version for version in HOSTS if find_interpreter(version)]

CHECK = """
import ast
from depyf.decompiler.pipeline import analyze

text = "def f(xs):\\n    seen = SEEN\\n    def g():\\n        return [seen.add(x) for x in xs]\\n    return g()\\n"

class Empty(ast.NodeTransformer):
    def visit_Name(self, node):
        return ast.copy_location(ast.Set([]), node) if node.id == "SEEN" else node

result = analyze(compile(Empty().visit(ast.parse(text)), "<tool>", "exec"))
print(result.proven, "seen = {*()}" in result.source)
"""


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: ".".join(map(str, version)))
def test_an_empty_set_comes_back(version):
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    python = find_interpreter(version)
    done = subprocess.run([python, "-c", CHECK], capture_output=True, text=True, env=environment, timeout=300)
    assert (done.stdout, done.stderr) == ("True True\n", "")


def _empty(text):
    class Empty(ast.NodeTransformer):
        def visit_Name(self, node):
            return ast.copy_location(ast.Set([]), node) if node.id == "EMPTY" else node

    return compile(Empty().visit(ast.parse(text)), "<tool>", "exec")


@pytest.mark.parametrize("other", ["x = {*a}", "x = {*(), a}", "x = {*(1,)}", "x = {*()} or y", "x = [*()]"])
def test_no_other_set_is_an_empty_one(other):
    assert verify(_empty("x = EMPTY"), compile("x = {*()}", "<text>", "exec")).proven
    assert not verify(_empty("x = EMPTY"), compile(other, "<text>", "exec")).proven
