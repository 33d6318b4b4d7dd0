"""Statements that say the same in fewer lines."""

from __future__ import annotations

from depyf.decompiler.printing.printer import print_tree
from depyf.decompiler.syntax import nodes as n
from depyf.decompiler.unstructured.shorten import shorten


def polished(*body: n.Statement) -> str:
    statements = list(body)
    shorten(statements, {"t"})
    return print_tree(n.Module(statements))


def call(name: str) -> n.Statement:
    return n.Expr(n.Call(n.Name(name), [], []))


def deletion() -> n.Statement:
    return n.Delete([n.Name("t")])


def test_a_deletion_at_the_start_of_both_arms():
    text = polished(n.If(n.Name("c"), [deletion(), call("f")], [deletion(), call("g")]), call("h"))
    assert text == "del t\nif c:\n    f()\nelse:\n    g()\nh()\n"


def test_a_deletion_that_is_all_of_the_other_arm():
    text = polished(n.If(n.Name("c"), [deletion(), call("f")], [deletion()]), call("h"))
    assert text == "del t\nif c:\n    f()\nh()\n"


def test_an_arm_without_statements():
    assert polished(n.If(n.Name("c"), [], [call("f")]), call("h")) == "if not c:\n    f()\nh()\n"
