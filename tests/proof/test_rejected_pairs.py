"""Pairs of sources that differ in ways easy to overlook: none may be proven, and the reason names the difference."""

from __future__ import annotations

import pytest

REJECTED = {
    # Constants
    "1 and True": ("x = 1", "x = True", "operands"),
    "1 and 1.0": ("x = 1", "x = 1.0", "operands"),
    "0.0 and -0.0": ("x = 0.0", "x = -0.0", "operands"),
    "1j and -1j's zero": ("x = complex", "x = 0j", "instructions"),
    "text and bytes": ("x = 'a'", "x = b'a'", "operands"),
    "inside a tuple": ("x = (1, (2, 0))", "x = (1, (2, False))", "operands"),
    "inside a frozenset": ("x = y in {1, 2}", "x = y in {True, 2}", "operands"),
    "order of a frozenset that a loop sees": ("for x in {8, 0}: x()", "for x in {0, 8}: x()", "operands"),
    "tuple and list": ("x = (1, 2)", "x = [1, 2]", "different"),
    "None and ...": ("x = None", "x = ...", "operands"),
    "text of an f-string": ("x = f'{a}b'", "x = f'{a}c'", "operands"),
    # Operators and order
    "order of arguments": ("f(a, b)", "f(b, a)", "operands"),
    "order of operands": ("x = a + b", "x = b + a", "operands"),
    "augmented or not": ("def f(a, b):\n a += b\n return a", "def f(a, b):\n a = a + b\n return a", "operands"),
    "== and is": ("x = a == b", "x = a is b", "instructions"),
    "< and >": ("x = a < b", "x = a > b", "operands"),
    "is and is not as values": ("x = a is b", "x = a is not b", "operands"),
    "in and not in": ("if a in b: c()", "if a not in b: c()", ""),
    "is None and is not None": ("def f(a):\n if a is None: a()", "def f(a):\n if a is not None: a()", ""),
    "is None and not": ("def f(a):\n if a is None: a()", "def f(a):\n if not a: a()", ""),
    "sense of a jump": ("if a: b()", "if not a: b()", ""),
    "and for or": ("if a and b: c()", "if a or b: c()", ""),
    "keyword and positional": ("f(a, b=c)", "f(a, c)", ""),
    "name of a keyword": ("f(b=c)", "f(d=c)", "operands"),
    "star or not": ("f(*a)", "f(a)", ""),
    "conversion": ("x = f'{a!r}'", "x = f'{a!s}'", "operands"),
    "format": ("x = f'{a:>3}'", "x = f'{a}'", ""),
    "chained comparison evaluates once": ("x = a() < b() < c()", "x = a() < b() and b() < c()", ""),
    "order of targets": ("a = b = c()", "b = a = c()", "operands"),
    # Names
    "swapped names": (
        "def f(a, b):\n c = a\n d = b\n return c, d",
        "def f(a, b):\n d = a\n c = b\n return c, d",
        "operands",
    ),
    "global and local": ("def f():\n global a\n a = 1\n return a", "def f():\n a = 1\n return a", "instructions"),
    "attribute": ("a.b", "a.c", "operands"),
    "global for name": ("def f(): return a", "def f(): return b", "operands"),
    "closure and local": (
        "def f():\n a = 1\n def g(): return a\n return g",
        "def f():\n a = 1\n def g(a): return a\n return g",
        "",
    ),
    "level of an import": ("from . import a", "from .. import a", "operands"),
    "import as": ("import a.b", "import a.b as a", ""),
    # Control
    "else and after": (
        "def f(a):\n for b in a:\n  if b: break\n else: f()",
        "def f(a):\n for b in a:\n  if b: break\n f()",
        "",
    ),
    "break and continue": (
        "def f(a):\n for b in a:\n  if b: break\n  b()",
        "def f(a):\n for b in a:\n  if b: continue\n  b()",
        "",
    ),
    "while and if": ("def f(a):\n while a(): f()", "def f(a):\n if a(): f()", ""),
    "arm lost": ("if a: b()\nelse: c()", "if a: b()", ""),
    "statement after with lost": (
        "def f(a):\n with a:\n  return a()\n return 2",
        "def f(a):\n with a:\n  return a()",
        "operands",
    ),
    "return value": ("def f(a): return a", "def f(a): return", ""),
    "return and fall": ("def f(a):\n if a: return a\n a()", "def f(a):\n if a: a\n a()", ""),
    # Exceptions
    "else moved into try": (
        "def f(a):\n try: a()\n except E: return 1\n else: g()\n return 2",
        "def f(a):\n try:\n  a()\n  g()\n except E: return 1\n return 2",
        "handles an exception",
    ),
    "statement moved out of try": (
        "def f(a):\n try:\n  a()\n  b()\n finally: c()",
        "def f(a):\n a()\n try: b()\n finally: c()",
        "handles an exception",
    ),
    "code moved into a handler": (
        "def f(a):\n try: return a()\n except E: pass\n return g()",
        "def f(a):\n try: return a()\n except E: return g()",
        "",
    ),
    "finally and except": (
        "def f(a):\n try: a()\n finally: g()",
        "def f(a):\n try: a()\n except: g()",
        "",
    ),
    "exception type": (
        "def f(a):\n try: a()\n except E: g()",
        "def f(a):\n try: a()\n except F: g()",
        "operands",
    ),
    "order of handlers": (
        "def f(a):\n try: a()\n except E: g()\n except F: h()",
        "def f(a):\n try: a()\n except F: h()\n except E: g()",
        "operands",
    ),
    "as e": ("def f(a):\n try: a()\n except E as e: g()", "def f(a):\n try: a()\n except E: g()", ""),
    "raise and raise e": (
        "def f(a):\n try: a()\n except E as e: raise",
        "def f(a):\n try: a()\n except E as e: raise e",
        "",
    ),
    "raise from": ("def f(a): raise a from None", "def f(a): raise a", ""),
    "nested handlers swapped": (
        "def f(a):\n try:\n  try: a()\n  except E: g()\n finally: h()",
        "def f(a):\n try:\n  try: a()\n  finally: h()\n except E: g()",
        "",
    ),
    "with and finally": ("def f(a):\n with a: g()", "def f(a):\n a.__enter__()\n try: g()\n finally: a.__exit__()", ""),
    "async with": ("async def f(a):\n async with a: g()", "async def f(a):\n with a: g()", ""),
    "possibly unbound local under a handler": (
        "def f(a):\n if a: b = 1\n try: g()\n except E: return 2\n return b",
        "def f(a):\n if a: b = 1\n try:\n  g()\n  return b\n except E: return 2",
        "handles an exception",
    ),
    "local unbound by del under a handler": (
        "def f(b):\n del b\n try: g()\n except E: return 2\n return b",
        "def f(b):\n del b\n try:\n  g()\n  return b\n except E: return 2",
        "handles an exception",
    ),
    "local unbound by the end of a handler": (
        "def f(b):\n try: g()\n except E as b: pass\n try: g()\n except E: return 2\n return b",
        "def f(b):\n try: g()\n except E as b: pass\n try:\n  g()\n  return b\n except E: return 2",
        "handles an exception",
    ),
    "missing del": ("def f(a):\n b = a\n del b\n g()", "def f(a):\n b = a\n g()", ""),
    "missing del of an item": ("del a[1]", "a[1]", ""),
    "store lost": ("def f(a):\n b = a()\n g()", "def f(a):\n a()\n g()", ""),
    # Functions
    "docstring": ("def f():\n 'a'\n return 1", "def f():\n 'b'\n return 1", "docstring"),
    "docstring lost": ("def f():\n 'a'\n return 1", "def f(): return 1", "docstring"),
    "docstring of a class": ("class C:\n 'a'", "class C:\n 'b'", "operands"),
    "default": ("def f(a=1): pass", "def f(a=2): pass", "operands"),
    "which parameter has a default": ("def f(a, b=1): pass", "def f(a=1, b=1): pass", ""),
    "default lost": ("def f(a, b=1): pass", "def f(a, b): pass", ""),
    "keyword-only": ("def f(a, *, b): pass", "def f(a, b): pass", "parameters"),
    "positional-only": ("def f(a, /, b): pass", "def f(a, b): pass", "positional-only"),
    "keyword-only default": ("def f(*, a=1): pass", "def f(a=1): pass", ""),
    "order of parameters": ("def f(a, b): pass", "def f(b, a): pass", "parameters"),
    "name of *args": ("def f(*a): pass", "def f(*b): pass", "parameters"),
    "* and **": ("def f(*a): pass", "def f(**a): pass", "flags"),
    "annotation": ("def f(a: int): pass", "def f(a: str): pass", "operands"),
    "name of a function": ("def f(): pass", "def g(): pass\nf = g", ""),
    "lambda and function": ("f = lambda: 1", "def f(): return 1", ""),
    "qualified name": (
        "def f():\n def g(): pass\n return g",
        "def f():\n global g\n def g(): pass\n return g",
        "",
    ),
    "generator": ("def f():\n yield 1", "def f():\n return 1", "flags"),
    "generator by dead code": ("def f():\n return\n yield", "def f():\n return", "flags"),
    "coroutine": ("async def f(): pass", "def f(): pass", "flags"),
    "yield from and loop": ("def f(a): yield from a", "def f(a):\n for b in a: yield b", ""),
    "list and generator": ("x = [a for a in b]", "x = (a for a in b)", ""),
    "free variables": (
        "def f(a, b):\n def g(): return a, b\n return g",
        "def f(a, b):\n def g(): return b, a\n return g",
        "operands",
    ),
    "base class": ("class C(A): pass", "class C(B): pass", "operands"),
    "metaclass": ("class C(metaclass=A): pass", "class C: pass", ""),
    "decorators' order": ("@a\n@b\ndef f(): pass", "@b\n@a\ndef f(): pass", "operands"),
    "future annotations": ("from __future__ import annotations\ndef f(): pass", "import __future__\ndef f(): pass", ""),
    "nested code": (
        "def f():\n def g():\n  return [lambda: 1]\n return g",
        "def f():\n def g():\n  return [lambda: 2]\n return g",
        "operands",
    ),
    "private name": ("class C:\n def f(self): return self.__a", "class D:\n def f(self): return self.__a\nC = D", ""),
}


@pytest.mark.parametrize("name", REJECTED)
def test_rejected(name, judge):
    left, right, word = REJECTED[name]
    for one, other in ((left, right), (right, left)):
        level, reasons = judge(one, other)
        assert level.value == "unproven"
        assert reasons
    assert word in reasons


@pytest.mark.parametrize("name", REJECTED)
def test_proven_to_be_itself(name, judge):
    for text in REJECTED[name][:2]:
        assert judge(text, text)[0].value == "identical"
