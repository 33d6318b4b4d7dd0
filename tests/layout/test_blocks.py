"""Unchanged statements are joined only where that can't change what is written."""

from __future__ import annotations

import ast
from typing import Dict, List, Optional, Tuple

import pytest

from depyf.decompiler.layout.matching.blocks import joined
from depyf.decompiler.layout.matching.text import Text
from depyf.decompiler.layout.matching.tokens import cut, logical_lines
from depyf.decompiler.layout.matching.unchanged import Unchanged


def joined_lines(text: str, downs: List[Optional[int]], changed: Tuple[int, ...] = ()) -> List[str]:
    """The joined statements of ``text``, the statements of which are so many lines further down; None if unknown."""
    rows: Dict[int, int] = {number: down for number, down in enumerate(downs) if down is not None}
    shifts = {number: (down, 0) for number, down in rows.items() if number not in changed}
    logical = logical_lines(text, free_fields=False)
    assert len(logical) == len(downs)
    moved = Unchanged(shifts, {}, set(changed), [set(rows)], rows)
    found, known = joined(text, logical, moved)
    assert known.of_pair == [{n for n, one in enumerate(found) for row in rows if one.line <= row + 1 <= one.end_line}]
    return [text[one.at : one.end] for one in found]


CHOICE = "if a:\n    b()\nelse:\n    c()\nd()\n"


@pytest.mark.parametrize(
    "text, downs, changed, wanted",
    [
        ("a()\nb()\nc()\n", [0, 0, 1], (), ["a()\nb()", "c()"]),
        (CHOICE, [2, 2, None, 2, 2], (), [CHOICE[:-1]]),
        # The last clause is further down, so the statement is not whole: its blocks are.
        (CHOICE, [2, 2, None, 3, 3], (), ["if a:", "b()", "else:", "c()", "d()"]),
        ("def f():\n    a()\n    b()\n    c()\n", [0, 0, 0, 1], (), ["def f():", "a()\n    b()", "c()"]),
        ("@a\ndef f():\n    b()\nc()\n", [0, 0, 1, 1], (), ["@a", "def f():", "b()", "c()"]),
        ("@a\ndef f():\n    b()\nc()\n", [1, 1, 1, 1], (), ["@a\ndef f():\n    b()\nc()"]),
        # These share a row with what follows or precedes: `a(); b()`.
        ("a()\nb()\nc()\n", [0, -1, -1], (), ["a()", "b()", "c()"]),
        ("z()\na()\nb()\nc()\n", [0, 0, -1, -1], (), ["z()", "a()", "b()", "c()"]),
        # A statement without a position in between needs a row, too.
        ("a()\nglobal b\nb()\nc()\n", [0, None, 0, 0], (), ["a()", "global b", "b()\nc()"]),
        ("a()\nglobal b\nb()\nc()\n", [0, None, -1, -1], (), ["a()", "global b", "b()", "c()"]),
        ("a()\nb(1)\nc()\nd()\n", [0, 0, 0, 0], (1,), ["a()", "b(1)", "c()\nd()"]),
        # A string alone may be a docstring, which has other spellings.
        ('"""a"""\nb()\nc()\n', [0, 0, 0], (), ['"""a"""', "b()\nc()"]),
    ],
)  # fmt: skip
def test_joined(text: str, downs: List[Optional[int]], changed: Tuple[int, ...], wanted: List[str]) -> None:
    assert joined_lines(text, downs, changed) == wanted


def test_other_columns_are_not_joined() -> None:
    text = "a()\nb()\n"
    logical = logical_lines(text, free_fields=False)
    for column in (0, 2):
        shifts = {0: (1, column), 1: (1, column)}
        found, _ = joined(text, logical, Unchanged(shifts, {}, set(), [], {0: 1, 1: 1}))
        assert len(found) == (1 if column == 0 else 2)


def test_functions_without_anything_unknown_have_no_body_where_tokens_are_on_lines_of_their_own() -> None:
    text = "a()\nclass B:\n    c = 1\n    def d():\n        if e:\n            f()\ng(\n)\n"
    logical = logical_lines(text, free_fields=False)
    moved = Unchanged(dict.fromkeys(range(6), (0, 0)), {}, {6}, [], dict.fromkeys(range(7), 0))
    found, known = joined(text, logical, moved)
    exploded = Text(cut(text, free_fields=False, logical=found, whole=known.shifts)).explode()
    wanted = "a()\nclass B:\n    c = 1\n    def d():\n        pass\ng()\n"
    assert ast.dump(ast.parse(exploded)) == ast.dump(ast.parse(wanted))
    nested = "def z():\n" + "".join(f"    {row}\n" for row in text.split("\n"))
    logical = logical_lines(nested, free_fields=False)
    moved = Unchanged(dict.fromkeys(range(1, 7), (0, 0)), {}, {0, 7}, [], dict.fromkeys(range(8), 0))
    found, known = joined(nested, logical, moved)
    exploded = Text(cut(nested, free_fields=False, logical=found, whole=known.shifts)).explode()
    assert ast.dump(ast.parse(exploded)) == ast.dump(ast.parse(nested))  # its variables may be those of the outer one
