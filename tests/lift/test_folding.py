"""Conditions and values that the compiler spreads over blocks are one expression again."""

from __future__ import annotations

import pytest

from depyf.decompiler import decompile

EXPRESSIONS = [
    "a and b",
    "a or b and c",
    "(a or b) and c",
    "not (a and b)",
    "a if b else c",
    "a if b and c else c or a",
    "a < b < c",
    "a < b <= c < a",
    "not a < b < c",
    "(a if b else c) + (b or a)",
    "f(a and b, c or a, key=a if b else c)",
    "[a and b, {c: a or b}]",
    "a is None or b is not None",
    "(a and b)[c or 1]",
]


def function(text):
    names = {}
    exec(text, names)
    return names["f"]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_values(expression):
    text = f"def f(a, b, c, f):\n    d = {expression}\n    f(a, b)\n    return d"
    assert decompile(function(text)).rstrip() == text


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_conditions(expression):
    """They may be spelt another way, but are one condition, of one ``if``."""
    text = f"def f(a, b, c, f):\n    if {expression}:\n        f(1)\n    return f(2)"
    found = decompile(function(text))
    assert found.count("\n    if ") == 1 and "\n        if " not in found
    assert found.count("f(1)") == found.count("f(2)") == 1
    assert "else:\n" not in found
