"""layout="author": what a module compiles to tells its lines and columns, and the text that comes back has them."""

from __future__ import annotations

import pytest

import depyf
from depyf.decompiler.bytecode import RawCode
from depyf.decompiler.bytecode.interpreters import find_interpreter
from depyf.decompiler.bytecode.versions import HOSTS
from depyf.decompiler.pipeline import analyze
from depyf.decompiler.proof.scaffold import compile_source

VERSIONS = [version for version in HOSTS if find_interpreter(version)]
HAVE_COLUMNS = [version for version in VERSIONS if version >= (3, 11)]

CASES = {
    "statements after blank lines": "import os\n\n\n\nx = os.name\n\n\ny = x\n",
    "two statements on a line": "a = b; c = d\ne = f\n",
    "a block on the line of its header": "if a: b()\nfor x in y: c(x); d(x)\n",
    "arguments over lines": "a = f(b,\n      c,\n      d(e,\n        g))\nh = i\n",
    "hanging arguments": "a = f(\n    b, c,\n    d\n)\nh = i\n",
    "parentheses over lines": "a = (b +\n     c)\nif (d and\n        e):\n    f()\n",
    "a backslash": "a = b + \\\n    c\nd = e\n",
    "needless parentheses": "def f(a):\n    if (a):\n        return (a)\n    return (a or 1) and 2\n",
    "squeezed operators": "a = b+c*d\ne=f\ng = h(i,j, k = l)\n",
    "a tuple without parentheses": "a, b = 1, 2\nfor c in 1, 2:\n    d()\n",
    "two columns": "if a:\n  b = c\n  if d:\n    e = f\n",
    "columns are bytes": "é = f('ü', g)\nwörter = h(é, i)\n",
    "chained calls": "a = (b.c(d)\n     .e(f)\n     .g())\n",
    "decorators": "@a\n@b(c,\n   d)\ndef f():\n    return g\n\n\n@h\nclass C:\n    i = j\n",
    "decorators in a class": "class C:\n\n    @a\n    def f(self):\n        return k\n",
    "a class": "class C(D,\n        e=f):\n\n    x = 1\n\n    def g(self, a,\n          b=c):\n        return a\n",
    "else far behind": "if a:\n    b()\n\nelse:\n    c()\n",
}


def laid_out(source: str, version: tuple[int, int]):
    return analyze(compile_source(source, version), layout="author")


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("version", HAVE_COLUMNS, ids=str)
def test_the_text_comes_back_where_there_are_columns(version, name):
    result = laid_out(CASES[name], version)
    assert result.source == CASES[name]
    for part in result.walk():
        assert part.verdict.identical and part.verdict.lines and part.verdict.columns, part.qualname


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("version", [v for v in VERSIONS if v not in HAVE_COLUMNS], ids=str)
def test_the_lines_come_back_where_there_are_lines(version, name):
    source = CASES[name]
    result = laid_out(source, version)
    assert all(part.verdict.identical and part.verdict.lines for part in result.walk()), result.source
    assert all(part.verdict.columns is None for part in result.walk())


def moved(code: RawCode) -> RawCode:
    """The code with nonsense in its line tables."""
    for part in code.walk():
        size = len(part.positions())
        part._positions = tuple((7 * n % 5 + 1, 7 * n % 5 + 1, 11 * n % 80, 11 * n % 80 + 3) for n in range(size))
    return code


@pytest.mark.parametrize("version", VERSIONS, ids=str)
def test_lines_that_lie_cost_no_verdict(version):
    for source in CASES.values():
        before = analyze(compile_source(source, version))
        after = analyze(moved(compile_source(source, version)), layout="author")
        assert [part.verdict.level for part in after.walk()] == [part.verdict.level for part in before.walk()]


def sample(a,
           b=1):

    c = [a,
         b]
    return c


def test_a_function_begins_in_the_first_line():
    lines = depyf.decompile(sample, layout="author").splitlines()
    assert lines[3:] == ["    c = [a,", "         b]", "    return c"]


def test_compact_is_the_default():
    result = analyze(sample)
    assert result.verdict.lines is None and result.verdict.columns is None
    assert result.source == analyze(sample, layout="compact").source


def test_an_unknown_layout_is_an_error():
    with pytest.raises(ValueError, match="compact, author"):
        analyze(sample, layout="pretty")
