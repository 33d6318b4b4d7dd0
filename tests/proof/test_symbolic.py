"""Pairs of sources that the symbolic proof takes for the same, and pairs that it does not."""

from __future__ import annotations

import types

import pytest

from depyf.decompiler.bytecode import Instruction, RawCode, disassemble, load
from depyf.decompiler.proof.symbolic.containers import SHARED_CLOSURE
from depyf.decompiler.proof.symbolic.prove import UNSEEN, prove_instructions, prove_symbolic


def raw(body: str) -> RawCode:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    module = compile(f"def f(a, b, c):\n{lines}", "<test>", "exec", dont_inherit=True)
    return load(next(constant for constant in module.co_consts if isinstance(constant, types.CodeType)))


EQUIVALENT = [
    ("temporaries", "return a(b)(c)", "t = a(b)\nreturn t(c)"),
    ("unused store", "return a", "t = b\nreturn a"),
    ("deleted local", "t = a()\ndel t\nreturn b", "t = a()\nreturn b"),
    ("private list", "return a(b, c)", "x = [b, c]\nreturn a(*x)"),
    ("edited private list", "return a([c])", "x = [b, [c]]\ndel x[0]\nreturn a(x[-1])"),
    ("list extended", "return a([b, c])", "x = [b]\nx += [c]\nreturn a(x)"),
    ("tuple unpacked", "return a(b, c)", "x, y = b, c\nreturn a(x, y)"),
    ("branch of known outcome", "return a(b)", "t = None\nif t is None:\n    return a(b)\nreturn c"),
    ("tail doubled", "if a:\n    b()\nreturn c()", "if a:\n    b()\n    return c()\nreturn c()"),
    ("test turned round", "if a:\n    return b\nreturn c", "if not a:\n    return c\nreturn b"),
    ("none test", "if a is None:\n    return b\nreturn c", "t = a is not None\nif t:\n    return c\nreturn b"),
    ("is as value", "return a is b or c", "t = a is b\nif t:\n    return t\nreturn c"),
    ("not in", "return not (a in b)", "return a not in b"),
    ("not in, tested", "if a not in b:\n    return c\nreturn b", "t = a in b\nif t:\n    return b\nreturn c"),
    ("finally", "try:\n    a()\nfinally:\n    b()\nreturn c",
     "try:\n    a()\nexcept:\n    b()\n    raise\nb()\nreturn c"),
    ("loop", "while a():\n    b()\nreturn c", "while True:\n    if not a():\n        return c\n    b()"),
    ("for", "for x in a:\n    b(x)\nreturn c", "for y in a:\n    t = b\n    t(y)\nreturn c"),
    ("keywords", "return a(b, k=c)", "return a(*[b], **{'k': c})"),
    ("mapping of a call", "return a(**b)", "t = b\nreturn a(**t)"),
    ("slice of a tuple", "t = (a, b)\nreturn t[:] is t", "return True"),
    ("cell", "def g():\n    return a\nreturn g", "def g():\n    return a\nt = g\nreturn t"),
]  # fmt: skip

DIFFERENT = [
    ("order of calls", "x = a()\ny = b()\nreturn c(x, y)", "y = b()\nx = a()\nreturn c(x, y)"),
    ("order of reads", "return len(max)", "t = max\nreturn len(t)"),
    ("call lost", "a()\nreturn b", "return b"),
    ("call doubled", "return a()", "a()\nreturn a()"),
    ("condition", "if a:\n    return b\nreturn c", "if a:\n    return c\nreturn b"),
    ("test twice", "if a:\n    return b\nreturn c", "if a and a:\n    return b\nreturn c"),
    ("constant type", "return 1", "return True"),
    ("zero", "return 0.0", "return -0.0"),
    ("identity of lists", "x = [a]\nreturn b(x, x)", "return b([a], [a])"),
    ("list or tuple", "return [a]", "return (a,)"),
    ("alias lost", "x = [a]\ny = x\ny += [b]\nreturn x", "x = [a]\ny = [a]\ny += [b]\nreturn x"),
    ("escaped list", "x = [a]\nb(x)\nreturn x[0]", "x = [a]\nb(x)\nreturn a"),
    ("in place", "a += b\nreturn a", "a = a + b\nreturn a"),
    ("is or equal", "return a is b", "return a == b"),
    ("out of try", "try:\n    a()\nfinally:\n    b()\nreturn c", "a()\nb()\nreturn c"),
    ("into try", "a()\ntry:\n    b()\nfinally:\n    c()", "try:\n    a()\n    b()\nfinally:\n    c()"),
    ("swallowed", "try:\n    a()\nfinally:\n    b()\nreturn c",
     "try:\n    a()\nexcept BaseException:\n    b()\nreturn c"),
    ("call in handler", "try:\n    a()\nexcept ValueError:\n    return b()\nreturn c",
     "x = 0\ntry:\n    a()\nexcept ValueError:\n    x = 1\nif x:\n    return b()\nreturn c"),
    ("unbound", "if a:\n    x = b\nreturn x", "x = None\nif a:\n    x = b\nreturn x"),
    ("in or not in", "return a in b", "return a not in b"),
    ("bool of value", "return a and b", "return bool(a) and b"),
    ("tested value", "x = a in b\nif x:\n    return c\nreturn b", "x = a(b)\nif x:\n    return c\nreturn b"),
    ("keyword", "return a(k=b)", "return a(l=b)"),
    ("keyword twice", "return a(**{'k': b}, **{'k': c})", "return a(k=c)"),
    ("star", "return a(*b)", "return a(b)"),
    ("loop left early", "for x in a:\n    b(x)\nreturn c", "for x in a:\n    b(x)\n    break\nreturn c"),
    ("attribute stored", "a.x = b\nreturn c", "a.y = b\nreturn c"),
    ("out of range", "return [a][1]", "return a"),
    ("variables seen", "x = a()\nreturn locals()", "a()\nreturn locals()"),
    ("variables seen by eval", "x = a()\nreturn eval(b)", "a()\nreturn eval(b)"),
    ("frame seen", "x = a()\nreturn b._getframe()", "a()\nreturn b._getframe()"),
    ("first parameter seen", "a = b\nreturn super().x()", "return super().x()"),
    ("first parameter seen in a loop", "while b():\n    a = super().x()", "while b():\n    super().x()"),
    ("default", "def g(x=a):\n    return x\nreturn g", "def g(x=b):\n    return x\nreturn g"),
]  # fmt: skip


@pytest.mark.parametrize(("left", "right"), [case[1:] for case in EQUIVALENT], ids=[case[0] for case in EQUIVALENT])
def test_equivalent(left: str, right: str):
    verdict = prove_symbolic(raw(left), raw(right))
    assert verdict.proven, verdict.describe()
    assert verdict.assumptions in ((), (UNSEEN,))
    assert prove_symbolic(raw(right), raw(left)).proven


@pytest.mark.parametrize(("left", "right"), [case[1:] for case in DIFFERENT], ids=[case[0] for case in DIFFERENT])
def test_different(left: str, right: str):
    verdict = prove_symbolic(raw(left), raw(right))
    assert not verdict.proven
    assert verdict.reasons
    assert not prove_symbolic(raw(right), raw(left)).proven


def test_assumption_is_named():
    verdict = prove_symbolic(raw("a += b\nreturn a"), raw("a += b\nreturn a"))
    assert verdict.proven and not verdict.assumptions


def test_the_first_parameter_may_change_on_both_sides():
    assert prove_symbolic(raw("a = b\nreturn super().x()"), raw("t = b\na = t\nreturn super().x()")).proven


def test_budget():
    body = "\n".join(f"if a.x{number}:\n    b = c()" for number in range(12)) + "\nreturn b"
    assert prove_symbolic(raw(body), raw(body)).proven
    verdict = prove_symbolic(raw(body), raw(body), budget=10)
    assert not verdict.proven and "gave up" in verdict.reasons[0]


def test_nested_functions_come_back_as_pairs():
    verdict = prove_symbolic(raw("def g():\n    return 1\nreturn g"), raw("def g():\n    return 2\nreturn g"))
    assert verdict.proven
    assert [(left.name, right.name) for left, right in verdict.pairs] == [("g", "g")]


TWO_CLOSURES = "x = a\ndef g(): return x\nb(g)\ndef h(): return x\nreturn c(h)"


def test_two_functions_with_one_tuple_of_cells():
    """Dynamo's, where it runs a comprehension by itself, and then the rest of the function."""
    code = raw(TWO_CLOSURES)
    instructions = disassemble(code)
    first, second = [n for n, ins in enumerate(instructions) if ins.op == "BUILD_TUPLE" and ins.arg == 1]
    between = [Instruction("COPY", 1), Instruction("STORE_FAST", "t"), *instructions[first + 1 : second - 1]]
    shared = [*instructions[: first + 1], *between, Instruction("LOAD_FAST", "t"), *instructions[second + 1 :]]
    verdict = prove_instructions((code, code), (shared, disassemble(code)))
    assert verdict.proven and SHARED_CLOSURE in verdict.assumptions, verdict.describe()
    assert SHARED_CLOSURE not in prove_symbolic(code, raw(TWO_CLOSURES)).assumptions
    other = raw(TWO_CLOSURES.replace("x = a", "x = y = a").replace("def h(): return x", "def h(): return y"))
    assert not prove_instructions((code, other), (shared, disassemble(other))).proven
