"""Syntax trees can have a slice where no text can: RestrictedPython turns ``a[b:c]`` into a call with one."""

from __future__ import annotations

import ast

import pytest

import depyf
from depyf.decompiler.definitions.slices import ASSUMPTION
from depyf.decompiler.pipeline import analyze

SOURCES = {
    "a[b:c]": "get(a, slice(b, c))",
    "a[:]": "get(a, slice(None, None))",
    "a[1:2, ::3]": "get(a, (slice(1, 2), slice(None, None, 3)))",
    "x = a[b:c:d, e, :]": "x = get(a, (slice(b, c, d), e, slice(None, None)))",
    "[a[b:]] if a[:a[:b]] else f(*a[1:2])": "get(a, slice(1, 2))",
    "with a[b:] as c: d": "with get(a, slice(b, None)) as c:",
}


def code_of(text, mode="exec"):
    class Calls(ast.NodeTransformer):
        def visit_Subscript(self, node):
            self.generic_visit(node)
            return ast.copy_location(ast.Call(ast.Name("get", ast.Load()), [node.value, node.slice], []), node)

    return compile(ast.fix_missing_locations(Calls().visit(ast.parse(text, mode=mode))), "f", mode)


if issubclass(ast.Slice, ast.expr):  # in 3.8 a tree can have one in brackets only

    @pytest.mark.parametrize("text", SOURCES)
    def test_slices_outside_of_brackets_are_calls_in_the_text(text):
        for source in (text, f"def f():\n    {text}", f"class C:\n    {text}"):
            result = analyze(code_of(source))
            assert SOURCES[text] in result.source
            inner = list(result.walk())[-1]
            assert inner.verdict.level.value in ("identical", "exact") and ASSUMPTION in inner.verdict.assumptions

    def test_the_code_of_an_expression():
        result = analyze(code_of("a[b:c]", mode="eval"))
        assert result.source == "get(a, slice(b, c))\n" and ASSUMPTION in result.verdict.assumptions

    def test_code_that_names_slice_itself_is_not_given_slices_for_its_calls():
        result = analyze(code_of("def f():\n    return slice(b, c), a[b:c]"))
        assert not any(ASSUMPTION in one.verdict.assumptions for one in result.walk())


def test_a_call_is_no_slice():
    assert not depyf.verify(compile("f(slice(b, c))", "f", "eval"), compile("f(a[b:c])", "f", "eval")).proven
    result = analyze(compile("a[slice(b, c)], a[b:c], a[b:c, d]", "f", "exec"))
    assert result.verdict.level.value == "identical" and not result.verdict.assumptions
    assert "a[slice(b, c)], a[b:c], a[b:c, d]" in result.source
