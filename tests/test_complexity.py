"""No function of the package is more complex than 25, `and` and `or` counted (tests/complexity.py prints the worst)."""

from __future__ import annotations

import ast

import pytest
from complexity import complexity, functions

MOST = 25


@pytest.mark.parametrize(
    "text, expected",
    [
        ("pass", 1),
        ("if a and b or c: pass", 4),
        ("for x in y:\n  pass\n else:\n  pass", 3),
        ("try: pass\n except E: pass\n except F: pass", 3),
        ("return [x for x in y if x if y]", 4),
        ("assert a if b else c", 3),
    ],
)
def test_decisions_are_counted(text: str, expected: int):
    assert complexity(ast.parse(f"def f():\n {text}")) == expected


def test_no_function_is_too_complex():
    found = list(functions())
    assert len(found) > 3000
    assert [one for one in found if one.complexity > MOST] == []
