"""A `return` in a loop in a `with` or `finally` statement is no `break` to what would follow the loop."""

from __future__ import annotations

import ast
import itertools
import textwrap

import pytest

from depyf.decompiler.pipeline import analyze

AROUND = [
    "with a:\n    {}",
    "with a() as w:\n    {}",
    "with a, b:\n    {}",
    "with a:\n    with b:\n        {}",
    "for y in c:\n    with a:\n        {}",
    "try:\n    {}\nfinally:\n    c(3)",
    "try:\n    with a:\n        {}\nfinally:\n    c(4)",
    "with a:\n    try:\n        {}\n    except E:\n        c(5)",
]
LOOPS = [
    "for x in b:\n    {}",
    "for z in a:\n    for x in b:\n        {}",
    "while True:\n    for x in b:\n        {}",
    "while c:\n    for x in b:\n        {}",
    "while True:\n    for z in b:\n        for x in z:\n            {}",
]
BODIES = [
    "if x:\n    return\nc(x)",
    "if x:\n    c(1)\n    return\nc(x)",
    "if x:\n    return\nif c(x):\n    c(1)\n    return",
    "try:\n    c(x)\nexcept E:\n    c(1)\n    return\nif x:\n    return\nc(2)",
    "if x:\n    return\nif c(x):\n    break",
]


def filled(template, body):
    indent = next(line for line in template.splitlines() if "{}" in line).replace("{}", "")
    return template.replace("{}", textwrap.indent(body, indent).lstrip())


@pytest.mark.parametrize("around, loop", itertools.product(AROUND, LOOPS))
def test_a_return_stays_one(around, loop):
    for body in BODIES:
        source = "def f(a, b, c):\n" + textwrap.indent(filled(around, filled(loop, body)), "    ") + "\n"
        result = analyze(compile(source, "case.py", "exec"))
        assert all(unit.verdict.exact for unit in result.walk()), result.source
        assert ast.dump(ast.parse(result.source)) == ast.dump(ast.parse(source)), result.source
