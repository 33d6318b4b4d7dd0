"""layout="author": what a module compiles to tells its lines and columns, and the text that comes back has them."""

from __future__ import annotations

import ast
import random

import pytest

import depyf
from depyf.decompiler.bytecode import RawCode
from depyf.decompiler.bytecode.interpreters import HOST_VERSION, find_interpreter
from depyf.decompiler.bytecode.versions import HOSTS
from depyf.decompiler.layout import lay_out
from depyf.decompiler.layout.lay_out import Layout
from depyf.decompiler.layout.matching.text import Text
from depyf.decompiler.layout.matching.tokens import cut
from depyf.decompiler.layout.writing.item import Item
from depyf.decompiler.pipeline import analyze
from depyf.decompiler.proof import Level
from depyf.decompiler.proof.scaffold import compile_source

VERSIONS = [version for version in HOSTS if find_interpreter(version)]
HAVE_COLUMNS = [version for version in VERSIONS if version >= (3, 11)]

CASES = {
    "functions on one line that return None": (
        "def a(b): return None\n\n\nclass C:\n    def d(self): return None\n    async def e(f, g=1): return None\n"
        "    def h(self): pass\n"
    ),
    "a test of which the second row begins one column after the first": (
        'def a(b, c):\n    d = b.e\n\n    if "f" in c \\\n     or c.g is not None and c.g(d):\n\n        def h():\n'
        "            i = c.j - 1\n            return d[i] > 0\n\n        if h() and d:\n            b.k = 1\n"
        "            return\n\n        c.l()\n    elif not b.m:\n        b.k = 2\n    else:\n        c.n()\n"
    ),
    "statements after blank lines": "import os\n\n\n\nx = os.name\n\n\ny = x\n",
    "constants folded in displays": (
        "for a in (2**31-1, 2**31, 2**31+1):\n    b(a)\nfor a in 2**31, 2**63:\n    b(a)\n"
        "c = d in (0xffff, 0x1234, 0xabcd)\nfor e in (b'ab', b'c', b'd' * 20):\n    b(e)\n"
        "for f in (2 ** 64 + 1, 2 ** 127 - 1, -2**64, -2 ** 127):\n    b(f)\nc = d in (10**6, 10**9)\n"
        "for g in (-2**31-1, 2**31-1, -2**31+1):\n    b(g)\n"
    ),
    "a decorated coroutine on one line": "class A:\n    @b\n    async def c(d): pass\n\n    @b\n    def e(d): pass\n",
    "unpacked tuples in parentheses": (
        "def a(b, c):\n    d, e = (f(19), b)\n    d, e = g(1), b\n    b.d, e = (b, c)\n    (d, e) = h = (b.i, c.j)\n"
        "    d, e = (b.k(c,\n                c), c)\n    l(m=(b, c))\n"
    ),
    "repeated parts": (
        "a.b(0, '\\u20ac\\0')\nc.d(e('f', 4), (b'f\\0', 3))\nfor g in (20, 50) * 3:\n    h(g)\n"
        "i = [{'j': ('.k.1',)*10}]\nl('foo bar\\n'*3 + '\\n')\nm = n + \\\n    [0., 1., -1.]\n"
    ),
    "products of three factors": (
        "a = b(5 * 10 ** 9)\nc = d(24 * 60 * 60)\ne = f(3600)\ng = h(3 * 2**40)\ni = j(5 * 1024 * 1024)\n"
        "k = l(b'I\\xfe\\xdc\\xba\\x98\\x76\\x54\\x32\\x10')\nassert m <= 2 * 24 * 3600\n"
    ),
    "a declaration where no line is free at the top": (
        'def a(b):\n    if b == "d":\n        global d\n        from .e import d\n        return d\n    raise f(b)\n'
    ),
    "a test over lines in a handler before else": (
        "def a():\n    for b in c:\n        try:\n            d()\n        except E:\n"
        "            if (not f and b != _VAR\n                    and param):\n"
        "                raise G\n        else:\n            raise H\n"
    ),
    "an f-string of many parts over lines": (
        "a(f'b {c} d {c}, '\n" + "  f'{c}1{c}2{c}3{c}, '\n" * 4 + "  f'{c}\\n', d)\n"
    ),
    "numbers as most people write them": (
        "def a(self):\n    return (-1, b.C, -2**31 - 1, 2**31, -2**63 - 1, 2**63, 2**64)\n\n\n"
        "c(-2**31 - 1, -(1 << 40), 1 << 64, 2**64)\nd(1000 + 4, 1<<100)\ne(10 * 60)\nf(1e-3, 5e-3, .01)\n"
    ),
    "tests of not and a parenthesis": (
        "def a(b):\n    if not (200 <= b <= 299):\n        raise c\n    if not (b.d and e):\n        raise c\n\n\n"
        "def f(b):\n    if b.g and h:\n        if not (200 <= b.i()[0] <= 299):\n            (j, k) = l()\n"
        "            if not (b < 2):\n                raise c\n"
    ),
    "ifs that are all of another one's body": (
        "def a(b):\n    if b and c:\n        if d < e:\n            f()\n    if b or c:\n        if d <= e <= g:\n"
        "            f()\n    for b in c:\n        if b.d and not e and \\\n                g:\n            f()\n"
    ),
    "repeated strings with more": (
        "a = b('The quick brown fox jumps over the lazy dog.\\n'*35, ('foobar' * 666) + 'foob')\n"
        "c(('d\\0f',), b'helloworld'+b'\\0'*10)\n"
    ),
    "two statements on a line": "a = b; c = d\ne = f\n",
    "a block on the line of its header": "if a: b()\nfor x in y: c(x); d(x)\n",
    "arguments over lines": "a = f(b,\n      c,\n      d(e,\n        g))\nh = i\n",
    "hanging arguments": "a = f(\n    b, c,\n    d\n)\nh = i\n",
    "parentheses over lines": "a = (b +\n     c)\nif (d and\n        e):\n    f()\n",
    "a backslash": "a = b + \\\n    c\nd = e\n",
    "needless parentheses": "def f(a):\n    if (a):\n        return (a)\n    return (a or 1) and 2\n",
    "squeezed operators": "a = b+c*d\ne=f\ng = h(i,j, k = l)\n",
    "a tuple without parentheses": "a, b = 1, 2\nfor c in 1, 2:\n    d()\n",
    "strings of which only the place is left": (
        'class C:\n    """What it is."""\n    a = b\n    """...\n\n    """\n    c = d\n    """...   """\n\n'
        '    def e(self):\n        if f:\n            """...\n            """\n            if g and h:\n'
        "                i()\n        j = k\n        '...  '\n        return j\n\n"
        'class D:\n    a = b\n    """... """\n\n"""...\n\n"""\nfor l in m:\n    \'... \'\n\n'
        'def n():\n    o = p\n    """... """\n'
    ),
    "commas at the end of an index": (
        "a = b[\n    c[d],\n    e[d],\n]\nf = g[\n    1,\n    2,\n]\nh = i[\n    j.k,\n    l.m\n]\nn = o[(p, q)]\n"
        "r = s[t, u,]\nx = [\n    1,\n    2]\ny = [{'a': z\n      }]\n"
        "def v(w: a[\n    b,\n    c,\n]) -> d[\n    e, f,\n]: pass\n"
    ),
    "formatted strings with line ends side by side": (
        "a = b(\n    f'c {d}\\n'\n    f'e {f}\\n'\n    f'g {h}',\n    i)\n"
        "j = k('l m\\np '\n      f'q {r}\\n{s}')\n"
        "j = k('l m '\n      f'n {o}\\n'\n      f'\\n'\n      'p q')\n"
    ),
    "imports in parentheses": "from a import (b, c as d)\nfrom e import f, g\nfrom h import (i)\nj = k\n",
    "annotations that are strings": (
        "from __future__ import annotations\n\ndef a(b: c.d,\n      e: f.g,\n      h: i[j]) -> None:\n    k()\n"
    ),
    "two columns": "if a:\n  b = c\n  if d:\n    e = f\n",
    "columns are bytes": "é = f('ü', g)\nwörter = h(é, i)\n",
    "chained calls": "a = (b.c(d)\n     .e(f)\n     .g())\n",
    "decorators": "@a\n@b(c,\n   d)\ndef f():\n    return g\n\n\n@h\nclass C:\n    i = j\n",
    "decorators in a class": "class C:\n\n    @a\n    def f(self):\n        return k\n",
    "a class": "class C(D,\n        e=f):\n\n    x = 1\n\n    def g(self, a,\n          b=c):\n        return a\n",
    "numbers": "a = 0xff\nb = 0o17\nc = 1_000\nd = 1e3\ne = .5\nf = 60 * 60\n",
    "powers": (
        "def f(n):\n    a = n+2**63\n    b = -2**20\n    c = n * 2.0**53\n    d = 1 << 40\n"
        "    return ~(n+2**64) & 0x01\n"
    ),
    "negative numbers": "a = -1e300\nb = c(-1.5e-100, -.5)\nd = 0.88137358701954305\n",
    "nothing": "",
    "strings": "a = r'\\d'\nb = '\\x41\\x42'\nc = 'it\\'s'\nd = '*' * 70\n",
    "a string over lines": 'a = """x\ny\n"""\nb = c\n',
    "strings side by side": "a = ('one '\n     'two')\nb = f('three '\n      'four', c)\n",
    "tabs": "if a:\n\tb()\n\tif c:\n\t\td()\n",
    "a continue on a line of its own": (
        "for a in b:\n    if a:\n        c(a)\n        continue\n    if d:\n        e()\n"
        "    else:\n        f()\n    g()\n"
        "for a in b:\n    if a:\n        for c in d:\n            e(c)\n        continue\n"
        "    if f:\n        g()\n    h()\n"
    ),
    "no line for an else": (
        "def f(a, b):\n    while a:\n        if b.c:\n            d()\n        elif b.e:\n            return g()\n"
        "        elif b.h:\n            break\n        else:\n            i()\n    return j()\n"
    ),
    "an if in an if": (
        "def f(a, b):\n    if a:\n        if not b:\n            c()\n    if a.d:\n        if b.e:\n            c()\n"
        "    if (a.f and\n            b.g):\n        c()\n    if (a.f or\n            b.g < a):\n        c()\n"
    ),
    "a pass after a docstring": (
        'def f(a):\n    """B."""\n    pass\n\n\n@a\n@b\ndef f(c):\n    """D.\n    E."""\n\n    pass\n\n\n'
        'class F:\n    """G."""\n\n    pass\n'
    ),
    "an assignment as the only argument": "if len(a := b) > 1:\n    c(d := e(f))\n",
    "a lambda over lines": "a = b(lambda c:\n      c + 1,\n      d)\n",
    "a body on the line of a try below a blank line": (
        "def f():\n    try: a()\n    except b: pass\n\n    try: c()\n    except d: pass\n    g()\n"
    ),
    "comprehensions of one form on two lines": "a([b(c) for c in d],\n  [b(c) for c in e])\n",
    "a comprehension over lines": "a = [b(c)\n     for c in d\n     if c]\ne = {f: g\n     for f, g in h}\n",
    "try": (
        "try:\n    a()\nexcept b as c:\n    d(c)\nexcept (e, f):\n    pass\nelse:\n"
        "    g()\nfinally:\n    h()\n"
    ),
    "async": (
        "async def f(a):\n    async with a as b:\n        await b(\n"
        "            a)\n    async for c in b:\n        yield c\n"
    ),
    "annotations": 'a: int = b\ndef f(c: int,\n      d: str = "e") -> None:\n    return c\n',
    "keywords of calls": "a = b(c=d,\n      **e)\nf = b(*g, h = i)\n",
    "comparisons": (
        "a = b < c <= d\nif not a in b:\n    c()\nif not (a in b):\n    c()\n"
        "if d is not e:\n    f()\n"
    ),
    "conditions": (
        "a = b if c else d\ne = (b\n     if c\n     else d)\n"
        "f = (a or b) and (c or d)\n"
    ),
    "subscripts": "a[b,\n  c] = d[e : f]\ndel a[0], g\n",
    "short escapes": "a = '\\b'\nc = 'd\\f\\v\\a'\ne = r'\\x08'\nf = b'\\x07g'\n",
    "a raw string over lines": "a = r\"\"\"\\d+\n  \\w\"\"\"\nb = \"\"\"c\n\\td\"\"\"\n",
    "semicolons": "a = b; c(); d = e\nif f: g(); h()\n",
    "pass": "class A(B): pass\n\n\nclass C:\n    pass\n\n\ndef f(): pass\n",
    "a docstring alone": 'class A:\n    \'a\'\n\n\ndef f():\n    """b"""\n\n\nx = 1\n',
    "returns": (
        "def f(a):\n    if a:\n        return\n    for b in a:\n        if b:\n"
        "            return None\n    return (a,\n            b)\n"
    ),
    "while": (
        "def f(a):\n    while a: a = a - 1\n    while (a and\n            f):\n"
        "        a()\n"
    ),
    "tuples": (
        "a = b, c\n(d, e) = a\nfor f, (g, h) in a: pass\ni = (1, 2)\nj = 1, 2\n"
        "k = (1,2,3)\n"
    ),
    "imports": "import a, b.c as d\nfrom e import f\nfrom . import g\n",
    "assert": "assert a, b\nassert (a\n        or b), 'c %s' % (\n            d)\n",
    "nested functions": (
        "def f(a):\n    def g(b):\n        return (a +\n                b)\n\n"
        "    return g\n"
    ),
    "lists and tuples of one": (
        "for a in ['b']: c()\nfor a in ('b',): c()\nfor d in [a]: c()\nfor d in (a,): c()\n[e] = a\n(f,) = a\n"
        "g = a in ['b'], a in ('b',), [h for [h] in a], [i for (i,) in a]\n"
    ),
    "set and dictionary": "a = {1,\n     b, 2}\nc = {'d': e,\n     'f': g, **h}\n",
    "formatted strings": "a = f'{b} c {d!r:>10}'\ne = (f'{b} one '\n     f'{d} two')\n",
    "percents": (
        "a = 'b: %r' % (c,)\nd = e('%s {f} 100%% %5s' % (g, h.i(1)), j)\n"
        "k = ('l %r\\n'\n     'm %r' %\n     (n, o))\n"
    ),
    "fields that show their text": "a = f'{b=}, {c.d=:x} {e=!s} {g!r}'\n",
    "raw formatted strings": "a = rf'\\d{b}'\nc = rf'{d}\\w{e}'\n",
    "a formatted string with line ends": 'a = f"""b\n{c} d\n  e"""\nf = g\n',
    "quotes before a field": 'a = f"""\n  "b {c}" d\n"""\ne = f\'{(lambda g: g)(3)}\'\n',
    "formatted strings on a line": "a = f'b\\nc\\n{d}\\ne'\nf = g\n",
    "globals": (
        "def f():\n    global a\n    a = 1\n\n\ndef g():\n    b = 1\n    def h():\n"
        "        nonlocal b\n        b = 2\n    return h\n"
    ),
    "declarations behind statements": (
        "def f():\n    import a\n    global b, c\n\n    b = c = a\n\n\n"
        "def g():\n    h = 1; i(h)\n    global j\n    j = h\n"
    ),
    "declarations behind compound statements": (
        'def f(a):\n    """B\n    c.\n    """\n    if a:\n        raise d(a)\n    global e\n    if e is None:\n'
        "        e = 3\n    return e\n\n\n"
        "def g(a):\n    if a:\n        b()\n    else:\n        c()\n    global d\n    d = 3\n"
    ),
    "an assertion of nothing": 'def f(a):\n    if a: return 3\n    assert 0, "b"\n\n\ndef g():\n    assert 0\n',
    "a test for nothing": "def f(a, b):\n    if not a(b):\n        pass\n    return b < a\n",
    "a return before another end": (
        "def f(a, b):\n    for c in a:\n        try:\n            c()\n        except D:\n            continue\n"
        "        except E as g:\n            h(c, g)\n            return\n    try:\n        b(a)\n"
        "    except E as g:\n        h(a, g)\n"
    ),
    "a pass in an elif in a loop": (
        "def f(a):\n    for b in a:\n        c = b()\n        if c == 'd':\n            e(c)\n"
        "        elif c == 'f':\n            pass\n        else:\n            e(a % {\n                'g': 4})\n"
    ),
    "decorated functions on a line": (
        "class A:\n    @a\n    def b(self): pass\n\n    @a\n    def c(self, d): return None\n\n    @a\n    @b\n"
        "    def e(self, f):\n        return None\n"
    ),
    "functions on a line": (
        "class A:\n    def b(*args): pass\n\n    def __call__(*, a): pass\n\n    def c(self, *d, e, **f): pass\n\n"
        "    @a\n    def g(*h): pass\n\n    @a\n    def i(self, *, j, **k): pass\n"
    ),
    "sums and quotients": "a = b(10**20 - 1, 10**20+10, 2**64 + 7)\nc = b(6**8, 1/3, 2 / 3)\nd = e[::]\n",
    "a lambda on a line of its own": "a.b = (\n    lambda *c, d=3: [c, (d, None)])\ne = 3\n",
    "context managers over lines": (
        "with a(1) as b, \\\n     c(2) as d:\n    e()\nwith a(1) as b:\n    with c(2) as d:\n        e()\n"
        "async def f():\n    async with a(1) as b, \\\n         c(2) as d:\n        await e()\n"
    ),
    "names imported over lines": (
        "from a import (b, c as d,\n               e)\nfrom f import (\n    g,\n    h,\n)\n"
        "from i import (\n    j, k, l\n)\n"
        "try:\n    from m import (\n        n,\n        o)\nexcept p:\n    pass\n"
    ),
    "yields of nothing": "def f():\n    yield None\n    yield\n",
    "dots": (
        "def f(a: b) -> c: ...\n\n\nclass A: ...\n\n\nclass B:\n    ...\n"
    ),
    "products in sums": "a = b'c' + b'\\xc3\\xa0' * 1024\nd = '/' + 'one two three' + '/'\ne = b'f\\r\\n' * 101\n",
    "strings without fields that are formatted": (
        "def f(a):\n    raise B(f'nothing here', a)\n\n\ndef g():\n    a = f\"\"\"b\n  c\n\"\"\"\n    return a\n"
        "\n\ndef h(a):\n    return b('one '\n             f'{a} two')\n"
    ),
    "unary operators": "a = -b\nc = - d\ne = not f\ng = ~h + -1\n",
    "slices": "a = b[1:2]\nc = b[::d]\ne = b[f:g, h]\n",
    "yields": (
        "def f(a):\n    b = yield a\n    yield from (b,\n                a)\n"
        "    return (yield)\n"
    ),
    "match": (
        "match a:\n    case 1 | 2:\n        b()\n    case [c, *d] if c:\n"
        "        e(c,\n          d)\n    case {'f': g}:\n        g()\n    case _:\n"
        "        h()\n"
    ),
    "except*": "try:\n    a()\nexcept* b as c:\n    d(c)\n",
    "type parameters": (
        "def f[T](a: T,\n         b: T) -> T:\n    return a\n\n\n"
        "class C[U: int](D):\n    e: U\n\n\ntype X[V] = list[V]\n"
    ),
    "a field over lines": "a = f'{b(c,\n        d)} e'\n",
    "with": "with a() as b:\n    c(b,\n      d)\n",
    "choices in parentheses": (
        "def f(a):\n    return (2 if a.b is None else 0)\n\n\ndef g(a):\n    c = (a == 3)\n    d = (a if c else 3)\n"
        "    return d\n\n\ndef h(a):\n    a.b = c if c.d else []\n"
    ),
    "what is done to a choice": (
        "def f(a):\n    return (a.b if a.c else a.d).e\n\n\ndef g(a):\n    return a.b.c if a.d else a.e.c\n\n\n"
        "def h(a):\n    return (2 if a is None else 3) + a\n"
    ),
    "a percent format of a second parameter": (
        'def f(a, b, c):\n    g(a, "%s%s" % (b, a.d), c)\n    g(a, "%s" % (c,), 1)\n'
    ),
    "a pass in a loop": (
        "def f(a):\n    for b in a:\n        if b == 1:\n            pass\n        elif b:\n            a.c()\n"
        "        else:\n            d()\n    for b in a:\n        try:\n            c(b)\n        except E:\n"
        "            pass\n        else:\n            d(b)\n"
    ),
    "an if in an else": (
        "def f(a, b):\n    if a:\n        b()\n    else:\n        if b:\n            a()\n"
        "        else:\n            a(b)\n    if b:\n        a()\n    elif a:\n        b()\n    return a\n"
    ),
    "an else after a break": (
        "def f(a, b):\n    while a:\n        if b:\n            a()\n        else:\n            if a.c:\n"
        "                b()\n                break\n            else:\n                b.c()\n                a = b\n"
        "    return a\n"
    ),
    "statements that do nothing": (
        "def f(a):\n    a()\n    pass\n    b()\n    ...\n    for c in a:\n        d(c)\n        pass\n        e()\n"
        "\n\nclass C:\n    d = a\n    pass\n    e = d\n"
    ),
    "tests of constants": (
        "def f(a):\n    a()\n    if __debug__:\n        b()\n        c()\n    while False:\n        pass\n"
        "    if False:\n        pass\n    if True:\n        d()\n        if 1:\n            e()\n"
        "            pass\n            a()\n    g()\n\n\ndef h(a):\n    a()\n    if 0:\n        yield\n    h()\n"
    ),
    "a try in a try": (
        "def f(a):\n    try:\n        try:\n            try:\n                a()\n            except B:\n"
        "                raise C from None\n        except C as d:\n            d()\n"
        "    except E:\n        pass\n    f()\n"
    ),
    "a case of anything": (
        "def f(a):\n    a()\n    match a:\n        case [1, b]:\n            return b\n        case _:\n"
        "            raise D(a)\n"
    ),
    "a test of a constant in a body": (
        "def f(a):\n    if a:\n        if __debug__:\n            if a.b:\n                a()\n        raise a\n"
        "    b()\n    if 0:\n        pass\n    else:\n        a()\n    return b\n"
    ),
    "a body far below its else": "if a:\n    b()\nelse:\n\n    c()\n",
    "a try in a finally": (
        "def f(a):\n    try:\n        try:\n            a()\n        except B:\n            raise\n"
        "        else:\n            c()\n    finally:\n        d()\n    try:\n        a()\n    except B:\n"
        "        b()\n    finally:\n        d()\n\n\n"
        "def g(a):\n    while True:\n        try:\n            try:\n                try:\n"
        "                    a()\n                finally:\n                    b()\n            except C:\n"
        "                c()\n        finally:\n            d()\n\n\n"
        "def h(a):\n    try:\n        try:\n            b = a()\n            raise b\n        except:\n"
        "            c = a()\n            raise c\n        finally:\n            d = a()\n            raise d\n"
        "    except E:\n        a(d)\n"
    ),
    "a return in an else": (
        "def f(a, b):\n    try:\n        a[b]\n    except C:\n        return False\n    else:\n"
        "        return True\n\n\n"
        "def g(a, b):\n    try:\n        a[b]\n    except C:\n        return False\n    return True\n\n\n"
        "def h(a, b):\n    try:\n        a[b]\n    except C:\n        pass\n    else:\n        return True\n"
    ),
    "a return through a finally": (
        "def f(a, b):\n    c = None\n    try:\n        c = a()\n        b(c)\n        return True\n    except D:\n"
        "        return False\n    finally:\n        if c is not None:\n            c.close()\n"
    ),
    "docstrings in other quotes": (
        'class A:\n    def f(self, a=None, *b): "c"\n\n    def g(self):\n        "d"\n\n'
        '    def h(self):\n        """e"""\n\n    def i(self):\n        """j"""\n        return 3\n'
    ),
    "spaces after a return": (
        "def f(a):\n    return  a\n\n\ndef g(a):\n    return (a)\n\n\ndef h(a):\n    return ( a )\n"
    ),
    "assignments in expressions": (
        "def f(a):\n    if b((c := d) for d in a):\n        return [d := 3, c]\n    e(c := 2, g=1)\n"
        "    h = [t := t + v for v in range(5)]\n    i = ((q := 3),)\n    return h, i\n"
    ),
    "generators of nothing": (
        "def f(a):\n    while False:\n        yield\n\n\ndef g(a):\n    if False:\n        yield\n\n\n"
        "def h(a):\n    return\n    yield\n\n\ndef i(a):\n    raise a\n    yield\n"
    ),
    "tests of ones": (
        "def f(a):\n    while 1:\n        if a(): break\n    while True:\n        if b(): break\n"
        "        assert a != 3\n    c(1, True)\n"
    ),
    "returns in and after a loop": (
        "def f(a):\n    while True:\n        b = a()\n        if not b: break\n        c = b * 4\n"
        "    return c + 1\n\n\n"
        "def g(a):\n    while True:\n        b = a()\n        if b == 5:\n            return b\n        c = b\n\n\n"
        "def h(a):\n    while True:\n        try:\n            b = a()\n        except C:\n            d()\n"
        "        else:\n            return b\n        e()\n"
    ),
    "characters by their names": "a = '\\N{GREEK SMALL LETTER ALPHA}\\N{GREEK CAPITAL LETTER OMEGA}'\n",
    "jumps at the ends of bodies in a try": (
        "def f(a):\n    b = None\n    for c in a:\n        try:\n            d = g(c)\n            if c == 3:\n"
        "                d.e(c)\n            break\n        except F as h:\n            b = h\n"
        "            if d is not None:\n                d.i()\n"
        "    if b is not None:\n        raise b\n    return d\n\n\n"
        "def j(a):\n    for b in a:\n        try:\n            if b.c(2):\n                d(b)\n"
        "                continue\n            b = b.e()\n            f(b)\n        except Exception as g:\n"
        "            h(g)\n            break\n    return b\n"
    ),
    "a return after a loop that a test ends": (
        "def f(a):\n    b = []\n    while True:\n        c = a.d(1)\n        b.append(c)\n        if len(b) > 5:\n"
        "            raise B(4)\n        if c in (1, 2):\n            break\n    return b\n"
    ),
    "globals of functions": (
        "a = 1\nb = 2\n\n\ndef f():\n    global a\n    a = 3\n\n\nclass C:\n    def g(self):\n"
        "        def h():\n            global b\n            del b\n        return h\n\n\nprint(a, b)\n"
    ),
    "a loop that always ends": (
        "def f(a, b):\n    while True:\n        c = b - 3\n        if not a(c):\n            continue\n"
        "        d = a.e()\n        d.g()\n        return d\n\n\n"
        "def h(a, b):\n    while True:\n        if a(b):\n            break\n        b = b - 3\n    d = a.e()\n"
        "    return d\n"
    ),
    "a test after a loop that breaks": (
        "def f(a):\n    while True:\n        b = a()\n        if not b or b == 3:\n            break\n"
        "        try:\n            c = d(b)\n        except E as e:\n            c = g(e)\n        a.h(c)\n"
        "    if not b:\n        raise E(4)\n    return a.i(), len(a)\n"
    ),
    "a return at the end of a loop": (
        "def f(a, b):\n    c = 0\n    while True:\n        if a(b, c):\n            return True\n"
        "        c = b.d(c) + 1\n        if not c:\n            return False\n\n\n"
        "def g(a):\n    while True:\n        try:\n            b = a.c()\n        except KeyError:\n"
        '            raise KeyError("d") from None\n        e = b()\n        if e is not None:\n            return e\n'
    ),
    "statements after a test over lines": (
        "def f(a, b):\n    while (\n        a\n        and b < 3):\n        c()\n        b += 1\n"
        "    d()\n    if e:\n        g()\n"
    ),
    "two stores at the end": (
        "def f(a):\n    async def b(c):\n        reader, writer = await d(\n            *c,\n            e=a)\n\n"
        "    with g(a) as h:\n        b(h)\n"
    ),
    "digits in groups": (
        "def f(a):\n    b = a & 0xffff_ffff | a & 0x0fff\n    c = 0x8000_0000_0000_0000 - a\n"
        '    return b, c, a // 1_000_000, a * (3 * 1000), 72 / 2.54, "abc " * 20\n'
    ),
    "folded constants": (
        "def f(a):\n    return not (a & (1 << 41))\n\n\n"
        "def g(a):\n    b = a[4-1::-1]\n    if not 0 <= b < (1 << 16):\n        b |= 0x8000_0000_0000_0000\n"
        '    return b & 0x0fff, b & 0xffff_ffff, b(c=300), "x" * 50\n\n\n'
        'def h(a):\n    if a == "$" + "Revision: " and a[-1:] == "$":\n        return 21000\n'
        "    return 2 ** 60 - a, 1 << 53, (13 / 2) * a\n\n\n"
        "def i(a):\n    return a + 3000, a + 4000, a + (3 * 1000)\n\n\n"
        'def j(a):\n    return ("d", b""), a(b"|||", e=b""), a(c=b"|!")\n'
    ),
    "what the order of constants shows to be folded": (
        "class A:\n    a = 256 * 1024\n\n    def b(self):\n        return c\n\n\n"
        "def d(a):\n    a(' ' * 4 + a)\n\n\ndef e(a):\n    return a(2**32 - 1, 730 * 2 + 1)\n\n\n"
        "def f(a, b):\n    b(1 << 20, 4000)\n    b = a(c=3000, d='e')\n    return b\n\n\n"
        "def g(a):\n    raise a('This lacks ' +\n            'that')\n"
    ),
    "sets in the order of the constants": (
        'def f(a):\n    return a in {"replace", "delete"}\n\n\n'
        'def g(a):\n    for b in {"d", "c", "e"}:\n        a(b)\n'
        '    return a not in {"m", "o", "l", "n"}, "m", "o", "l"\n'
    ),
    "a break after other statements": (
        "def f(a):\n    while True:\n        b(a)\n        if a:\n            c(a)\n            break\n\n\n"
        "def g(a):\n    while True:\n        b = a()\n        if b:\n            c(b)\n        elif not a:\n"
        "            a.append(b - len(a))\n            break\n    a.b = c(b)\n    return b\n\n\n"
        "def h(a):\n    a.b()\n    try:\n        while True:\n            c(a)\n            if a:\n"
        "                break\n    finally:\n        a.d()\n\n\n"
        "def i(a):\n    try:\n        while True:\n            if a():\n                b()\n                break\n"
        "    finally:\n        a.c()\n    return d\n"
    ),
    "a break and an else at the beginning of a loop": (
        'def f(self, a):\n    b = [""]\n    while self.c < len(self.d):\n        if self.d[self.c] in a:\n'
        "            break\n        else:\n            b.append(self.d[self.c])\n        self.c += 1\n"
        "    return b\n"
    ),
    "elements of constants over lines": (
        "__all__ = ['update_wrapper', 'wraps', 'WRAPPER_ASSIGNMENTS', 'WRAPPER_UPDATES',\n"
        "           'total_ordering', 'cache', 'cmp_to_key', 'lru_cache', 'reduce',\n"
        "           'partial', 'partialmethod', 'singledispatch', 'singledispatchmethod',\n"
        "           'cached_property', 'Placeholder']\na = [\n    'b',\n    'c',\n    'd',\n]\n\n\n"
        "def e(f):\n    if f in {\n        'g',\n        'h',\n        'i',\n        }:\n        return [\n"
        "            1, 2, 3,\n            (4, 5), 6\n        ]\n"
    ),
    "an annotation that there is not": (
        'class A:\n    def f(self):\n        return 1\n    f.b = "c"\n    f.d = f.e = 3\n    f[0] = 4\n'
    ),
    "a continue where arms join": (
        "def f(a, b, c):\n    for d in a:\n        if b is not None:\n            g(d)\n            continue\n"
        "        elif c is not None:\n            if d == 3:\n                c = None\n            else:\n"
        "                g(c)\n            continue\n        if g(d):\n            g(3)\n        else:\n"
        "            g(4)\n"
    ),
    "a first test in parentheses": (
        "def f(a, b):\n    if (a is not None and g(a, b)\n            and b):\n        return b\n    if (g(a)\n"
        "            or g(b)):\n        return a\n"
    ),
    "a statement after a chained assignment": (
        "def f(rv):\n    status = headers = None\n    if isinstance(rv, tuple):\n        g(rv)\n"
        "    if rv is None:\n        raise 1\n    if not a(rv):\n        b\n"
    ),
    "a statement after an if whose else leaves": (
        "def f(a):\n    while True:\n        if a.b():\n            break\n        if a.c == 3:\n"
        "            d = True\n        else:\n            break\n        e = a.d.e\n    return d, e\n"
    ),
    "an else that breaks out of an inner loop": (
        "def f(self, fileno, data):\n    while True:\n        if self.x:\n            x = 3\n"
        "        data = memoryview(file_read(self))\n        if not data:\n            break\n"
        "        while True:\n            try:\n                sent = sock_send(data)\n"
        "            except BlockingIOError:\n                continue\n            else:\n"
        "                x += sent\n                if sent < len(data):\n"
        "                    data = data[sent:]\n                else:\n                    break\n    return x\n"
    ),
    "an operand below its elif": (
        "def f(a):\n    if a.b == 3:\n        c = 3\n    elif a.d(\n        b\n        ) and not a.e(4):\n"
        "        c = 4\n    else:\n        c = 5\n    return c\n"
    ),
    "breaks where arms join": (
        "def h(self):\n    while True:\n        line = self.read()\n        if line.x:\n            if self.y:\n"
        "                g()\n                if h:\n                    i()\n                else:\n"
        "                    j()\n                k()\n        elif not line:\n            if self.y:\n"
        "                g()\n            else:\n                h()\n            break\n        l = 4\n    m()\n"
        "\n\ndef j(self, y, x):\n    last = self.maxx\n    while True:\n        if self.win(y, last) != 3:\n"
        "            last = min(x, last + 1)\n            break\n        elif last == 0:\n            break\n"
        "        last = last - 1\n    return last\n\n\ndef k(self):\n    while True:\n        if self.a:\n"
        "            if self.b:\n                self.c = 3\n            elif self.d:\n"
        "                if self.token:\n                    break\n                else:\n"
        "                    continue\n            elif self.e:\n                g()\n        elif self.f:\n"
        "            h()\n"
    ),
    "else clauses of what always leaves": (
        "def a(self):\n    try:\n        if not self.x():\n            for data in self.result:\n"
        "                self.write(data)\n            self.finish()\n    except:\n"
        "        if hasattr(self.result, 'close'):\n            self.result.close()\n        raise\n    else:\n"
        "        self.close()\n\n\ndef b(parent, contents):\n    try:\n        with open(parent) as file:\n"
        "            contents = file.read()\n    except OSError:\n        showerror(title='File Load Error',\n"
        "                  parent=parent)\n    except UnicodeDecodeError as err:\n"
        "        showerror(title='Unicode Decode Error',\n                  parent=parent)\n    else:\n"
        "        return view_text(parent, contents, wrap=3,\n                         _utest=4)\n"
        "    return None\n\n\ndef c(state, r):\n    if r.x is not None:\n        while True:\n"
        "            yield r.x\n    for line in state[0]:\n        yield line\n"
    ),
    "else clauses that begin with an assertion": (
        "def f(a, b):\n    if a:\n        return 1\n    else:\n        assert b\n\n\ndef g(a, b):\n"
        '    for x in a:\n        if x:\n            continue\n        else:\n            assert b, "no"\n'
        "    k()\n\n\ndef h(a, b):\n    try:\n        g(a)\n    except ValueError:\n        return 1\n    else:\n"
        "        assert b\n    return 3\n\n\ndef k(a, b):\n    if a:\n        return 1\n    assert b\n"
        "    return 3\n"
    ),
    "endless loops that begin with an if": (
        "def a(r):\n    while 1:\n        if r > 0:\n            r -= 1\n            g()\n        else:\n"
        "            raise e\n\n\ndef b(r):\n    while True:\n        if r > 0:\n            r -= 1\n"
        "            g()\n        else:\n            break\n\n\ndef c(r):\n    while True:\n        if r > 0:\n"
        "            r -= 1\n            g()\n        else:\n            return 3\n\n\ndef e(r):\n"
        "    while True:\n        if r:\n            g()\n        else:\n            h()\n            return\n\n"
        "\ndef f(r):\n    while r:\n        g()\n    return 3\n"
    ),
    "not before a comparison": (
        "def f(a, b, c):\n    if not a in b:\n        g()\n    if a not in b:\n        g()\n    d = not a is b\n"
        "    e = a is not b\n    if not b[a] in c and not a:\n        g(d)\n    while not (a in b):\n"
        "        g(e)\n"
    ),
    "comparisons whose operands are loaded at once": (
        "def f(a, b, c):\n    assert a is not b.c\n    assert not a is b.c\n    if a not in b[c]:\n        g()\n"
        "    if not a in b[c]:\n        g(a, a not in b)\n    d = [x for x in a if not x in b], not a in b\n"
        "    return a not in b\n"
    ),
    "declarations in a deeper block": (
        "def f(a):\n    if a == 3:\n        global b\n        from c import b\n        return b\n    raise e\n\n\n"
        "def g(a):\n    b = None\n\n    def h(c):\n        d = c()\n        with d:\n            nonlocal b\n"
        "            b = d.e()\n    return h\n"
    ),
    "deletions": (
        "def f(a, b):\n    del a.b, a.c\n    del a; del b\n    del c[0], c[1:2], a\n    del c\n    del d\n"
    ),
    "names as wide as keywords": (
        "def f(a, return_):\n    if a:\n        if return_:\n            result = f(3)\n        else:\n"
        "            result = f(4)\n    else:\n        result = None\n    return result\n"
    ),
    "what follows an else that leaves": (
        "def f(self, a):\n    if a - self.b >= 0:\n        for i in range(a):\n            self.c(a)\n"
        '        self.c(i)\n    else:\n        raise E("no")\n    return self.b\n'
    ),
    "conditional expressions that are statements": (
        "def b(self, mo, st):\n    st = 3\n    self.header(st, mo) if mo else self.option(st, line, mo)\n\n\n"
        "def c(self, locals):\n"
        "    self.locals = {k: safe(v) for k, v in locals.items()} if locals else None\n\n\n"
        "def d(self, locals):\n    self.header(st, mo) if mo else self.option(st, line, mo)\n"
        "    self.locals = 3\n"
    ),
    "returns below handlers": (
        "def e():\n    try:\n        return sys.name(depth)\n    except AttributeError:\n        pass\n"
        '    try:\n        return sys._getframe(depth).get("__name__", default)\n'
        "    except (AttributeError, ValueError):\n        pass\n    return None\n\n\ndef f():\n    try:\n"
        "        return sys.name(depth)\n    except AttributeError:\n        g()\n    except ValueError:\n"
        "        pass\n    return None\n"
    ),
    "a finally in an else": (
        "def a(name, parent, spec):\n    if spec is None:\n        raise ModuleNotFoundError(name)\n"
        "    else:\n        if parent:\n            parent.append(child)\n        try:\n"
        "            module = _load_unlocked(spec)\n        finally:\n            if parent:\n"
        "                parent.pop()\n    if parent:\n        g()\n    return module\n"
    ),
    "a continue after a loop": (
        "def a(b, d):\n    for fn in b:\n        if fn:\n            if c:\n                g(1)\n"
        "                for p in d:\n                    g(p)\n            continue\n        g(2)\n"
    ),
    "a continue after a try statement": (
        "def a(self):\n    for line in self.b:\n        if self.c:\n            try:\n"
        "                self.send(line)\n            except StopIteration:\n"
        "                self.c = None\n            continue\n        if hasattr(self, cmd):\n"
        '            if c:\n                self.x = 3\n        else:\n            self.y("s")\n'
    ),
    "an else that only passes": (
        "def a(self):\n    client = 3\n    try:\n        client.connect(3)\n    except OSError as e:\n"
        "        self.assertEqual(e.args[0], 4)\n    else:\n\n        pass\n"
        "    server, addr = serverSocket.accept()\n"
    ),
    "values in parentheses after return": (
        "def a(params, args, left):\n    if left:\n        return (*params[:-1], *params[-1])\n"
        "    if args:\n        return (*params, left)\n    return *args, left\n\n\ndef b(self):\n"
        "    return (\n        _parse(self._raw)\n        if self._raw is not None\n        else None\n"
        "    )\n"
    ),
    "returns out of with": (
        "def alone(w):\n    with w():\n        return None\n\n\ndef in_a_handler(w):\n    try:\n"
        "        f()\n    except (E, F):\n        with w():\n            return None\n\n\n"
        "def in_a_body(w):\n    try:\n        with w():\n            return\n    except (E, F):\n"
        "        f()\n\n\ndef before_else(w, a):\n    with w() as v:\n        if a:\n            return x\n"
        "        else:\n            f()\n\n\ndef in_a_try(w):\n    with w():\n        try:\n"
        "            f()\n        except E:\n            return True\n        else:\n            f()\n\n\n"
        "def before_a_raise(a, w):\n    with w() as v:\n        match a:\n            case [x, *_]:\n"
        "                return None\n        raise E(a) from None\n"
    ),
    "returns out of handlers": (
        "def before_a_raise():\n    try:\n        f()\n    except:\n        try:\n            f()\n"
        "        except:\n            return None\n        else:\n            raise E\n    return True\n\n"
        "\ndef before_a_statement():\n    try:\n        f()\n    except (E, F):\n        try:\n"
        "            f()\n        except:\n            return\n        else:\n            f()\n"
    ),
    "last statements before finally": (
        "def none():\n    try:\n        f()\n        return None\n    finally:\n        f()\n\n\n"
        "def nothing(a):\n    try:\n        if a:\n            f()\n            return\n        g()\n"
        "    finally:\n        f()\n\n\ndef before_handlers():\n    try:\n        f()\n        return\n"
        "    except E:\n        g()\n    finally:\n        f()\n\n\ndef in_a_loop(a):\n    for i in a:\n"
        "        try:\n            f()\n            return None\n        finally:\n            f()\n\n\n"
        "def repeated(a):\n    for i in a:\n        try:\n            f()\n            continue\n"
        "        finally:\n            f()\n"
    ),
    "continue after with": (
        "def below(a, w):\n    for i, x in g(a):\n        with w():\n            f()\n        continue\n\n"
        "\ndef inside(a, w):\n    for i, x in g(a):\n        with w():\n            f()\n"
        "            continue\n"
    ),
    "else of returns before finally": (
        "def exchanged(a):\n    try:\n        if a:\n            return x\n        else:\n"
        "            x, y = g(17), a\n    finally:\n        f()\n\n\ndef deleted(a, x):\n    try:\n"
        "        if a:\n            return x\n        else:\n            del x, a.b\n    finally:\n"
        "        f()\n\n\ndef deleted_item(a, x):\n    try:\n        if a:\n            return x\n"
        "        else:\n            del x[1]\n    finally:\n        f()\n"
    ),
    "asserts that end loops": (
        "def endless(a):\n    while True:\n        assert a, 27\n\n\ndef nested(a):\n    while a:\n"
        "        while a:\n            assert a, 16\n"
    ),
    "chained comparisons in handlers": (
        "def repeated(a):\n    try:\n        f()\n    except E:\n        g()\n    except F:\n"
        "        while 0 < a <= 3:\n            f()\n    finally:\n        h()\n\n\n"
        "def before_a_comprehension(a, c):\n    try:\n        f()\n    except E:\n        if 0 < a <= 3:\n"
        "            x = [i for i in c]\n    f()\n"
    ),
    "last cases that drop the subject": (
        "def after_a_value(a):\n    match a:\n        case 1:\n            r = 1\n        case g(x):\n"
        "            x = 5\n\n\ndef after_a_name(a, d):\n    match a:\n        case d.e:\n"
        '            result = g(3)\n        case g(x, y=1):\n            x = f"{a} 5"\n'
    ),
    "statements below else clauses": (
        "def a(a):\n    if a:\n        return\n    else:\n        x = [i for i in c]\n    f()\n\n\n"
        "def b(a):\n    if a:\n        return x\n    else:\n        f()\n    match a:\n"
        "        case g(x, y=1):\n            f()\n\n\ndef c(a):\n    if a:\n        try:\n"
        "            f()\n            return True\n        finally:\n            f()\n    elif a:\n"
        "        f()\n    raise E(a) from None\n"
    ),
    "statements below match": (
        "def a(a):\n    match a:\n        case None:\n            raise E(a) from None\n        case _:\n"
        "            f()\n    return True\n"
    ),
    "returns after handlers with loops": (
        "def a(a):\n    try:\n        f()\n    except E:\n        for i, x in g(a):\n            f()\n"
        "    except F:\n        f()\n    return True\n"
    ),
    "returns and breaks after try statements": (
        "def f(a):\n    try:\n        b = g(a)\n    except OSError as e:\n        raise i(e)\n"
        "    if h(b):\n        try:\n            raise b\n        finally:\n            del b\n"
        "    return b\n\n\ndef i(a, b):\n    while True:\n        c = g(a) + h(b)\n        try:\n"
        "            d = e(c)\n        except ValueError:\n            continue\n        return c + d\n\n\n"
        "def j(a, b):\n    for c in a:\n        try:\n            d = e(b + c)\n"
        "        except ValueError:\n            if d:\n                g(d)\n            continue\n"
        "        break\n    return d\n"
    ),
    "long literals left of percent": (
        "class A:\n    def f(self):\n        return (\n"
        '            "%s: this happened at a stage that is long enough for two lines, "\n'
        '            "and it is likely that: %s" % (\n                self.a.b,\n                self.c,\n'
        '            ))\n\n\ndef f(a, b):\n    a.g(\n        "a = b.c(%r, d, this is "\n'
        '        "a long literal, which "\n        "the text has in "\n        "parentheses, e=%s, "\n'
        '        "f=%s,  g=h)" % (\n            a.b,\n            b.d,\n            e,\n        )\n    )\n'
        '    b = (\n        "this is another long literal, which has two "\n'
        '        "parts, the second (%s) here, and it ends here: "\n        "%r)"\n        % (a.e, b[3])\n'
        "    )\n"
    ),
    "adjacent literals and folded sums": (
        'def f(a, c):\n    c.update(g("a" * 50 + "b" * 30))\n    g("x" * 75 + "=\\n" + "x" * 25 + "\\n")\n'
        '    b = "a\\n" "b {c}\\n" "d: {e}".format(e=3)\n    d = a.shift(c=+1)\n    g(a, -1.0 / 7.0, b)\n'
        '    return a + "\\N{NO-BREAK SPACE}a" + g(c, "\\u0024")\n'
    ),
    "literals in parentheses after in": (
        "def f(a, b):\n    for b in (\n"
        '        "a long literal that takes a line of its own, or two, if it "\n'
        '        "needs two lines, as this one does"\n    ).split():\n        g(b)\n'
    ),
    "strings below attributes of classes": (
        "class A(B):\n    x = 3\n    \"\"\"...    \"\"\"\n    y: e[str | None] = e[c](None, a=3)\n"
        "    \"\"\"...\n    \"\"\"\n\n    def f(self, a=None, b=3):\n        pass\n\n    z: int = 4\n"
        "    \"\"\"...         \"\"\"\n\n\nclass C:\n    \"\"\"Doc.\"\"\"\n\n    z: int = 3\n"
        "    \"\"\"...    \"\"\"\n\n    def f(self, a, b):\n        return super().f(a)\n"
    ),
    "tuples in fields": (
        'def f(a, b):\n    c = f"{a.b.c,}({b.c.d}<{b.e}>)"\n    return f"{a, b}", f"{a.b,} {b!r}"\n'
    ),
    "bodies on the line of a decorated function": (
        "class A:\n    @staticmethod\n    def f(a, b=10, *, c): pass\n\n    @g\n"
        "    def h(self, a): return None\n"
    ),
    "prefixes of formatted strings": (
        'def f(a, b):\n    c = rf"""\n        {a}(?:\n            \\s{b}){{3}}\n    """\n'
        "    d = (rf'\\a{a}\\b'\n         rf'\\c')\n    e = f(rf'{a.b}\\.c\\(\\) d e f '\n          rf'g {b}')\n"
        "    g(f'\\\\{a} b', f'a\\'s {b!r}', f'a \\\"{a}\\\"', rf'\\d{b}')\n    return f'not {a=}, {b=!r}'\n"
    ),
    "parentheses around elements": (
        "def f(a, b):\n    c = (a if b else None), b\n    d = (a, b), (a if b else b)\n"
        "    for a in (a or b), c:\n        g(d)\n    return (a + b) * 3, (not c)\n\n\ndef h(a, b):\n"
        "    return a, (a if b else None)\n\n\ndef i(a, b):\n    return (a, a if b else None)\n"
    ),
    "returns in try statements": (
        "def f(a, b):\n    try:\n        if b == 3:\n            return g()\n        if b is not None:\n"
        "            return e(a)\n        a.h(b)\n    finally:\n        a.x.pop()\n\n\ndef i(a):\n    try:\n"
        "        with a.b:\n            if a.c == 3:\n                return a.d()\n            a.e(4)\n"
        "            if a.c == 5:\n                return a.d()\n            else:\n                raise a\n"
        "    finally:\n        a = None\n"
    ),
    "returns in with statements": (
        "def f(a, b):\n    with a.x:\n        if a.y == 3:\n            return False\n        elif a.y == 4:\n"
        '            a.y = 5\n            return True\n        else:\n            g()\n            raise X("q")\n'
        "\n\ndef h(a):\n    with a.b:\n        if a.c > 1:\n            return a.d()\n        if a.e is None:\n\n"
        "            return\n        if a.f is None:\n            return\n\n        i(a)\n        a.e = None\n"
    ),
    "tests below a test": (
        "def f(a, b):\n    while True:\n        b = a()\n        if b > 1.0:\n            if b <= 3:\n"
        "                break\n        elif b <= 4:\n            break\n    return b * 2\n"
    ),
    "words without a place before a closing bracket on its own row": (
        "def f(a, b):\n    g(\n        [\n            i\n            for i in (\n                (a, 'r'),\n"
        "                (b, 'w') if b else None,\n            )\n            if i is not None\n        ],\n"
        "        a,\n    )\n"
    ),
    "what no constant that comes later is a part of": (
        "def f(a):\n    a(-(1<<31), -(1<<64))\n    a(1 << 31)\n    a(1 << 64)\n\n\n"
        "def g(a):\n    for b in 5, -5, 2**31-1, -(2**31-1):\n        a(b, 1000)\n"
        "    for b in 2**31, -2**31, 2**1000:\n        a(b)\n\n\n"
        "def h(a):\n    a(500)\n    a(-150, 1)\n    return a[500-150:]\n"
    ),
    "expressions that are folded in one constant or in a tuple": (
        "def f(a):\n    a(~9, 1 - 2**31, 8**8+1, 2**64 + 2**32 - 1)\n"
        "    a(1 / 0.6112295, 1e16 + 4, -42 * 2**32, 24*3600-1)\n"
        "    a((0o40775 << 16) | 0x10, 1.5+0.5j, .1+.1j)\n    for x in -1e200, 1e200:\n        a(x)\n"
        "    a((0.0, 1.0, 1.0 / 3.0), (6283, 2*10**13))\n"
        '    return a(("1"+"0"*20, 10**20), (2.0**48, 2.0**50))\n'
    ),
    "strings that are folded, and their escapes": (
        'def f(a):\n    a("\\u0102" + "a" * 10, "\\u0102", "a" * 100 + "\\u0102")\n'
        '    a("0123456789" * 9 + "012345\\xff\\xff", "  1\\02  ")\n'
        '    a("1" + "0"*20, "\\n" * 5 + "\\t", "Saved.\\n" + " "*5 + "OK?")\n'
    ),
    "parentheses and blanks before an operator, and a semicolon at the end": (
        'def f(a, b):\n    c = "/" in  a\n    if "/" in  a:\n        a()\n    elif (a.b is not  None and\n'
        '            not a.c):\n        c()\n    d = ((a.b("P") == 8) and (b.c == "d") and\n'
        '         (a.d != "e"))\n    return c, d\n\n\ndef g(a):\n    a.b("");\n'
    ),
    "formatted strings that show their sources, over lines": (
        "def f(a, b):\n    a.b(b.c(b.d(a.e, 'cur', '%s%sfoo' %\n                            (b, a.f.g))))\n"
        "    raise E(f'Could not do it on {a.b}:'\n            f' {a=}')\n\n\ndef g(a):\n    raise E(\n"
        "        f'Keys overlap with others in {a.name}:'\n        f' {a=}, {len(a)=}, {a!s}'\n    )\n"
    ),
    "keyword arguments before an unpacked one, and the call of a method of a string": (
        "def f(a, b):\n    a.b(b, c=a,\n        *a.d)\n    a(1, b=b, *a, c=1)\n    c = a.b(\n"
        "        '[A]\\nOption{} first   \\n\\tsecond line   \\n'.format(\n            b.c[0]))\n    return c\n"
        "\n\nclass A(metaclass=M, *B):\n    pass\n"
    ),
    "a pass that ends a handler": (
        "def f(a):\n    try:\n        a()\n    except E:\n        a.b()\n        pass\n    return a\n"
    ),
    "negated groups, an if in an else clause": (
        'def f(a, b):\n    if not (a.b("<") and a.c(">")) or a.d(".e"):\n        raise E\n'
        '    if (not (a.b or a.c) and\n            a.d and a.d[0][:1] == "~"):\n        a()\n'
        "    for n in (324, 325, 2**31, 2**100):\n        a(n)\n    return a(b[:5], (None,) * 5)\n\n\n"
        "def g(a):\n    for b in a:\n        if a.b is None:\n            if not b.c(a):\n"
        "                continue\n        else:\n            if (not b.c(a) and b.d(a) and\n"
        "                    a.e > 1):\n                continue\n        a(b)\n\n\ndef h(a):\n    if a:\n"
        "        if b:\n            if (a.b and\n                    a.c()):\n                a.d()\n"
        "            else:\n                a.e()\n        else:\n            if a.f:\n                a.g()\n"
        "        return 1\n"
    ),
    "adjacent literals that end with lines, or words of long ones": (
        "a = {'b': 'The \"c\" statement\\n'\n          '*****************\\n'\n          '\\n'\n"
        "          'Statements of this kind are a convenient way to insert '\n          'tests\\n'\n"
        "          'into a program; so is what isn\\'t \"debugging\" alone:\\n'\n          '\\n'\n"
        "          \"   it isn't\\n\",\n     'd': e}\n"
    ),
    "characters beside some that only an escape can write": (
        "a = (\n    '\\x00'\n    '~'\n    '\\x7f'\n    '\\xc7'\n    '\\u2264'\n    '\\xa0'\n)\n"
        "b = (\n    'é'\n    '~'\n    '≤'\n)\n"
    ),
    "values in a column, of more items than the compiler loads at once": (
        "a = {\n    'bc':    0,\n" + "".join(f"    'd{number}':    {number},\n" for number in range(10, 30))
        + "    }\nb(\n    c = 1,\n    de = lambda f,\n      g: g,\n    )\n"
    ),
    "names imported as themselves": (
        "from .a import Bc as Bc\nfrom .b import Ab as Ab, Cd as Cd\nfrom .c import Efg, Hi as Hi\n"
        "from .d import (Efg)\nimport os as os\nimport a.b, c\nimport a.b as b\n"
    ),
    "tests below their keyword, and elements in parentheses": (
        "class A:\n    def f(self):\n        \"\"\"\n        Doc.\n        \"\"\"\n        if (\n            self.a\n"
        "            and self.a.b is not None\n        ):\n            return self.a\n        if (\n"
        "            not self.c\n            or self.d is None\n        ):\n            return self.d\n"
        "        while (\n            not self\n            or self.e\n            or self.f\n        ):\n"
        "            self.g()\n"
        "        return None\n\n\ndef h(a, b):\n    if all(\n        (a.b(c) and not a.d(c))\n        for c in (a, b)\n"
        "    ):\n        a.e()\n    return [\n        (\n            b(\n                c,\n                a,\n"
        "            )\n            if b(c.d)\n            else c\n        )\n        for c in b\n    ]\n"
    ),
    "keyword arguments, annotations and the elements of an index on rows of their own": (
        "A = Literal[\n    'a',\n    'bc',\n    'd',\n]\n\n\ndef f(\n    a: b.c,\n    d: e | None = None,\n"
        ") -> b.c:\n    with g(\n        a=a,\n        d=d,\n        h=h,\n    ) as i:\n        return i\n"
    ),
    "loops in try statements whose finally body leaves": (
        "def f(a, b):\n    try:\n        for c in a:\n            d = [b[e] for e in c]\n            if d: break\n"
        "    finally:\n        raise b.g(b.h)\n\n\ndef i(a, b):\n    try:\n        while True:\n"
        "            d = [b[e] for e in a]\n            if d: break\n            a()\n            if a: continue\n"
        "            b()\n    finally:\n        raise b\n\n\ndef j(a, b):\n    try:\n        while True:\n"
        "            if a(b):\n                b(3)\n                break\n            b()\n    finally:\n"
        "        raise b\n\n\ndef k(a, b):\n    for c in a:\n        try:\n            for d in c:\n"
        "                e = [b[g] for g in d]\n                if e: break\n                if c: continue\n"
        "                d()\n        finally:\n            raise b\n"
    ),
    "negated operands, and what is last in parentheses": (
        "class A:\n    def f(self):\n        a = self.b\n        if not c(a, d) or \\\n"
        "           not all(c(e, f) for e in a):\n            return None\n        if not (c(a, d)\n"
        "                and all(c(e, f) for e in a)):\n            return None\n        if (\n"
        "            a is not None\n            and a is not self\n            and (a.b or self.b)\n        ):\n"
        "            raise d\n\n        if (a.b or self.b) and not (\n            c == d and a\n        ):\n"
        "            a()\n        return a\n\n    def g(\n        self,\n        a,\n        b=h,\n"
        "        **c,\n    ):\n        return a\n"
    ),
    "names over lines imported as themselves": (
        "from a import Bc as Bc\nfrom .d import (\n    Efg as Efg,\n    Hi as Hi,\n)\n"
    ),
    "variables that are private in a class": (
        "class A:\n    def f(self, __a, __b):\n        return self.c(\n            __a,\n            __b,\n"
        "            self,\n        )\n"
    ),
    "groups of and in parentheses": (
        "def f(a, b, c):\n    assert (a == 1 and b == 2) or (\n        a == 2 and b == 1\n    ), a.b\n"
        "    c.d = (a and b) or (b and a.b and c)\n    c.e = (a.b) and b or c\n"
        "    return (a.b and b > 1) or c or (c and a.e and b)\n"
    ),
    "a negated operand in parentheses": (
        "def f(a, b):\n    while a:\n        if a.b:\n            if (not a) or a[-1] is not b:\n                a(b)\n"
        "        elif b:\n            b()\n    return b or (not a.c)\n"
    ),
    "a return in an else clause in a finally statement": (
        "def f(a):\n    try:\n        with a as b:\n            try:\n                b(a)\n"
        "            except E:\n                return False\n            else:\n                return True\n"
        "    finally:\n        b(a)\n"
    ),
    "imports whose parenthesis is indented": (
        "from a import (\n    Something, AnotherThing\n    )\nfrom a.b.c import (\n    Future\n    )\n"
    ),
    "commas after the last element": (
        "def f(\n    self,\n    a: int = 1,\n    *,\n    b: Optional[str] = None,\n) -> int:\n    x(\n"
        "        a,\n        b=1,\n    )\n    y = [\n        1,\n        b,\n    ]\n    z = {\n"
        "        \"a\": 1,\n        \"b\": c,\n    }\n    return (\n        a + b\n    )\n\n\ndef g(a):\n"
        "    x = [\n        b\n        for b in a\n    ]\n    with x(a,\n           b\n    ):\n        pass\n"
        "    f(\n        a, b,\n        c, d\n    )\n    g(\n        a\n    )\n    h = a[\n        b\n    ]\n"
        "    i = a[\n        b,\n        c,\n    ]\n    f(\n        a,\n        *b,\n    )\n"
    ),
    "parameters on rows of their own": (
        'def f(\n    self,\n    a: int = 1,\n    b: Optional[str] = None,\n):\n    """Doc.\n\n    More.\n'
        '    """\n    return a\n\n\ndef g(\n    self,\n    *,\n    a=1,\n    b=None,\n):\n    return a\n\n\n'
        "class A:\n    def i(\n        self, a: int, b: str, c=None\n    ) -> int:\n        return 1\n\n"
        "    def k(\n        self,\n        a: int,\n    ):\n        return a\n"
    ),
    "operands of tests on rows of their own": (
        "def f(a, b, c, d, e):\n    if a or (\n        b\n        and c\n    ):\n        return 1\n"
        "    if a == 0 and (\n        b.x(a)\n        or c in (b, d)\n    ) and e:\n        return 2\n"
        "    while a or (\n        not b and c\n    ) or (\n        d and e\n    ):\n        print(a)\n"
        "    if a and (\n        b\n        and (\n            c\n            or d\n        )\n        or e\n    ):\n"
        "        return 4\n    if a and b and \\\n       c:\n        print(1)\n"
    ),
    "ends that the order of the constants tells": (
        "def g(x):\n    \"\"\"Doc.\"\"\"\n    while 1:\n        if x(1):\n            break\n        x(2)\n\n"
        "\ndef k(x):\n    \"\"\"Doc.\"\"\"\n    try:\n        x()\n    except ValueError:\n        pass\n"
        '    else:\n        raise RuntimeError("a")\n\n\ndef m(x):\n    """Doc."""\n    try:\n'
        '        x()\n    except ValueError:\n        pass\n    else:\n        if x:\n            x.y = "b"\n'
        "        x.z = None\n\n\ndef n(x):\n    \"\"\"Doc.\"\"\"\n    try:\n        x()\n"
        '    except ValueError:\n        return\n    if x:\n        x.y = "b"\n'
    ),
    "breaks out of handlers": (
        "def f(a):\n    b = []\n    while True:\n        try:\n            b.append(a.c(None))\n"
        "        except StopIteration as d:\n            e = d.args[0] if d.args else None\n            break\n"
        "    return b, e\n"
    ),
    "breaks of which a NOP is left": (
        "def l(x):\n    while True:\n        m = x(1)\n        if m:\n            s = x(3)\n        else:\n"
        '            break\n    return s\n\n\ndef m(x):\n    result = ""\n    while True:\n        c = x()\n'
        "        if c:\n            if not result:\n                raise ValueError\n            break\n"
        "        result += c\n    return result\n"
    ),
    "lines of statements that do nothing": (
        "def h(x):\n    x(1)\n    pass\n    x(2)\n\n\ndef k(x):\n    if x:\n        pass\n        x(1)\n"
        "    if x:\n        x(1)\n        pass\n    if x.y:\n        for x in x:\n            pass\n"
        "            x(3)\n    x(2)\n"
    ),
    "closing parentheses on rows of their own": (
        "def f(a, b):\n    c = 1\n    if (\n        a.b\n        and b.c\n    ):\n        return 1\n    x = (\n"
        "        a\n        + b\n    )\n    if (\n        a.b or b.c\n    ):\n        return 2\n\n"
        '    y = (a +\n         b)\n    return x\n\n\ndef g(\n    a, b: int = 1, c: str = "d"\n):\n'
        "    return a\n"
    ),
    "constants below return": (
        'def f(prefs):\n    if prefs:\n        return (\n            "WARNING: The system preference"\n'
        '            \' documents" is set\'\n        )\n    return None\ndef g(prefs):\n    if prefs:\n'
        '        return (\n            "WARNING: The system preference"\n        )\n    return None\n'
    ),
    "tests of None and of __debug__": (
        "def f(a, b):\n    while b:\n        if (\n            a is not None\n            and not a.b()\n"
        "            and not b\n        ):\n            a.c(None)\n        b.d()\n\n\ndef g(a, b):\n    if a.e(b):\n"
        "        if not (b.f & a.f\n                and b[0] is g and b[2] is None):\n            a.h(b)\n"
        "    elif a.i:\n        a.h(b)\n    return a.j\n\n\ndef k(a, b):\n    for c, d, e in a:\n"
        "        if d is not None and not (c <= d <= e):\n            continue\n        if c not in b:\n"
        "            b.l(c)\n        if d is not None:\n            b.l(3)\n\n\ndef m(a, b):\n"
        "    if __debug__ and b.n >= 4:\n        b.o()\n    if a:\n        if __debug__ and a.n >= 5:\n"
        "            b.o(3)\n    if __debug__ and a and a.n >= 6:\n        b.o(4)\n    return 5\n"
    ),
    "breaks and loops in loops": (
        "def f(a, b, c):\n    while True:\n        while (len(a) == 0 or len(b) == 0):\n            try:\n"
        "                d, e = next(c)\n            except StopIteration:\n                return\n"
        "            if d is not None:\n                a.append(d)\n            if e is not None:\n"
        "                b.append(e)\n        d = a.pop(0)\n        yield d, b.pop(0)\n\n\ndef g(a, b):\n"
        "    if a is not None:\n        while True:\n            if a.c:\n                a = a.d\n"
        "                continue\n            if b:\n                if a.e:\n                    c = a.f\n"
        "                    if c in b:\n                        break\n                    b.add(c)\n"
        "                    continue\n            break\n        if a.g:\n            a.h()\n    return a\n"
    ),
    "endless loops in endless loops": (
        "def f(a, b, c):\n    while True:\n        while True:\n            try:\n                d = a.e(f=False)\n"
        "            except b.G:\n                h.i(3)\n            else:\n                break\n"
        "        if d == c:\n            return\n        c.j(d)\n\n\ndef k(a):\n    a()\n"
        "    while 1:\n        while 1:\n            b = a(1)\n            if b: break\n            if c: continue\n"
        "            a(2)\n        if a(3): continue\n        a(4)\n\n\ndef l(a, b):\n    while True:\n"
        "        try:\n            while a < b:\n                a += b.c()\n        except D:\n            pass\n"
        "        else:\n            a()\n        if a(3): continue\n        a(4)\n"
    ),
    "exceptions without parentheses": (
        "def f(a):\n    try:\n        a()\n    except ValueError, KeyError:\n        pass\n"
        "    except (TypeError, OSError):\n        pass\n    except (A, B) as b:\n        a(b)\n"
    ),
    "guards behind patterns over lines": (
        "def f(a):\n    match a:\n        case {'b': str(), 'c': str()}:\n            pass\n        case {\n"
        "            'd': list(d),\n        } if all(isinstance(e, str) for e in d):\n            pass\n"
        "        case _:\n            raise AssertionError(a)\n"
    ),
    "a test below blank lines and its parenthesis": (
        "class A:\n    def f(self, req):\n        rule = req.url_rule\n\n\n        if (\n"
        '            getattr(rule, "provide_automatic_options", False)\n'
        '            and req.method == "OPTIONS"\n        ):\n'
        "            return self.make_default_options_response()\n        return self\n"
    ),
}

SINCE = {
    "a test of which the second row begins one column after the first": (3, 11),
    "functions on one line that return None": (3, 11),
    "a test below blank lines and its parenthesis": (3, 11),
    "constants below return": (3, 11),
    "operands of tests on rows of their own": (3, 11),
    "ends that the order of the constants tells": (3, 10), "breaks of which a NOP is left": (3, 10),
    "breaks out of handlers": (3, 10),
    "lines of statements that do nothing": (3, 10),
    "closing parentheses on rows of their own": (3, 11),
    "commas after the last element": (3, 11), "parameters on rows of their own": (3, 11),
    "negated groups, an if in an else clause": (3, 11),
    "imports whose parenthesis is indented": (3, 11),
    "formatted strings that show their sources, over lines": (3, 12), "a pass that ends a handler": (3, 11),
    "keyword arguments before an unpacked one, and the call of a method of a string": (3, 11),
    "imports in parentheses": (3, 11), "annotations that are strings": (3, 12),
    "formatted strings with line ends side by side": (3, 12),
    "commas at the end of an index": (3, 11),
    "strings of which only the place is left": (3, 11),
    "statements that do nothing": (3, 11), "tests of constants": (3, 12), "a pass in a loop": (3, 10),
    "a case of anything": (3, 10), "a test of a constant in a body": (3, 12), "what is done to a choice": (3, 11),
    "match": (3, 10), "except*": (3, 11), "type parameters": (3, 12),
    "a field over lines": (3, 12),
    "a formatted string with line ends": (3, 9), "strings without fields that are formatted": (3, 12),
    "quotes before a field": (3, 9), "a return before another end": (3, 11), "an assertion of nothing": (3, 11),
    "a pass in an elif in a loop": (3, 11),
    "generators of nothing": (3, 12), "tests of ones": (3, 11), "digits in groups": (3, 11),
    "folded constants": (3, 14), "what the order of constants shows to be folded": (3, 14),
    "sets in the order of the constants": (3, 14), "what no constant that comes later is a part of": (3, 14),
    "elements of constants over lines": (3, 11),
    "a break after other statements": (3, 11), "a break and an else at the beginning of a loop": (3, 11),
    "a return after a loop that a test ends": (3, 11),
    "a return at the end of a loop": (3, 11),
    "a continue where arms join": (3, 11),
    "a first test in parentheses": (3, 11),
    "a statement after a chained assignment": (3, 11),
    "a statement after an if whose else leaves": (3, 11),
    "an else that breaks out of an inner loop": (3, 11),
    "an operand below its elif": (3, 11),
    "breaks where arms join": (3, 13),
    "else clauses of what always leaves": (3, 11),
    "else clauses that begin with an assertion": (3, 11),
    "endless loops that begin with an if": (3, 11),
    "not before a comparison": (3, 11),
    "comparisons whose operands are loaded at once": (3, 11),
    "prefixes of formatted strings": (3, 12),
    "deletions": (3, 11),
    "bodies on the line of a decorated function": (3, 11),
    "tuples in fields": (3, 12),
    "strings below attributes of classes": (3, 11),
    "literals in parentheses after in": (3, 13),
    "adjacent literals and folded sums": (3, 11),
    "long literals left of percent": (3, 11),
    "returns and breaks after try statements": (3, 11),
    "returns after handlers with loops": (3, 11),
    "statements below match": (3, 11),
    "statements below else clauses": (3, 11),
    "last cases that drop the subject": (3, 10),
    "asserts that end loops": (3, 9),
    "else of returns before finally": (3, 11),
    "continue after with": (3, 11),
    "last statements before finally": (3, 11),
    "returns out of handlers": (3, 11),
    "returns out of with": (3, 11),
    "values in parentheses after return": (3, 11),
    "an else that only passes": (3, 12),
    "a continue after a try statement": (3, 11),
    "a continue after a loop": (3, 11),
    "conditional expressions that are statements": (3, 11),
    "returns below handlers": (3, 11),
    "a finally in an else": (3, 11),
    "parentheses around elements": (3, 11),
    "returns in try statements": (3, 11),
    "returns in with statements": (3, 11),
    "tests below a test": (3, 11),
    "loops in try statements whose finally body leaves": (3, 11), "tests of None and of __debug__": (3, 11),
    "breaks and loops in loops": (3, 11),
    "endless loops in endless loops": (3, 14), "exceptions without parentheses": (3, 14),
    "guards behind patterns over lines": (3, 11),
    "groups of and in parentheses": (3, 13), "a return in an else clause in a finally statement": (3, 11),
}  # fmt: skip
"""What older versions can't compile, or have no columns for; 3.8 gives fields on later lines wrong lines."""


def cases(versions):
    return [
        pytest.param(version, name, id=f"{version[0]}.{version[1]} {name}")
        for version in versions
        for name in CASES
        if version >= SINCE.get(name, (3, 8))
    ]


def laid_out(source: str, version: tuple[int, int]):
    return analyze(compile_source(source, version), layout="author")


@pytest.mark.parametrize(("version", "name"), cases(VERSIONS))
def test_the_text_comes_back_where_there_are_columns_else_its_lines(version, name):
    result = laid_out(CASES[name], version)
    assert all(part.verdict.identical and part.verdict.lines for part in result.walk()), result.source
    if version in HAVE_COLUMNS:
        assert result.source == CASES[name]
        assert all(part.verdict.columns for part in result.walk())
    else:
        assert all(part.verdict.columns is None for part in result.walk())


@pytest.mark.parametrize("version", [version for version in VERSIONS if version < (3, 14)], ids=str)
def test_constants_of_default_values_are_on_their_lines_where_the_compiler_left_nops(version):
    source = (
        "def f(a=None, b=4.5, *, d=1,\n      e=2):\n    pass\n\n\n"
        "def f(a, b=4.5, d=3,\n      e=None, f=None, g=3,\n      h=None):\n    pass\n"
    )
    result = laid_out(source, version)
    assert all(part.verdict.identical and part.verdict.lines for part in result.walk()), result.source
    if version >= (3, 10):
        assert result.source == source


@pytest.mark.parametrize("version", [version for version in HAVE_COLUMNS if version < (3, 14)], ids=str)
def test_lines_of_parameters_begin_in_one_column_whatever_it_is(version):
    source = (
        "def f(a, b, c=None,\n       d=None, e=None, g=None,\n       h=None, i=None):\n    pass\n"
        "class A:\n    def j(self,\n           b=None, c=None,\n           d=None, e=None):\n        pass\n"
    )
    assert laid_out(source, version).source == source


@pytest.mark.parametrize("version", [version for version in HAVE_COLUMNS if version < (3, 14)], ids=str)
def test_the_parameters_of_a_line_are_those_up_to_the_default_value_that_ends_it(version):
    source = (
        "def f(self, prec=None, rounding=None, Emin=None, Emax=None,\n"
        "      capitals=None, clamp=None, flags=None, traps=None,\n      ignored=None):\n    pass\n\n\nclass A:\n"
        "    def g(self, encode, decode, streamreader=None, streamwriter=None,\n"
        "        incrementalencoder=None, incrementaldecoder=None, name=None):\n        pass\n\n"
        "    def h(self, code, init_globals=None,\n          mod_name=None, mod_spec=None,\n"
        "          pkg_name=None, script_name=None):\n        pass\n\n\ndef i(\n"
        "    iterables, key_list=(0,), key=None, reverse=False, strict=False):\n    pass\n"
    )
    assert laid_out(source, version).source == source


SHORT_OF_LINES = {
    "escapes in a docstring": (
        'def f():\n    """A line that ends in b\'\\n\' is read.\n\n    B.\n    """\n    return a\n'
    ),
    "escapes in a string": "def f():\n    a = b('c\\n  d %s\\n\\n%s' %\n          (e, f))\n    return a\n",
    "many line ends": "def f():\n    a = '\\n' * 10 + 'b\\n'\n    return a\n\n\ndef g():\n    return f\n",
    "a pass at the end": (
        "def f(a):\n    for b in a:\n        if b == 0:\n            continue\n        try:\n            c(b)\n"
        "        except D:\n            pass\n\n\ndef g():\n    return f\n"
    ),
    "an elif after an if in a loop": (
        "def f(a, b):\n    for c in a:\n        if c == '1':\n            d()\n        elif c in 'aA':\n"
        "            if b > 0:\n                e()\n        elif c in 'iI':\n            if b > 0:\n"
        "                g()\n        else:\n            h()\n    return b\n"
    ),
    "an else of a try in a loop": (
        "def f(a):\n    while True:\n        try:\n            b = a()\n        except C:\n            continue\n"
        "        else:\n            d()\n            if b:\n                e()\n            g()\n"
    ),
}


@pytest.mark.parametrize("name", SHORT_OF_LINES)
@pytest.mark.parametrize("version", VERSIONS, ids=str)
def test_the_lines_come_back(version, name):
    result = laid_out(SHORT_OF_LINES[name], version)
    assert all(part.verdict.identical and part.verdict.lines for part in result.walk()), result.source


WRITTEN_OTHERWISE = {
    "comments": ("# a\na = b  # c\n\n# d\n# e\nc = d\n", "\na = b\n\n\n\nc = d\n"),
    "a form feed": ("a = b\n\x0c\nc = d\n", "a = b\n\nc = d\n"),
    "quotes that have no evidence": ('a = "b"\n', "a = 'b'\n"),
    "a comma after one argument": ("a = b(\n    c,\n)\n", "a = b(\n    c\n)\n"),
}


@pytest.mark.parametrize("name", WRITTEN_OTHERWISE)
@pytest.mark.parametrize("version", VERSIONS, ids=str)
def test_what_no_instruction_tells_of_is_left_out(version, name):
    source, expected = WRITTEN_OTHERWISE[name]
    result = laid_out(source, version)
    assert result.verdict.lines
    if version in HAVE_COLUMNS:
        assert result.source == expected
        assert result.verdict.columns


def corrupted(code: RawCode, chance: random.Random, kind: str) -> RawCode:
    """The code with line tables that lie."""
    for part in code.walk():
        places = list(part.positions())
        if kind == "shuffled":
            chance.shuffle(places)
        elif kind == "one for all":
            places = places[:1] * len(places)
        elif kind == "far away":
            places = [(2**30 + n, 2**30 + n, 2**20, 2**20 + 1) for n in range(len(places))]
        elif kind == "backwards":
            places.reverse()
        elif kind == "none":
            places = [(None, None, None, None)] * len(places)
        else:
            for n in range(len(places)):
                line, column = chance.randrange(-1, 30), chance.randrange(0, 90)
                places[n] = (line, line + chance.randrange(2), column, column + chance.randrange(9))
        part._positions = tuple(places)
    return code


def test_a_quote_before_a_field_does_not_end_its_string():
    text = 'a = f"""b "{c}", {d} "{e}" """\n'
    exploded = Text(cut(text, free_fields=True)).explode()
    assert '""" \\\nf"""{d}' in exploded
    assert ast.dump(ast.parse(exploded)) == ast.dump(ast.parse(text))


def test_a_statement_that_is_wrong_once_laid_out_is_alone_in_that():
    code = compile_source("a = b(c,\n      d)\n\ne = f(g,\n      h)\n", HOST_VERSION)
    layout = Layout("a = b(c, d)\ne = f(g, h)\n", code, lambda text: compile_source(text, HOST_VERSION))
    assert layout.text() == "a = b(c,\n      d)\n\ne = f(g,\n      h)\n"
    assert layout.loosen(2)
    assert layout.text() == "a = b(c, d)\n\n\ne = f(g,\n      h)\n"
    assert not layout.loosen(1)


@pytest.mark.parametrize("version", VERSIONS, ids=str)
def test_other_statements_keep_their_layout(version, monkeypatch):
    def wrong(items, indent, is_closed):
        if len(items) == 3 and items[2].line is not None:
            items.append(Item(")", None, None, 0, False, False))

    monkeypatch.setattr(lay_out, "add_parentheses", wrong)
    result = laid_out("a = b\n\ndef f(c):\n    return d(c,\n             e)\n", version)
    assert all(part.verdict.identical and part.verdict.lines for part in result.walk()), result.source


@pytest.mark.parametrize("version", VERSIONS, ids=str)
def test_what_stands_beside_a_refused_function_is_laid_out(version):
    source = "a = b(c,\n      d)\n\ndef e(f):\n    g()\n    return f\n\n\nh = i(j,\n      k)\n"
    code = compile_source(source, version)
    (refused,) = code.nested
    refused.bytecode = b"\xfe\x00" * 8
    result = analyze(code, layout="author")
    (part,) = result.nested
    assert part.verdict.level is Level.REFUSED
    assert result.verdict.identical and result.verdict.lines
    lines = result.source.splitlines()
    assert lines[:4] == source.splitlines()[:4] and lines[8:] == source.splitlines()[8:]
    assert "raise NotImplementedError(" in lines[4] and "depyf: e: " in lines[4]


FEW = [version for version in sorted({(3, 8), (3, 11), (3, 15), HOST_VERSION}) if version in VERSIONS]


def test_a_second_colon_that_ends_a_slice_comes_back():
    """From 3.14 on, such a slice is one constant."""
    source = "a(b[:4:], b[:len(b):], b[:42, ..., :24:, 24], [1, 2])\n"
    for version in VERSIONS:
        if (3, 11) <= version < (3, 14):
            assert laid_out(source, version).source == source


LIES = ["shuffled", "one for all", "far away", "backwards", "none", "random"]


@pytest.mark.parametrize("kind", LIES)
@pytest.mark.parametrize("version", FEW, ids=str)
def test_lines_that_lie_cost_no_verdict(version, kind):
    texts = [text for name, text in CASES.items() if name not in SINCE]
    source = "".join(texts[LIES.index(kind) % 3 :: 3])
    budget = 2_000_000  # what the searches for better spellings find must not depend on what is left of it
    plain = analyze(corrupted(compile_source(source, version), random.Random(28), kind), budget=budget)
    code = corrupted(compile_source(source, version), random.Random(28), kind)
    result = analyze(code, layout="author", budget=budget)
    for part, before in zip(result.walk(), plain.walk()):
        assert not part.verdict.level.is_weaker(before.verdict.level), part.qualname
    assert len(result.source) < 100_000


def sample(a,
           b=1):

    c = [a,
         b]
    return c


def test_a_function_begins_in_the_first_line():
    lines = depyf.decompile(sample, layout="author").splitlines()
    assert lines[3:] == ["    c = [a,", "         b]", "    return c"]


def test_compact_is_the_default():
    result = analyze(sample)
    assert result.verdict.lines is None and result.verdict.columns is None
    assert result.source == analyze(sample, layout="compact").source


def test_an_unknown_layout_is_an_error():
    with pytest.raises(ValueError, match="compact, author"):
        analyze(sample, layout="pretty")


class _Holder:
    def method(self):
        return [self,
                self]


def test_a_method_by_itself_has_its_columns_too():
    verdict = analyze(_Holder.method, layout="author").verdict
    assert verdict.lines and verdict.columns is (True if HOST_VERSION >= (3, 11) else None)


def test_a_folded_string_that_is_too_wide_keeps_the_lines_below():
    source = """def f(self):
    byline_text = "Python's Integrated Development\\nand Learning Environment" + 5*'\\n'
    self.idle = g(self, text='Credits', width=8,
                  background=self.bg,
                  command=self.show)
"""
    result = analyze(compile(source, "x.py", "exec"), layout="author")
    assert result.nested[0].verdict.lines
    assert result.source.splitlines()[2:] == source.splitlines()[2:]
