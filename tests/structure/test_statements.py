"""What the structure room finds in small functions."""

from __future__ import annotations

import pytest

from depyf.decompiler import decompile

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
