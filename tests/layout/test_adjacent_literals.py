"""layout="author" up to CPython 3.10, which has no columns: where strings are split that are on several rows."""

from __future__ import annotations

import pytest

from depyf.decompiler.bytecode.interpreters import find_interpreter
from depyf.decompiler.bytecode.versions import HOSTS
from depyf.decompiler.layout.literals.pieces import split
from depyf.decompiler.pipeline import analyze
from depyf.decompiler.proof.scaffold import compile_source

VERSIONS = [version for version in HOSTS if find_interpreter(version) and version < (3, 11)]

ROWS = "".join(f"    {chr(code)!r}\n" for code in range(ord("a"), ord("a") + 80))
TABLE = f"a = (\n    '\\x00'\n    '\\u2264'\n{ROWS.encode('ascii', 'backslashreplace').decode()})\n\nb = c\n"
MESSAGES = """\
def f(a):
    raise E('The first argument of this function is not what it should be, which '
            'is a number: %r, of type %s.',
            a, b)
"""
INDENTED = '''\
a(b(\"\"\"\\
        a line of this text
        another line of it
    the last line\"\"\"),
  h,

  i)
'''


@pytest.mark.parametrize("text", [TABLE, MESSAGES], ids=["table of characters", "wide string"])
def test_adjacent_literals_explain_the_rows_below_a_string(text):
    for version in VERSIONS:
        result = analyze(compile_source(text, version), layout="author")
        mine = result.source.splitlines()
        assert all(part.verdict.identical and part.verdict.lines for part in result.walk()), result.source
        strings = [line.strip() for line in text.splitlines() if line.strip().startswith(("'", "raise"))]
        ours = [line.strip().rstrip(")") for line in mine if line.strip().startswith(("'", "raise"))]
        assert ours == [one.rstrip(")") for one in strings], version


def test_indented_text_stays_in_triple_quotes():
    for version in VERSIONS:
        source = analyze(compile_source(INDENTED, version), layout="author").source
        assert '"""' in source and "\n        another line of it\n" in source, version


def test_lines_that_are_too_long_are_split_after_words():
    words = "word " * 20
    assert split(f"{words}\nmore\n", 3, 77) == ["word " * 15, "word " * 5 + "\n", "more\n"]
    assert split(b"a\n" + words.encode(), 4, 77) == [b"a\n", b"word " * 9, b"word " * 9, b"word " * 2]
