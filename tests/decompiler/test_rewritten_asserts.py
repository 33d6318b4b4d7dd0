"""Asserts that pytest has rewritten come back as asserts, and nothing else does."""

from __future__ import annotations

import ast
import textwrap

import pytest
from _pytest.assertion.rewrite import rewrite_asserts

import depyf
from depyf.cli import main
from depyf.decompiler.definitions.rewritten_asserts import ASSUMPTION
from depyf.decompiler.driver.settings import DEFAULT
from depyf.decompiler.pipeline import analyze
from depyf.decompiler.proof.pytest_asserts import OVERWRITE, SNAPSHOT, rewrite_module

SOURCE = '''
    """A test module."""
    from __future__ import annotations
    import sys

    limit = 3
    assert limit, "at module level"

    class TestThings:
        assert limit > 2

        def test_values(self, a, b, c):
            assert a
            assert a, b
            assert not a
            assert a == b, f"{a} is not {b}"
            assert a < b <= c != 4
            assert a + b * -c >= ~a
            assert (a < b) is True
            assert a[0].b.c(1, *b, k=c, **{"z": a}) in [1, "two"]
            assert [x for x in a if x]
            assert (lambda: a)() if b else c
            assert True
            assert a is not None, "%s" % a

        def test_operators(self, a, b, c):
            assert a and b
            assert a or b or c, len(a)
            assert a == 1 and (b or not c(a)) or (a and b) == c
            assert isinstance(a, (int, str)) and hasattr(a, "b")
            assert 1 < a < b and all(x for x in a)

    def test_blocks(values):
        for value in values:
            if value:
                assert value > 1
            else:
                assert False, "no value"
        try:
            assert values
        except AssertionError as error:
            assert "values" in str(error)
        finally:
            assert limit
        with open("x") as file:
            assert file.read()

        def inner():
            assert values
        return inner

    async def test_later(one):
        assert await one() == 1
        assert (yield one)

    def test_errors(a):
        if a:
            raise AssertionError("written by hand")
        if not a: raise AssertionError(a)
'''
WALRUS = """
    def test_walrus(a, b):
        assert (x := a) and x
        assert a == 1 and (y := b) == 2
        assert a < (z := b) < 3
        assert a and (a := b)
        assert f((w := a), w, k=b)
        assert not (v := a)
"""
SHADOWING = """
    def f(a, b):
        assert a < (a := 4) < a
        assert (b := a) and b == (b := 3)
        assert z(b, a, x=b)

    def g(a):
        assert a and (a := 2) == 2
        assert z(a)
"""


class Configuration:
    def __init__(self, hook):
        self.hook = hook

    def getini(self, name):
        return self.hook


def by_pytest(source, hook=False):
    source = textwrap.dedent(source)
    tree = ast.parse(source)
    rewrite_asserts(tree, source.encode(), "test_it.py", Configuration(hook))
    return tree


def by_model(source, walrus):
    tree = ast.parse(textwrap.dedent(source))
    rewrite_module(tree, walrus, True)
    return tree


def compiled(tree):
    return compile(tree, "test_it.py", "exec", dont_inherit=True)


def same(text, source):
    """Whether they are the same program; what is written in ``source`` across lines stands for itself."""
    return ast.dump(ast.parse(text)) == ast.dump(ast.parse(textwrap.dedent(source)))


def asserting(result):
    """The names of the code objects of which an assert is assumed to be one."""
    return {one.name for one in result.walk() if ASSUMPTION in one.verdict.assumptions}


@pytest.mark.parametrize("source", [SOURCE, WALRUS, SHADOWING, "x = 1\n", '"""Docstring."""\n'])
def test_the_model_rewrites_as_the_installed_pytest_does(source):
    dumped = ast.dump(by_pytest(source))
    assert dumped in [ast.dump(by_model(source, walrus)) for walrus in (SNAPSHOT, OVERWRITE)]


def test_asserts_come_back():
    result = analyze(compiled(by_pytest(SOURCE)))
    assert result.proven
    assert same(result.source, SOURCE)
    assert asserting(result) == {
        "<module>", "TestThings", "test_values", "test_operators", "test_blocks", "inner", "test_later",
    }  # fmt: skip


@pytest.mark.parametrize("walrus", [SNAPSHOT, OVERWRITE])
@pytest.mark.parametrize("source", [WALRUS, SHADOWING])
def test_named_expressions_come_back_from_every_pytest(walrus, source):
    result = analyze(compiled(by_model(source, walrus)))
    assert result.proven
    assert same(result.source, source)


def test_a_function_alone_has_the_same_text_and_verdict():
    whole = analyze(compiled(by_pytest(SOURCE)))
    for part in whole.walk():
        if part.name.startswith("test_"):
            alone = analyze(part.raw)
            assert (alone.verdict.exact, alone.verdict.assumptions) == (part.verdict.exact, part.verdict.assumptions)
            assert alone.source == part.source


class Tamper(ast.NodeTransformer):
    """Changes one detail of what pytest wrote."""

    def __init__(self, old, new):
        self.old, self.new = old, new

    def visit_Constant(self, node):
        return ast.copy_location(ast.Constant(self.new), node) if node.value == self.old else node

    def visit_Attribute(self, node):
        if node.attr == self.old:
            node.attr = self.new
        return self.generic_visit(node)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("py0", "py9"),
        ("==", "!="),
        ("%(py0)s == %(py2)s", "%(py0)s is %(py2)s"),
        ("assert %(py4)s", "%(py4)s failed"),
        ("_saferepr", "_repr"),
        ("_format_explanation", "_explain"),
    ],
)
def test_what_pytest_does_not_write_is_no_assert(old, new):
    source = "def f(a, b):\n    assert a == b\n"
    assert asserting(analyze(compiled(by_pytest(source)))) == {"<module>", "f"}
    tree = ast.fix_missing_locations(Tamper(old, new).visit(by_pytest(source)))
    changed = analyze(compiled(tree))
    assert asserting(changed) <= {"<module>"}
    assert "assert a == b" not in changed.source


def test_what_the_hook_for_passing_asserts_adds_is_kept():
    source = "def f(a):\n    assert a\n"
    assert "f" not in asserting(analyze(compiled(by_pytest(source, hook=True))))


def test_the_long_form_on_request(tmp_path, capsys):
    code = compiled(by_pytest("def f(a):\n    assert a\n"))
    assert asserting(analyze(code, settings=DEFAULT._replace(rewritten_asserts=True))) == set()
    assert "    assert a" in depyf.decompile(code)
    assert "    assert a" not in depyf.decompile(code, strict=False, rewritten_asserts=True)


def test_the_long_form_on_the_command_line(tmp_path, capsys):
    import importlib.util
    import marshal

    path = tmp_path / "test_it.pyc"
    code = compiled(by_pytest("def f(a):\n    assert a\n"))
    path.write_bytes(importlib.util.MAGIC_NUMBER + bytes(12) + marshal.dumps(code))
    assert main(["decompile", str(path)]) == 0
    assert "    assert a" in capsys.readouterr().out
    main(["decompile", "--no-strict", "--rewritten-asserts", str(path)])
    assert "    assert a" not in capsys.readouterr().out


def test_asserts_that_pytest_has_not_rewritten_assume_nothing():
    result = analyze(compiled(ast.parse("import _pytest.assertion.rewrite\ndef f(a):\n    assert a, 1\n")))
    assert result.proven
    assert asserting(result) == set()
