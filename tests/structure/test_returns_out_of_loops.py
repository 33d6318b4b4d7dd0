"""A `return` in loops and `with` or `finally` statements is no `break` or `continue`, and not the end of the body; a
`continue` is not a `pass` before another one.
"""

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
    "for y in c:\n    try:\n        {}\n    finally:\n        c(3)\nc(0)",
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


def check(body):
    source = "def f(a, b, c):\n" + textwrap.indent(body, "    ") + "\n"
    result = analyze(compile(source, "case.py", "exec"))
    assert all(unit.verdict.exact for unit in result.walk()), result.source
    assert ast.dump(ast.parse(result.source)) == ast.dump(ast.parse(source)), result.source


@pytest.mark.parametrize("around, loop", itertools.product(AROUND, LOOPS))
def test_a_return_stays_one(around, loop):
    for body in BODIES:
        check(filled(around, filled(loop, body)))


@pytest.mark.parametrize("test", ["if a:\n    {}", "if a:\n    b(2)\nelif c:\n    {}\nelse:\n    b(3)"])
@pytest.mark.parametrize("after", ["", "\nb(0)"])
def test_a_return_before_a_finally_body_is_not_the_end_of_the_body(test, after):
    check(filled("try:\n    {}\nfinally:\n    b(9)", filled(test, "if c:\n    return\nb()")) + after)


@pytest.mark.parametrize("loop", ["for x in b:\n    {}", "for x in b:\n    b(4)\n    {}", "while a:\n    b(4)\n    {}"])
@pytest.mark.parametrize("last", ["if c:\n    continue", "if a:\n    b(1)\nelif c:\n    continue"])
@pytest.mark.parametrize("after", ["", "\nb(0)"])
def test_a_continue_at_the_end_of_a_loop_is_in_its_if_statement(loop, last, after):
    check(filled(loop, last) + after)
