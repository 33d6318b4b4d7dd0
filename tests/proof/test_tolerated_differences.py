"""Pairs of sources that do the same. On each CPython version some are the same bytecode and some only do the same."""

from __future__ import annotations

import pytest

from depyf.decompiler.bytecode import disassemble, load
from depyf.decompiler.proof import Level, prove

SAME_INSTRUCTIONS = {
    "nested ifs are `and`": (
        "def f(a, b):\n if a:\n  if b:\n   a()",
        "def f(a, b):\n if a and b:\n  a()",
    ),
    "elif is else: if": (
        "def f(a, b):\n if a: a()\n elif b: b()\n else: f()",
        "def f(a, b):\n if a: a()\n else:\n  if b: b()\n  else: f()",
    ),
    "two items of with are nested": (
        "def f(a, b):\n with a, b as c:\n  c()",
        "def f(a, b):\n with a:\n  with b as c:\n   c()",
    ),
    "De Morgan": (
        "def f(a, b):\n if not (a or b): a()",
        "def f(a, b):\n if not a and not b: a()",
    ),
    "dead code": (
        "def f(a):\n return a\n a()",
        "def f(a):\n return a",
    ),
    "folded constants": ("x = 2 * 3, 'a' + 'b'", "x = 6, 'ab'"),
    "list and tuple to iterate": ("for x in [1, 2]: x()", "for x in (1, 2): x()"),
    "set and frozenset to look in": ("x = y in {'a', 'b', 'c'}", "x = y in {'c', 'b', 'a'}"),
    "not in": ("def f(a, b): return not a in b", "def f(a, b): return a not in b"),
    "pass": ("def f():\n pass\n f()\n pass", "def f():\n f()"),
    "order in the pool of constants": ("def f(): return 1, g(2)", "def f():\n if 0: x = 2\n return 1, g(2)"),
    "lines": ("def f():\n\n\n return g(\n1)", "def f(): return g(1)"),
}
SAME_BEHAVIOUR = {
    "else after return": (
        "def f(a, b):\n if a: return b\n else: b()\n return a",
        "def f(a, b):\n if a: return b\n b()\n return a",
    ),
    "inverted if": (
        "def f(a):\n if a: f(1)\n else: f(2)\n return a",
        "def f(a):\n if not a: f(2)\n else: f(1)\n return a",
    ),
    "continue or if": (
        "def f(a):\n for b in a:\n  if b: continue\n  b()",
        "def f(a):\n for b in a:\n  if not b: b()",
    ),
    "else or after, handler returns": (
        "def f(a):\n try: a()\n except E: return 1\n else:\n  f(); g()",
        "def f(a):\n try: a()\n except E: return 1\n f(); g()",
    ),
    "conditional expression or statement": (
        "def f(a, b, c): return a if b else c",
        "def f(a, b, c):\n if b: return a\n return c",
    ),
    "while True and break": (
        "def f(a):\n while a(): f()",
        "def f(a):\n while True:\n  if not a(): break\n  f()",
    ),
    "while: true with test below": (
        "def f(a):\n while True:\n  f()\n  if a(): break",
        "def f(a):\n while True:\n  f()\n  if not a(): continue\n  break",
    ),
    "tail duplicated": (
        "def f(a):\n if a: g(1)\n else: g(2)\n h(a)\n return k(a, 1)",
        "def f(a):\n if a:\n  g(1)\n  h(a)\n  return k(a, 1)\n g(2)\n h(a)\n return k(a, 1)",
    ),
    "loop peeled": (
        "def f(a):\n while a(): g(1)\n return a",
        "def f(a):\n if a():\n  g(1)\n  while a(): g(1)\n return a",
    ),
    "is None, both ways": (
        "def f(a):\n if a is None: g(1)\n else: g(2)\n h()",
        "def f(a):\n if a is not None: g(2)\n else: g(1)\n h()",
    ),
    "is, both ways": (
        "def f(a, b):\n if a is b: g(1)\n else: g(2)\n h()",
        "def f(a, b):\n if a is not b: g(2)\n else: g(1)\n h()",
    ),
    "in, both ways": (
        "def f(a, b):\n if a in b: g(1)\n else: g(2)\n h()",
        "def f(a, b):\n if a not in b: g(2)\n else: g(1)\n h()",
    ),
    "in, in a handler": (
        "def f(a, b):\n try:\n  if a in b: g(1)\n  else: g(2)\n except E: h()",
        "def f(a, b):\n try:\n  if a not in b: g(2)\n  else: g(1)\n except E: h()",
    ),
    "else of a loop without break": (
        "def f(a):\n for b in a:\n  if b: return b\n else: g(2)\n h()",
        "def f(a):\n for b in a:\n  if b: return b\n g(2)\n h()",
    ),
    "a bound local moved over a handler's border": (
        "def f(a):\n try: b = g()\n except E: return 1\n return b",
        "def f(a):\n try:\n  b = g()\n  return b\n except E: return 1",
    ),
    "finally written out where nothing raises": (
        "def f(a):\n try:\n  pass\n finally: g()",
        "def f(a):\n g()",
    ),
}


@pytest.mark.parametrize("name", SAME_INSTRUCTIONS)
def test_same_instructions(name, judge):
    level, reasons = judge(*SAME_INSTRUCTIONS[name])
    assert level in (Level.IDENTICAL, Level.EXACT), reasons


@pytest.mark.parametrize("name", SAME_BEHAVIOUR)
def test_same_behaviour(name, judge):
    level, reasons = judge(*SAME_BEHAVIOUR[name])
    assert level in (Level.IDENTICAL, Level.EXACT, Level.EQUIVALENT), reasons


def test_most_of_them_are_not_the_same_instructions(judge):
    levels = [judge(*pair)[0].value for pair in SAME_BEHAVIOUR.values()]
    assert levels.count("equivalent") >= 8


def test_method_call_of_an_imported_name(compile_text):
    """The compiler reads the attribute of a name that the module imports in another way, on some versions."""
    imported = compile_text("import m\ndef f(a, b):\n with b:\n  return m.g(a.h(), *[m.k(x=1)])").nested[0]
    plain = compile_text("def f(a, b):\n with b:\n  return m.g(a.h(), *[m.k(x=1)])").nested[0]
    assert imported.bytecode != plain.bytecode
    assert prove(imported, plain).exact


DOUBLE_TESTS = {
    # On several lines the compiler does not thread the jump from one test to the next; on one line it does.
    "and below or": "def f(a, b, c, d): return (a() or{} b() and c() or d())",
    "or below and": "def f(a, b, c, d): return (a() and{} (b() or c()) and d())",
    "is None": "def f(a, b, c, d): return (a() or{} c() and b is None or d())",
    "is not None": "def f(a, b, c, d): return (a() or{} c() and b is not None or d())",
    "value": "def f(a, b, c, d):\n x = (a() or{} b() and c() or d())\n return x()",
    "handled": "def f(a, b, c, d):\n try: return (a() or{} b() and c in d or d())\n except E: return a",
}


@pytest.mark.parametrize("name", DOUBLE_TESTS)
def test_value_tested_twice_in_a_row(name, compile_text):
    text = DOUBLE_TESTS[name]
    left, right = compile_text(text.format("\n ")).nested[0], compile_text(text.format("")).nested[0]
    assert left.bytecode != right.bytecode
    for one, other in ((left, right), (right, left)):
        verdict = prove(one, other)
        assert verdict.level.value == "equivalent", verdict.describe()
        assert verdict.assumptions == ("testing the truth of a value twice in a row gives what testing it once gives",)
    for old, new in ((" or d", " and d"), ("(a() or", "(a() and"), ("(a() and", "(a() or"), ("c()", "not c()")):
        if old in text:
            assert not prove(left, compile_text(text.format("").replace(old, new)).nested[0]).proven


def test_cell_that_nobody_closes_over_is_a_local(compile_text):
    """Dynamo leaves such cells behind; no source has one, so the code is made by hand."""
    text = "def f(a):\n b = a\n def g(): return b\n b = 1\n return b"
    closing = compile_text(text).nested[0]
    without = compile_text("def f(a):\n b = a\n g = a\n b = 1\n return b").nested[0]
    assert not prove(closing, without).proven
    # Overwrite the four instructions that make g by `LOAD_FAST a` and NOPs.
    code = bytearray(closing.bytecode)
    instructions = disassemble(closing)
    first = next(i for i in instructions if i.op == "LOAD_CLOSURE").offset
    last = next(i for i in instructions if i.op == "MAKE_FUNCTION").offset
    code[first : last + 2] = bytes([124, 0]) + bytes([9, 0]) * ((last - first) // 2)
    verdict = prove(load(closing.code.replace(co_code=bytes(code))), without)
    assert verdict.exact, verdict.describe()
