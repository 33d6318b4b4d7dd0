"""Columns of text that is indented by one column: the ``False`` of a test is in one that a ``break`` may have."""

from __future__ import annotations

import pytest

from depyf.decompiler.pipeline import analyze

BODIES = {
    "values": "if x:\n\ta = 1\nelse:\n\ta = 2\nif False:\n\tb = 1\nelse:\n\tb = 2\n",
    "more after it": "if x:\n\ta = 1\nelse:\n\ta = 2\nif False:\n\tb = 1\nelse:\n\tb = 2\nc = 3\n",
    "functions": "if x:\n\tdef a(): pass\nelse:\n\tdef a(): pass\nif False:\n\tdef b(): pass\nelse:\n\tdef b(): pass\n",
}
SCOPES = ("", "class C:\n", "class C:\n\tclass D:\n", "def f(x):\n", "def f(x):\n\tdef g():\n")


@pytest.mark.parametrize("indent", ["\t", " ", "  ", "   ", "    "])
@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("name", BODIES)
def test_a_dropped_test_is_no_break(name, scope, indent):
    depth = scope.count("\n")
    body = "".join("\t" * depth + line for line in BODIES[name].splitlines(keepends=True))
    result = analyze(compile((scope + body).replace("\t", indent), "<test>", "exec", dont_inherit=True))
    assert [(one.qualname, one.verdict.reasons) for one in result.walk() if not one.verdict.proven] == []
