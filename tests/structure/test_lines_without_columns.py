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
BELOW = (
    "def f(a, b):\n    while a():\n        if a.b == 1:\n            a.c()\n        elif a.b == 2:\n"
    "            if b and not a.d:\n                b.e()\n            break\n        else:\n            b.f()\n"
    "        if b:\n            if a:\n                a.g()\n            else:\n                b.g()\n"
    "            break\n        a.h(b)\n    return b\n"
)
TWICE = (
    "def f(a, b):\n    while a():\n        if b:\n            if a.b:\n                b.c()\n                break\n"
    "            break\n        if a.d:\n            if b.e:\n                b.f()\n                break\n"
    "            else:\n                break\n        a.g(b)\n    return b\n"
)
CONTINUE = (
    "def f(a, b):\n    for c in a:\n        if c.d:\n            if b and not b(c):\n                if b.e:\n"
    "                    c.f()\n                continue\n            b = c.g\n            if b:\n"
    "                c.h()\n            b.i()\n"
)
IN_ELSE = (
    "def f(a, b):\n    c = None\n    try:\n        while True:\n            d, e = a()\n            if d in b:\n"
    "                continue\n            elif d == 3:\n                if c:\n                    break\n"
    "                c = d\n            elif d == 4 and e == b.g:\n                d, e = a()\n"
    "                if d != 5 or e != b.h:\n                    break\n                while d == 5:\n"
    "                    if d != 6 or e != c:\n                        break\n                    d, e = a()\n"
    "            else:\n                break\n    except StopIteration:\n        pass\n    return c\n"
)
AT_END = (
    "def f(a):\n    while True:\n        b = a()\n        if b is None:\n            raise ValueError(1)\n"
    "        if b == 1:\n            assert b.c == 2\n            break\n"
    "\n\ndef g(a):\n    while True:\n        b = a()\n        if b:\n            continue\n"
    "        if not a.c(b):\n            a.d(b)\n            break\n    a.e()\n    return 3\n"
)
BESIDE = (
    "def f(a, b):\n    if a is not None:\n        while True:\n            if a.c:\n                a = a.d\n"
    "                continue\n            if b:\n                if a.e:\n                    c = a.f\n"
    "                    if c in b:\n                        break\n                    b.add(c)\n"
    "                    continue\n            break\n        if a.g:\n            a.h()\n    return a\n"
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
        pytest.param(CONTINUE, (3, 8), id="a continue below an if"),
        pytest.param(BESIDE, (3, 8), id="a break before another one"),
    ],
)
def test_lines_tell_of_the_words(text, since):
    for version in (one for one in HOSTS if since <= one < (3, 11) and find_interpreter(one)):
        result = analyze(compile_source(text, version), layout="author")
        assert result.source.replace('"""', "'''") == text, version
        assert all(part.verdict.identical and part.verdict.lines for part in result.walk())


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(BELOW, id="below an if"),
        pytest.param(TWICE, id="in an if and below"),
        pytest.param(IN_ELSE, id="in an else clause"),
        pytest.param(AT_END, id="at the end of a loop"),
    ],
)
def test_dead_jumps_tell_where_a_break_was(text):
    """Up to 3.9 tests jump past a ``break``, and dead code is kept."""
    for version in (one for one in HOSTS if one < (3, 10) and find_interpreter(one)):
        result = analyze(compile_source(text, version), layout="author")
        assert result.source == text, version
        assert all(part.verdict.identical and part.verdict.lines for part in result.walk())
