"""What the structure room finds in small functions."""

from __future__ import annotations

import pytest

from depyf.decompiler import decompile
from depyf.decompiler.pipeline import analyze

BODIES = [
    "while a:\n    if b():\n        break\nelse:\n    c()",
    "while True:\n    if a():\n        break\n    b()",
    "for x in a:\n    if x:\n        break\nelse:\n    b()",
    "if a:\n    b()\nelif c:\n    c()\nelse:\n    a()",
    "for x in a:\n    for y in b:\n        if y:\n            break\n    else:\n        continue\n    break",
    "for x in a:\n    while b:\n        if c:\n            return x\n        b(x)",
    "try:\n    a()\nexcept ValueError:\n    b()\nelse:\n    c()",
    "for x in a:\n    try:\n        b(x)\n    finally:\n        c(x)",
]
END = "\na(b, c)\nb(c)\nreturn c"
"""So much follows that no compiler makes copies of it, which have another shape each time."""


@pytest.mark.parametrize("body", BODIES)
def test_statements_come_back(body):
    text = "def f(a, b, c):\n" + "\n".join("    " + line for line in (body + END).splitlines())
    names = {}
    exec(text, names)
    assert decompile(names["f"]).rstrip() == text


def test_an_exit_that_was_copied_is_not_written_again():
    names = {}
    exec("def f(a, b, c):\n    if (not b if a else c):\n        return 1\n    return 2", names)
    last = decompile(names["f"]).rstrip().splitlines()[-2:]
    assert not all(line.startswith("    return") for line in last)


AT_THE_END = [
    "a.b = b and 0 < c < 9",
    "a.b = b or c or 0 < c < 9 < a",
    "x = 0 < c < 9 and 2 < a < 7",
    "for x in a:\n    if b or c < 4 and a <= c != b:\n        break\n    b()",
    "for x in a:\n    if b and c or a <= c != b:\n        break\n    b()",
    "for x in a:\n    try:\n        if b:\n            break\n        c()\n    except E:\n        pass\nreturn -1",
    "for x in a:\n    try:\n        if b:\n            break\n    finally:\n        c()\nreturn -1",
    "for x in a:\n    try:\n        b()\n        break\n    finally:\n        c()\nreturn -1",
    "while a:\n    try:\n        b()\n    except ValueError:\n        break\n    finally:\n        c()\nreturn 1",
]


@pytest.mark.parametrize("body", AT_THE_END)
def test_before_the_copies_of_a_short_exit(body):
    """What follows is so short that compilers copy it to wherever control would jump to it."""
    text = "def f(a, b, c):\n" + "\n".join("    " + line for line in body.splitlines())
    names = {}
    exec(text, names)
    assert decompile(names["f"]).rstrip() == text


def test_a_value_at_the_end_of_a_module():
    found = analyze(compile("x = a and 0 < b < 9\n", "<text>", "exec"))
    assert found.source.strip() == "x = a and 0 < b < 9"
