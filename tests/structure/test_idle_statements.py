"""NOPs that have a line to themselves, and the statements that they are left of."""

from __future__ import annotations

import pytest

from depyf.decompiler.bytecode import Instruction
from depyf.decompiler.printing.printer import print_tree
from depyf.decompiler.structure import write_idle_statements
from depyf.decompiler.syntax import nodes


def call(name, line, column):
    statement = nodes.Expr(nodes.Call(nodes.Name(name)), line=line)
    statement.column = column
    return statement


def written(*position, inside=4):
    """The text of two calls in column 4 and ``inside``, with what is written for a NOP between them."""
    body = [call("a", 2, 4), call("b", 6, inside)]
    instructions = [
        Instruction("POP", None, line=2, position=(2, 2, 4, 7)),
        Instruction("NOP", None, line=position[0], position=position),
        Instruction("POP", None, line=6, position=(6, 6, inside, inside + 3)),
    ]
    changed = write_idle_statements(body, instructions)
    text = print_tree(nodes.Module(body))
    assert changed == (text != "a()\nb()\n")
    return text


@pytest.mark.parametrize(
    ("position", "text"),
    [
        ((3, 3, 4, 8), "a()\npass\nb()\n"),
        ((3, 3, 4, 7), "a()\n...\nb()\n"),
        ((3, 4, 4, 7), "a()\npass\nb()\n"),  # a string over lines
        ((3, 3, 7, 20), "a()\nif not __debug__:\n    pass\nb()\n"),
        ((3, 3, 7, 12), "a()\nif False:\n    pass\nb()\n"),
        ((3, 3, 10, 15), "a()\nwhile False:\n    pass\nb()\n"),
        ((3, 3, 13, 14), "a()\nb()\n"),  # of a `case _`
        ((3, 3, 8, 12), "a()\nb()\n"),  # in a body that is not there
        ((3, 6, 4, 11), "a()\nb()\n"),  # an `if` and its body (3.11)
        ((2, 2, 4, 8), "a()\nb()\n"),  # on the line of a call
    ],
)
def test_by_its_place(position, text):
    assert written(*position) == text


@pytest.mark.parametrize(
    ("position", "text"),
    [
        ((3, 3, 7, 16), "a()\nif __debug__:\n    b()\n"),
        ((3, 3, 7, 11), "a()\nif True:\n    b()\n"),
        ((5, 5, 7, 8), "a()\nif 1:\n    b()\n"),
        ((3, 3, 7, 8), "a()\nif 0:\n    pass\nelse:\n    b()\n"),
    ],
)
def test_what_is_indented_after_a_test_is_inside(position, text):
    assert written(*position, inside=8) == text
