"""layout="author": which quotes an author uses shows in where the parentheses of calls are closed."""

from __future__ import annotations

import pytest

from depyf.decompiler.bytecode.interpreters import find_interpreter
from depyf.decompiler.bytecode.versions import HOSTS
from depyf.decompiler.layout.quotes import usual_quote
from depyf.decompiler.pipeline import analyze
from depyf.decompiler.proof.scaffold import compile_source

VERSIONS = [version for version in HOSTS if find_interpreter(version)]
HAVE_COLUMNS = [version for version in VERSIONS if version >= (3, 11)]

FORMATTED = """\
def a(b, c):
    d = e(
        b"f",
        "it's",
        'say "g"',
        r"\\d+ {}",
        f"{c['h']} of {b!r}",
        ("i", "j"),
    )
    k(
        "l\\t" if c else "",
        {"m": "n"},
    )
    return d
"""
HANGING = """\
def a(b, c):
    d = e('f',
          f'{c["g"]}',
          'h')
    i(
        'j',
        k)
    l(
        'm',
        'n',
    )
    return d
"""


@pytest.mark.parametrize("text", [FORMATTED, HANGING], ids=["formatted", "hanging"])
def test_strings_come_back_in_the_quotes_of_the_author(text: str):
    assert HAVE_COLUMNS
    for version in HAVE_COLUMNS:
        result = analyze(compile_source(text, version), layout="author")
        assert result.source == text, version
        assert all(one.verdict.identical and one.verdict.columns for one in result.walk())


def test_one_call_says_nothing():
    for version in HAVE_COLUMNS:
        assert usual_quote(compile_source("a(\n    b,\n)\n", version)) == "'"
        assert usual_quote(compile_source("a(\n    b,\n)\nc(\n    d,\n)\n", version)) == '"'


def test_three_displays_tell_where_calls_do_not():
    """Constants that are folded to one are a display; the default values of a function have its position."""
    display = "a = (\n    'b',\n    'c',\n)\n"
    aligned = "a = ['b',\n     c]\n"
    defaults = "def a(b='c',\n      d='e'):\n    pass\n"
    for version in HAVE_COLUMNS:
        assert usual_quote(compile_source(display * 2, version)) == "'"
        assert usual_quote(compile_source(display * 3 + defaults, version)) == '"'
        assert usual_quote(compile_source(display * 3 + aligned, version)) == "'"
        assert usual_quote(compile_source(display * 3 + "f(b,\n  c)\nf(d,\n  e)\n", version)) == "'"


def test_a_statement_that_ends_with_a_parenthesis_is_no_call():
    """A class is made by a call, and a failing assertion too: their position is that of the whole statement."""
    text = "class A:\n    b = (\n        c\n    )\n\nassert d, (\n    e\n    + f\n)\ng(\n    h,\n)\n"
    for version in HAVE_COLUMNS:
        assert usual_quote(compile_source(text, version)) == "'"
        assert usual_quote(compile_source(text + "i(\n    j,\n)\n", version)) == '"'


def test_functions_without_any_bracket_over_rows_may_be_formatted():
    """Functions in expressions and comprehensions, which some versions compile as functions, say nothing."""
    for version in HAVE_COLUMNS:
        assert usual_quote(compile_source("def f(a):\n    return a\n", version)) == '"'
        assert usual_quote(compile_source("f = lambda a: [b for b in a]\n", version)) == "'"
        assert usual_quote(compile_source("def f(a):\n    return g(a,\n             b)\n", version)) == "'"


def test_annotations_tell_where_there_are_no_columns():
    for version in VERSIONS:
        assert usual_quote(compile_source("def f(a: int):\n    return a\n", version)) == '"'
        without = usual_quote(compile_source("def f(a):\n    return a\n", version))
        assert without == ('"' if version in HAVE_COLUMNS else "'")


@pytest.mark.parametrize("more", ["def f(b: int):\n    pass\n", "f'{b}'\n"], ids=["annotations", "formatted strings"])
def test_one_call_tells_with_what_only_newer_code_has(more: str):
    for version in HAVE_COLUMNS:
        assert usual_quote(compile_source("a(\n    b,\n)\n" + more, version)) == '"'
        assert usual_quote(compile_source("a(b,\n    c)\n" + more, version)) == "'"


def test_a_with_statement_is_no_call():
    """Its exit function is called at the position of the whole statement, on 3.11."""
    text = "def f(a):\n    with a:\n        b()\n        if a:\n            return c()\n"
    for version in HAVE_COLUMNS:
        assert usual_quote(compile_source(text, version)) == '"'


def test_compact_text_is_in_single_quotes():
    for version in HAVE_COLUMNS:
        source = analyze(compile_source(FORMATTED, version)).source
        assert "('i', 'j')" in source, version
