"""Constants that were folded from expressions are where the compiler puts them, and what is dead leaves its traces.

Nothing but the position in `co_consts` may tell of them, so the code object counts: columns may differ.
"""

from __future__ import annotations

import pytest

from depyf.decompiler.bytecode.interpreters import find_interpreter
from depyf.decompiler.bytecode.versions import HOSTS
from depyf.decompiler.pipeline import analyze
from depyf.decompiler.proof.scaffold import compile_source

VERSIONS = [version for version in HOSTS if version >= (3, 14) and find_interpreter(version)]
CASES = {
    "sums of powers of two": "def f():\n    return a(2**64 + 2**32 - 1, 'b', 2 ** 63 - 44, 2 ** 63 + 44, 'c')\n",
    "an operand that is a constant elsewhere": (
        "def f(size, unit):\n    if size < 10 * 1024:\n        return g('%.1f', size)\n"
        "    return g('%.0f', size / 1024)\n"
    ),
    "floats": "def f():\n    return a(1.8*2**30, 'b', 1e16 + 4, 'c', 3.14159 + 2.71828 - 3.0 - 2.0, 'd')\n",
    "quotients in a tuple": "def f(t):\n    return a((-1/4, 3/4, 1/2), (t**3, t, 1.0))\n",
    "negative powers in a tuple": "def f():\n    a = (-(2 ** 31), 2 ** 31)\n    return a\n",
    "a shift after a minus": "def f():\n    return a(-1 << 31, -1 << 64)\n",
    "an inverted number": "def f():\n    return a(~2, -3)\n",
    "shifts of a small number": (
        "def f(a):\n    if a < 1 << 8:\n        return 1\n    elif a < 1 << 16:\n        return 2\n    return 3\n"
    ),
    "a sum after a minus": "def f():\n    return a(-(2+1), -2**32 - 1)\n",
    "a quotient that is a literal too": "def f():\n    return a(7 / 2, 3.5), None\n",
    "a quotient of integers": "def f():\n    return a(7 // 2, 3)\n",
    "repeated and added": (
        "def f():\n    return a(('b' * 9) + ', ' + ('c' * 20), 'd', b'\\xff' * 10 + b'\\xfe*\\x17@', 'e')\n"
    ),
    "repeated text that is long": "def f():\n    return a('e-mail: test@python.org or user@pycon.org. ' * 5, 'b')\n",
    "characters that are escaped": "def f():\n    return a('a' * 100 + '\\u0102', 'find', '\\u0102' + 'b' * 10, 'c')\n",
    "text over lines with a sum": (
        "def f():\n    return a(b'the first \\n' +\nb'''\n\n\\xa1\\xa2\n\nand the last\n''', 'b')\n"
    ),
    "a sum over lines with a product": (
        "def f():\n    return a('application/x;'\n             '\\tname=\"' + 'with spaces'*8 + '\"', 'b')\n"
    ),
    "a sum of which the first part is known": (
        "def f():\n    return a('\\n'*10 + (\n             'from here to there, '\n             'and back'), 'b')\n"
    ),
    "the last groups of digits": "def f():\n    a = 1672533296_123_456_789\n    return a, 'b'\n",
    "in a class": "class A:\n    B = 2048\n    C = 2048 + 128 + 64 + 12\n\n    def f(self):\n        pass\n",
    "sets": (
        "def f():\n    a = {('=on', True), ('=off', False), ('', True)}\n    return a, {'b', 'a', 'c', (1, 2)}\n"
    ),
    "a declaration of what is not read": (
        "def f():\n    a = b = 0\n\n    def g():\n        nonlocal a\n\n    def h():\n        nonlocal b\n"
        "        with c():\n            return 1\n    return g, h\n"
    ),
    "dead code": (
        "class A:\n    def f(self):\n        try:\n            raise\n        except B as b:\n"
        "            self.g(str(b))\n        else:\n            self.fail('not raised')\n\n"
        "    def g(self):\n        a = list(range(300))\n        if 0:\n            b = self.h(a)\n"
        "            c(b, 'd')\n            self.e = 4\n        return i(a)\n\n    def j(self):\n"
        "        k('l')\n        if False:\n"
        "            self.m(3)\n\n    def n(self):\n        if 0:\n            import o\n            p = o.q()\n"
    ),
    "dead code of generators": (
        "def f():\n    raise TypeError\n    yield True\n\n\nasync def g():\n    while True:\n        try:\n"
        "            await h(1)\n        except E:\n            pass\n    return\n    yield\n"
    ),
    "tests of constants": (
        "def f(a):\n    b(1)\n    if not __debug__:\n        return\n    with c(d):\n        e()\n\n\n"
        "def g():\n    if True:\n        raise ValueError('h')\n\n\ndef i():\n    while True:\n        yield b'j'\n"
        "        raise E('k')\n\n\ndef l():\n    assert True\n\n\ndef m(n):\n    for o in n:\n        if o:\n"
        "            return o\n    return None\n"
    ),
    "tests beside constants": (
        "class A:\n    def f(self, a):\n        assert not a.b\n        if __debug__ and a.c >= 4:\n"
        "            a.d('e')\n        a.g = True\n\n    def h(self):\n        def i():\n"
        "            if True: raise E('j')\n        return i\n\n    def k(self):\n        if l is not None:\n"
        "            if True:\n                if not m:\n                    n()\n                o()\n"
    ),
    "dead stores": (
        "def f(a, b):\n    c = b\n    if 0:\n        d, e = divmod(a, g[c][0])\n    else:\n        h, i = g[c]\n"
        "        d = k(a)\n        e = a\n    return divmod(d, e)\n"
    ),
    "numbers with an operand that is early": (
        "def f(a):\n    b = a + (7.0 - 0.5)\n    c = a * 7.0\n    return b, c, d(8 * 'e' + 'g', 'h')\n"
        "\n\ndef i():\n    return j * ((2.0 + 3.0) - (2.0 + 3.0)), 'k'\n"
    ),
    "a body beside a with statement": (
        "def f():\n    a = b()\n    with c.d(a, e=g): pass\n\n    a.h(1)\n"
        "    with c as i, \\\n         d as j: pass\n\n    with c:\n        pass\n    return a\n"
    ),
    "operands below each other": (
        "def f(a):\n    b = a[:12]\n    if b == 'c' or b.d('c-'):\n        return 'c'\n    if b in ('e', 'f') or \\\n"
        "       b.d(('g', 'h')):\n        return 'i'\n    return a\n"
    ),
    "a loop that begins an endless one": (
        "def f():\n    a = []\n    while True:\n        while len(a) < 4:\n            a.append(1)\n        b = c(a)\n"
        "        if b == 1:\n            yield b\n            continue\n        elif b == 4:\n            return\n"
        "        a = a[1:]\n"
    ),
    "a template string over lines": 'def f(a):\n    return t"""{\n  a\n}""", g(1,\n             2)\n',
    "template strings with blanks": (
        "def f(x):\n    return a(t'{x }', t'{  x  }',\n             t'{ x !r}', t'{ x :.2f}')\n"
    ),
    "a text with backslashes below": (
        "def f():\n    a('b', '''\\\n    0: c \\\\x94 d\n    1: e\n''')\n\n\nclass G:\n    def h(self):\n        pass\n"
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_code_object_comes_back(name: str) -> None:
    for version in VERSIONS:
        result = analyze(compile_source(CASES[name], version), layout="author")
        assert all(part.verdict.identical for part in result.walk()), (version, result.source)
