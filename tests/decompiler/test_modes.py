"""What compile() made to be evaluated, or as a line of a session, comes back as text that it takes in the same mode."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from depyf.decompiler.bytecode.interpreters import find_interpreter
from depyf.decompiler.bytecode.versions import HOSTS
from depyf.decompiler.pipeline import analyze

ROOT = Path(__file__).parents[2]
VERSIONS = [version for version in HOSTS if find_interpreter(version)]

EXPRESSIONS = (
    "a + b", "x if a else None", "a and b or c", "a and None", "not a", "a < b < c", "lambda: 3", "(x := 1)", "5",
    "[i for i in a if i]", "(i for i in a)", "f(lambda x: x + 1, y=2)", "...", "{**a, 'b': [*c]}", "f'{a!r:>{b}}'",
)  # fmt: skip
LINES = (
    "a + b\n", "a; b; c = 3\n", "a and b\n", "5\n", "if a:\n    b\nelse:\n    c()\n",
    "for i in a:\n    print(i)\n    i\n", "try:\n    a\nfinally:\n    b\n", "with a as b:\n    b\n",
    "class A:\n    a\n", "[i for i in a]\n",
)  # fmt: skip

CHECK = """
import sys
from depyf.decompiler.pipeline import analyze

for mode, texts in {modes!r}.items():
    for text in texts:
        code = compile(text, "<string>", mode)
        result = analyze(code)
        again = compile(result.source, "<string>", result.mode)
        if not result.proven or again.co_code != code.co_code or again.co_names != code.co_names:
            print(mode, repr(text), repr(result.source), result.mode, result.verdict)
""".replace("{modes!r}", repr({"eval": EXPRESSIONS, "single": LINES}))


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: ".".join(map(str, version)))
def test_comes_back_in_its_mode(version):
    python = find_interpreter(version)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([python, "-c", CHECK], capture_output=True, text=True, env=environment, timeout=300)
    assert (done.stdout, done.stderr) == ("", "")


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_the_text_of_an_expression_is_the_expression(text):
    result = analyze(compile(text, "<string>", "eval"))
    assert (result.source.strip(), result.mode) == (text, "eval")


def test_values_that_a_line_prints_are_printed():
    result = analyze(compile("x = 4; x; x + 1\n", "<string>", "single"))
    assert (result.source, result.mode) == ("x = 4; x; x + 1\n", "single")


def test_a_module_is_no_line_of_a_session():
    result = analyze(compile("x = 4\nx\n", "<string>", "exec"))
    assert result.mode == "exec"


def test_code_that_prints_is_not_proven_by_text_that_does_not():
    from depyf import verify

    assert not verify(compile("x\n", "<string>", "single"), compile("x\n", "<string>", "exec")).proven
