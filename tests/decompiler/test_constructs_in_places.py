"""Constructs in places where few people write them: each kind that benchmarks/attack/every_construct.py has found."""

from __future__ import annotations

import ast

import pytest

from depyf.decompiler.bytecode.interpreters import HOST_VERSION, find_interpreter
from depyf.decompiler.bytecode.versions import HOSTS
from depyf.decompiler.pipeline import analyze
from depyf.decompiler.proof.scaffold import compile_source
from depyf.errors import DecompilationError

VERSIONS = [one for one in HOSTS if one == HOST_VERSION or find_interpreter(one)]

KINDS = {
    "a lambda with a comprehension that stores to any target": [
        "v = lambda x: [x for y.n in y]", "v = lambda x: [x for y, (*z, w) in y]", "v = lambda: {x: y for [x, y] in z}",
        "class C:\n  v = lambda: [x for y[0] in z]", "v = lambda x: [x for y in y if (w := y) for z.n in w]",
    ],
    "a lambda that decorates": [
        "class C:\n  @(lambda: x)\n  def m(self): pass", "@(lambda x: x)\n@x.y\nclass C: pass",
        "@(lambda x: x)\n@(lambda x: x)\ndef f(a): return a", "v = (lambda x: x)(lambda: 1)",
    ],
    "a lambda that is a type": [
        "type X = lambda *, x: x", "type X[T] = lambda: T", "type X = (lambda: (y for y in x))",
    ],
    "mappings spread in a comprehension of a class": [
        "class C:\n  type X[T] = ({**x for y in w}, [*x for y in w], {*x for y in w}, (*x for y in w))",
        "class C:\n  x: {**x for y in w if y}",
    ],
    "private names among the bases of a generic class": [
        "class C:\n  class D[T](__y, k=__z):\n    __y", "class D[T: __b](__y): __y",
        "class C:\n  class __D[T](__y): pass",
    ],
    "private generic definitions": [
        "class C:\n  def __m[T: (1, 2)](x, *, __y=(lambda: 1), z, w=3): v(3)", "class C:\n  type __X[T] = T",
        "class C(x):\n  def m(self, x):\n    def f[T: (__y, z)](x, *, __y=(1, 2), z, w=3): v(3)",
    ],
    "imports of private names": [
        "class C:\n  from m import __x", "class C:\n  from m import __x as y, b as __z",
        "class C:\n  import x.__y.z as x", "class C:\n  from m import _C__x",
        "class C:\n  from m import _C__x as __x, __y as __z", "class C:\n  import __y.x",
    ],
    "annotations of targets that are no names, by future": [
        "from __future__ import annotations\nclass C:\n  x.n: y", "from __future__ import annotations\nx[y]: z",
        "'doc'\nfrom __future__ import annotations\nfor x in y:\n  x[y]: z = w",
        "from __future__ import annotations\nclass C[T]:\n  if x:\n    x.n: y",
        "from __future__ import annotations\nclass C:\n  class D[T](y): 1.5.n: x = y",
    ],
    "statements below an attribute in a generic method": [
        "class C:\n  class D[T]:\n    def m[U](self, x):\n      self.x: T = 1\n      v(3)\n  z: int = 1",
        "from __future__ import annotations\nclass D[T]:\n  def m[U](self):\n    self.x: T = 1\n    v(3)\n  z: int",
    ],
    "a constant that a condition leaves in a display": [
        "v = [1 if 1 else 0, 2, 3]\nw = [1, 2, 3]", "v = {1 or 0, 2, 3}, {4, 5, 6}", "v = {1 or 0: x, 3: y}",
        "v = {'a' if __debug__ else 'b': x, 'c': y}", "def f(): return [0, 2 if __debug__ else 1, 3], (1 or 0, 2)",
    ],
    "a constant that a condition leaves in annotations": [
        "def f(x: 1 or 0): pass", "def f(x: 2, y: 'a' if __debug__ else 'b') -> 3: pass",
        "async def f(x: 1 or 0): pass",
        "def f(x: 1 or 0, *, y: 2 = 3): pass", "class C:\n  def m(self, x: 'a' if __debug__ else x, y: 1): pass",
    ],
    "a constant that a condition leaves in a type parameter": [
        "type X[T: '' or x] = 1", "def f[T: x if '' else y](): pass", "class C[T: f'' or x or b'']: pass",
        "type X[T: (1, 2) if __debug__ else x] = 1", "type X[T: (x, y) if 1 else x] = 'a' or x", "type X[T: 'x'] = ''",
        "type X[*T, U: b'' or T] = 0", "type X[T] = 1 or (T, lambda: T)", "def f[T: 0 and x, U: (x, 1 or T)](): pass",
    ],
    "a type parameter whose name a comprehension binds, too": [
        "type X[*T] = {0: 0 for T in x} or (lambda: T)", "type X[T] = [T for T in x] if (0 for y in z if T) else 0",
    ],
    "a list that a condition leaves where lists are tuples": [
        "for x in [y, z] if __debug__ else (): v", "v = [x for x in ([1, 2] if 1 else y)]",
        "for x in {1} if 1 else y: v",
        "v = x in ([y, z] if __debug__ else x)", "v = x < y not in ([1] if 1 else x)", "for x in [y] if 1 else z: v",
    ],
    "a condition in an expression that a constant decides": [
        "f(a if c or True else b)", "f(x, a if c and False else b)", "v = lambda: a if c or 1 else b",
        "x = y + (a if c or 1 else b)", "f(k=1, y=a if c and 0 else b)", "x.y(z)[a if c and 0 else b] = 3",
        "f(a, (b if c or 1 else d).e, g)", "v = {k: a if c or 1 else b for k in z}", "v = x < (a if c or 1 else b) < y",
        "f(x)(a if c is None or 1 else b)", "v = f'{x} {a if c or 1 else b}'", "f(x, a if c or d or True else b)",
        "f(x, a if c and d and 0 else b)", "f(x, (1 if c or 1 else b), 2)", "f(x, (lambda: 1) if c or 1 else b)",
        "for i in y:\n  if i: f(i, a if i or 1 else b)", "type X[T: [x, 'a'] if y or 1 else z] = x if y and 0 else T",
    ],
    "a condition in an operand that a constant decides": [
        "v = d or (a if c or 1 else b)", "v = d and (a if c and 0 else b)", "v = lambda: d or (a if c or 1 else b)",
        "def f():\n  if x: return y if z else (a if c or 1 else b)\n  return d and (a if c and 0 else b.n)(3)",
        "v = w or (a if c or 1 else b) or (x if y and 0 else z)", "v = (z if e and 0 else w) if a else 1",
        "v = [x if y else (a if c and 0 else b) for i in j]", "f(x or (a if c is None or 1 else b), 1)",
        "v = d or (1 if c or 1 else b)",
        "while d and (a if c and 0 else b): x()", "v = d or (a < b < g if c or 1 else b)",
        "v = d or ((a or g) if c or 1 else b)", "v = (a if c or 1 else b) if d else ((a if z and 0 else b) or i)",
        "assert d or (a if c or 1 else b), m", "def f():\n  if a:\n    if c or 1: return b\n  return d",
    ],
    "a constant in a conditional expression that is a condition": [
        "if 1 if a else b:\n  c()", "if e: f()\nelif (b if a else 1) and c: d()\nelse: g()", "assert 0 if a else b, m",
        "while x:\n  if 0 if a else b: break\n  g()", "while (1 if a else b) or c: pass",
        "if a: pass\nelif b: c()\nelse: d()", "if a: pass\nelse: b and c()",
    ],
    "a condition with a negated arm": [
        "while x if y else z is None: v()", "if (a or b) if c else not (d or e): v()\nw()",
        "while (not x if y else z) and w: v()", "while (x and a) if (y or b) else not z: v()\nelse: w()",
        "def f():\n  try: v()\n  except* x: w()\n  while a if b else not c: v()",
        "def f():\n  try:\n    if x: v()\n    elif a if b else not c: w()\n  except* x: w()\n  d()",
    ],
    "alternatives of which nothing is left": [
        "match x:\n  case 0 | _: a()\nb()", "match x:\n  case 1: c()\n  case [0 | 1 | _, 2 | _]: pass",
    ],
    "awaited comprehensions": [
        "async def f(x):\n  yield x\n  x = await [x for x in x if x]", "async def f(x):\n  await [y async for y in x]",
        "async def f(x):\n  return [y async for y in x], [await y for y in await x], await {y: 1 for y in x}",
    ],
    "ends of statements whose beginnings are cut off as dead": [
        "def f(x):\n  return x\n  with z as x, w as y: v(3)", "def f(x):\n  return x\n  with z as x:\n    v(3)",
    ],
    "cells of comprehensions in dead code": [
        "def f(x):\n  if 0:\n    v[[lambda: (x, y) for y in y]] = 1\n  return y",
        "def f(x):\n  while x:\n    x: [lambda: (x, y) for y in y]\n    v(2)\n  return y",
    ],
    "one manager that is a constant tuple": ["with ((1, 2)): v", "with 1:\n  with (2, 3): v", "with ((x, y)): v"],
    "conditional annotations beside others, by future": [
        "from __future__ import annotations\nclass C:\n  if x: w.n: x = 1\n  z: int = 1",
        "from __future__ import annotations\nclass C:\n  if x: w.n: x = 1\n  z.n: int = 1",
        "from __future__ import annotations\nclass C:\n  if x: w: x = 1\n  z.n: int = 1",
    ],
    "a name of a function that only dead code of a class binds": [
        "def f(a, c):\n  class C:\n    x[c]\n    if 0: a = 1\n    v(a)",
        "def f(T):\n  class C[T]:\n    while 0: x = T\n",
        "def f(a, c):\n  class C[T]:\n    if 0: import a\n    v = a, c",
        "def f(a):\n  def g():\n    class C:\n      if False:\n        def a(): pass\n      v = a\n    return C, a",
        "def f(a):\n  class C:\n    'doc'\n    a: int\n    v = a\n  return C",
        "def f(a):\n  class C:\n    v = a\n    del a",
    ],
    "annotations of a class whose end is never reached": [
        "class C:\n  if x: y: int\n  raise z", "class C:\n  'doc'\n  if x: y: int = 1\n  while 1: z",
        "class C:\n  for x in y:\n    x: T\n    z = 2\n    w: T = 3\n  while True: z",
        "class C:\n  if x: y: int\n  if False: w: int\n  if x: z: int\n  raise",
        "class C:\n  try: x: y\n  except z: x: w\n  raise", "class C[T]:\n  with x: y: T\n  raise z",
        "def f(x):\n  class C:\n    def m(self): return x\n    if x:\n      y = z = w\n      z: int\n    raise",
        "class C:\n  try: x: int = 1\n  finally: y: int\n  while 1: z()",
    ],
    "choices as the last operand of a value that ends the code": [
        "v = (x or y) and (x == y != z)", "v = x or y and (a < b < c < d)", "v = w if x and y else (x < y <= z)",
        "def f(self):\n  self.x = y and a < b < c", "if x: v = y and a < b < c\nelse: v = y or a < b < c",
    ],
}  # fmt: skip

NEW = {
    "a lambda that is a type", "mappings spread in a comprehension of a class", "private generic definitions",
    "statements below an attribute in a generic method", "private names among the bases of a generic class",
    "a constant that a condition leaves in a type parameter", "a type parameter whose name a comprehension binds, too",
}  # fmt: skip
"""Where all texts are of 3.12 or later."""


@pytest.mark.parametrize("kind", list(KINDS))
def test_everything_is_proven(kind: str):
    compiled = 0
    for version in VERSIONS:
        for text in KINDS[kind]:
            try:
                raw = compile_source(text + "\n", version)
            except DecompilationError:
                continue
            compiled += 1
            for layout in ("compact", "author"):
                result = analyze(raw, layout=layout)
                verdicts = [part.verdict for part in result.walk()]
                assert all(one.proven for one in verdicts), (version, text, result.source)
                assert not result.text.meant and not result.text.own
    assert compiled or kind in NEW


def test_a_call_below_an_attribute_is_no_annotation():
    """Without a line table nothing tells the two apart; a call is more likely a statement."""
    text = "x: int = 1\ny.n = 1\nf(3)\n"
    raw = compile_source(text, HOST_VERSION)
    raw.linetable = b""
    assert ast.dump(ast.parse(analyze(raw).source)) == ast.dump(ast.parse(text))


def test_a_value_ends_where_a_statement_does():
    """A with statement that returns a choice, and the end behind it, are no copies of each other."""
    for text in ("with x: return a or b", "with x: return a and (b if c else d)",
    "for y in z:\n    with x: return a or b"):
        for version in VERSIONS:
            result = analyze(compile_source(f"def f():\n  {text}\n", version))
            assert all(part.verdict.exact for part in result.walk()), (version, result.source)


def test_a_test_before_a_choice_is_a_statement():
    for text in ("if c:\n    pass\nv = a or b", "if a:\n    if c:\n        pass\n    v = a or d\nelse:\n    v = b"):
        for version in VERSIONS:
            assert analyze(compile_source(text + "\n", version)).source.strip() == text, version


def test_a_constant_in_a_condition_is_told_from_pass():
    """The jump that is left of it has the line of the test, and that of a body another one."""
    for text in ("if True if a else b:\n    c()", "if a:\n    pass\nelif b:\n    c()\nelse:\n    d()"):
        for version in VERSIONS:
            assert analyze(compile_source(text + "\n", version)).source.strip() == text, version


def test_a_condition_with_a_negated_arm_is_one_condition():
    for test in ("a or b if c else not (d or e)", "not (a if b else c) and d", "a if b else c is None"):
        for text in (f"if {test}:\n    v()\nw()", f"while {test}:\n    v()", f"while x:\n    if {test}:\n        v()"):
            for version in VERSIONS:
                assert analyze(compile_source(text + "\n", version)).source.strip() == text, version
    text = "for x in y:\n    if a:\n        if not b:\n            continue\n    elif c:\n        continue\n    v()"
    for version in VERSIONS:
        assert analyze(compile_source(text + "\n", version)).source.strip() == text, version
