"""`depyf.verify`: whether two do the same, and where they first differ, in words."""

from __future__ import annotations

import functools
import textwrap
import types

import pytest

import depyf
from depyf.decompiler.bytecode import load
from depyf.decompiler.proof import Level, Verdict, verification, verify


def function(text, name="f", **globals):
    exec(compile(textwrap.dedent(text), "text", "exec", dont_inherit=True), globals)
    return globals[name]


DIFFERENCES = {
    # shape -> (one, other, the first difference in words)
    "a global of another name": (
        "def f(a):\n b = a\n print(b)",
        "def f(a):\n b = a\n\n input(b)",
        "f: different operands: at line 3 `LOAD_GLOBAL print` against line 4 `LOAD_GLOBAL input`",
    ),
    "a constant of another type": (
        "def f(): return g(1)",
        "def f(): return g(True)",
        "f: different operands: at line 1 `CONST 1` against line 1 `CONST True`",
    ),
    "a constant in a tuple": (
        "def f(): return (1, 0.0)",
        "def f(): return (1, -0.0)",
        "f: different operands: at line 1 `CONST (1, 0.0)` against line 1 `CONST (1, -0.0)`",
    ),
    "another operator": (
        "def f(a):\n return a + a",
        "def f(a):\n return a - a",
        "f: different operands: at line 2 `BINARY_OP +` against line 2 `BINARY_OP -`",
    ),
    "another operation": (
        "def f(a):\n return a.b",
        "def f(a):\n return a[b]",
        "f: different instructions: at line 2 `LOAD_ATTR b` against line 2 `LOAD_GLOBAL b`",
    ),
    "a test turned around": (
        "def f(a, b):\n if a:\n  b()\n a()",
        "def f(a, b):\n if not a:\n  b()\n a()",
        "f: different operands: at line 3 `LOAD_FAST b` against line 4 `LOAD_FAST a`",
    ),
    "the first of several": (
        "def f(a):\n if a:\n  b()\n else:\n  c()\n d()",
        "def f(a):\n if a:\n  x()\n else:\n  y()\n z()",
        "f: different operands: at line 3 `LOAD_GLOBAL b` against line 3 `LOAD_GLOBAL x`",
    ),
    "a statement too many": (
        "def f(a):\n a()",
        "def f(a):\n a()\n a()",
        "f: different instructions: at line 2 `CONST None` against line 3 `LOAD_FAST a`",
    ),
    "a call with a keyword": (
        "def f(a):\n a(1)",
        "def f(a):\n a(b=1)",
        "f: different operands: at line 2 `CALL",
    ),
    "a handler more": (
        "def f(a):\n b()",
        "def f(a):\n try:\n  b()\n except A: pass",
        "f: only the second handles an exception raised here: at line 2 `LOAD_GLOBAL b` against line 3 `LOAD_GLOBAL b`",
    ),
    "parameters in another order": (
        "def f(a, b): return c",
        "def f(b, a): return c",
        "f: parameters: ('a', 'b') against ('b', 'a')",
    ),
    "a keyword-only parameter": (
        "def f(a, b): return a",
        "def f(a, *, b): return a",
        "f: number of positional parameters: 2 against 1",
    ),
    "a positional-only parameter": (
        "def f(a, b): return a",
        "def f(a, /, b): return a",
        "f: number of positional-only parameters: 0 against 1",
    ),
    "a list and a tuple of the rest": (
        "def f(*a): return a",
        "def f(**a): return a",
        "f: flags: *args against **kwargs",
    ),
    "a generator": (
        "def f(a): return a",
        "def f(a): yield a",
        "f: flags: none of it against generator",
    ),
    "a docstring": (
        "def f(): 'one'",
        "def f(): 'other'",
        "f: docstring: 'one' against 'other'",
    ),
    "free variables": (
        "def f(a, b):\n def g(): return a\n return g",
        "def f(a, b):\n def g(): return b\n return g",
        "f: different operands: at line 2 `LOAD_CLOSURE a` against line 2 `LOAD_CLOSURE b`",
    ),
    "a function in it": (
        "def f(a):\n def g(): return 1\n return g",
        "def f(a):\n def g(): return 2\n return g",
        "f.<locals>.g: different operands: at line 2 `CONST 1` against line 2 `CONST 2`",
    ),
    "a default value": (
        "def f(a, b=1): pass",
        "def f(a, b=1.0): pass",
        "f: default of b: 1 against 1.0",
    ),
    "no default value": (
        "def f(a, *, b=1): pass",
        "def f(a, *, b): pass",
        "f: default of b: 1 against none",
    ),
}


@pytest.mark.parametrize("shape", DIFFERENCES)
def test_the_first_difference_in_words(shape):
    one, other, words = DIFFERENCES[shape]
    verdict = verify(function(one), function(other))
    assert verdict.level is Level.UNPROVEN
    assert str(verdict.difference).startswith(words)
    assert verify(function(one), function(one)).exact
    assert verify(function(other), function(other)).exact


def test_the_order_of_free_variables_counts():
    # The compiler sorts them; a tool that makes code need not.
    code = function("def f(a, b):\n def g(): return a, b\n return g", "f")(1, 2).__code__
    raw, other = load(code), load(code)
    other.freevars = other.freevars[::-1]
    verdict = verify(raw, other)
    assert str(verdict.difference) == f"{raw.qualname}: free variables: ('a', 'b') against ('b', 'a')"


def test_defaults_that_are_no_literals_are_compared_by_identity():
    one, other = object(), object()
    left = function("def f(a, b=c): pass", c=one)
    assert verify(left, function("def f(a, b=c): pass", c=one)).proven
    verdict = verify(left, function("def f(a, b=c): pass", c=other))
    assert str(verdict.difference) == "f: default of b: an object of type object against another object of type object"
    # Of code objects nobody knows the defaults.
    assert verify(left.__code__, function("def f(a, b=c): pass", c=other)).proven


def test_annotations_are_no_part_of_it_and_globals_are_assumed_alike():
    left = function("def f(a: 1): return b", b=1)
    assert verify(left, function("def f(a: 2): return b", b=1)).assumptions == ()
    verdict = verify(left, function("def f(a: 2): return b", b=2))
    assert verdict.identical and verdict.assumptions == ("globals are alike: b (f)",)


def test_raw_code_is_taken_and_versions_do_not_mix():
    code = function("def f(a): return a").__code__
    raw, foreign = load(code), load(code)
    assert verify(raw, code).identical
    foreign.version = (3, 7) if raw.version != (3, 7) else (3, 8)
    with pytest.raises(depyf.DepyfError, match="instructions differ by version; compile both with one"):
        verify(raw, foreign)


@pytest.mark.parametrize("bad, words", [(3, "give a function"), (int, "implemented in C"), (len, "implemented in C")])
def test_what_has_no_bytecode_is_refused(bad, words):
    def f(a):
        return a

    with pytest.raises(TypeError, match=f"the second argument, of type .*{words}"):
        verify(f, bad)


def test_verify_is_public():
    assert depyf.verify is verify


def test_verify_takes_functions_methods_wrapped_ones_and_code():
    def f(a):
        return [lambda: a for b in a]

    class C:
        def f(self):
            return 1

        def g(self):
            return 2

    assert verify(f, f).identical
    assert verify(f.__code__, f).identical
    assert verify(functools.partial(f).func, functools.wraps(f)(functools.lru_cache(f))).proven
    assert not verify(C.f, C().g).proven
    with pytest.raises(TypeError, match="the first argument, of type int, has no bytecode"):
        verify(3, f)


def test_verify_proves_what_is_nested_and_names_what_is_not():
    def make(constant):
        space: dict[str, types.FunctionType] = {}
        exec(f"def f():\n def g():\n  return lambda: {constant}\n return g", space)
        return space["f"]

    assert verify(make(1), make(1)).identical
    verdict = verify(make(1), make(2))
    assert verdict.level is Level.UNPROVEN
    assert verdict.reasons[0].startswith("f.<locals>.g.<locals>.<lambda>: different operands")


def test_verify_is_only_as_exact_as_what_is_nested():
    space: dict[str, types.FunctionType] = {}
    exec("def f():\n def g(a):\n  if a: h(1)\n  else: h(2)\n return g", space)
    left = space["f"]
    exec("def f():\n def g(a):\n  if not a: h(2)\n  else: h(1)\n return g", space)
    assert verify(left, space["f"]).describe() == "equivalent (by lock-step)"


def test_verify_collects_assumptions(monkeypatch):
    code = function("def f():\n return lambda: 1").__code__

    def prove_all(original, other):
        verdicts = [Verdict(Level.EXACT), Verdict(Level.EQUIVALENT, "lock-step", assumptions=("a", "b"))]
        return {raw: (verdict, None) for raw, verdict in zip(original.walk(), verdicts)}

    monkeypatch.setattr(verification, "prove_all", prove_all)
    verdict = verify(code, code)
    assert verdict.level is Level.EQUIVALENT and verdict.assumptions == ("a", "b")
    assert verdict.describe() == "equivalent (by lock-step); assuming a; b"
