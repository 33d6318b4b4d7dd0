"""A docstring that the compiler took the indentation from is printed with one, where it is taken away again."""

from __future__ import annotations

import pytest

from depyf.decompiler.printing.string_text import docstring_text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("one", '"""one"""'),
        ("one\n\ntwo\n  three\n", '"""one\n\n    two\n      three\n    """'),
        ("\none\n", '"""\n    one\n    """'),
        ("one\n", '"""one\n"""'),  # nothing tells how far the last line was indented
        ("one\n  two\n", '"""one\n  two\n"""'),  # no compiler leaves that
        ("one\n\ttwo\n", '"""one\n\\ttwo\n"""'),  # nor that: tabs become blanks
        (" one\ntwo", '""" one\ntwo"""'),
        (r"a \d", r'r"""a \d"""'),
        ("a \\d\n\nb\n", 'r"""a \\d\n\n    b\n    """'),
        ("a \\d\x00", r'"""a \\d\x00"""'),
        ("a \\", r'"""a \\"""'),
    ],
)
def test_indented_where_the_compiler_takes_it_away(value, text):
    assert docstring_text(value, "    ") == text
