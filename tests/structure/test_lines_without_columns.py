"""What lines alone tell of the words, where there are no columns: up to CPython 3.10."""

from __future__ import annotations

import pytest

from depyf.decompiler.bytecode.interpreters import find_interpreter
from depyf.decompiler.bytecode.versions import HOSTS
from depyf.decompiler.pipeline import analyze
from depyf.decompiler.proof.scaffold import compile_source

ELSE = "def f(a, b):\n    if a:\n        return 1\n    elif b:\n        return 2\n    else:\n        raise a\n"
NO_ELSE = "def f(a, b):\n    if a:\n        return 1\n    if b:\n        return 2\n    return 3\n"
PASS = "def f(a):\n    a()\n    pass\n    if a:\n        a.b()\n    else:\n        pass\n"
BREAK = "def f(a):\n    while True:\n        if a():\n            break\n        a.b()\n    return a.c\n"
HANDLER = (
    "def f(a):\n    while True:\n        try:\n            a()\n        except StopIteration as b:\n"
    "            c = b.value\n            break\n    return c\n"
)
DOCUMENTED = (
    "def f(a):\n    '''Doc.'''\n    try:\n        a()\n    except ValueError:\n        pass\n    else:\n"
    "        a('b')\n"
)


@pytest.mark.parametrize(
    ("text", "since"),
    [
        pytest.param(ELSE, (3, 8), id="an else clause behind a row"),
        pytest.param(NO_ELSE, (3, 8), id="no else clause without one"),
        pytest.param(PASS, (3, 10), id="a NOP alone on its line"),
        pytest.param(BREAK, (3, 10), id="a NOP before a return"),
        pytest.param(HANDLER, (3, 10), id="a handler left on its own line"),
        pytest.param(DOCUMENTED, (3, 10), id="None behind other constants"),
    ],
)
def test_lines_tell_of_the_words(text, since):
    for version in (one for one in HOSTS if since <= one < (3, 11) and find_interpreter(one)):
        result = analyze(compile_source(text, version), layout="author")
        assert result.source.replace('"""', "'''") == text, version
        assert all(part.verdict.identical and part.verdict.lines for part in result.walk())
