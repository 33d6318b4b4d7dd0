"""What the recompiled side holds longer than the original is told, and makes nothing unproven."""

from __future__ import annotations

import types

import pytest

from depyf.decompiler.bytecode import RawCode, load
from depyf.decompiler.proof.symbolic.prove import prove_symbolic


def raw(body: str) -> RawCode:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    module = compile(f"def f(a, b, c):\n{lines}", "<test>", "exec", dont_inherit=True)
    return load(next(constant for constant in module.co_consts if isinstance(constant, types.CodeType)))


HELD = [
    ("variable", "if a():\n    return b()", "t = a()\nif t:\n    return b()", [("t", 4)]),
    ("parameter not deleted", "del a\nreturn b()", "return b()", [("a", 2)]),
    ("parameter not overwritten", "a = None\nreturn b()", "t = None\nreturn b()", [("a", 3)]),
    ("two names", "if a():\n    return b()", "s = t = a()\nif t:\n    return b()", [("s", 4), ("t", 4)]),
    ("private list", "a(b())\nreturn c()", "t = [b()]\na(t[0])\nreturn c()", [("t", 4)]),
    ("operator", "a(b())\nreturn b + c", "t = b()\na(t)\nreturn b + c", [("t", 4)]),
    ("loop variable", "for x in a:\n    break\nelse:\n    x = 0\ndel x\nb()",
     "for x in a:\n    break\nelse:\n    x = 0\nb()", [("x", 6)]),
    ("second call only", "t = a()\nb()\ndel t\nc()", "t = a()\nb()\nc()", [("t", 4)]),
    ("one path", "t = a()\nif b:\n    del t\n    return c()\nreturn t()", "t = a()\nif b:\n    return c()\nreturn t()",
     [("t", 4)]),
]  # fmt: skip

NOT_HELD = [
    ("deleted in time", "if a():\n    return b()", "t = a()\nif t:\n    del t\n    return b()"),
    ("overwritten in time", "if a():\n    return b()", "t = a()\nif t:\n    t = None\n    return b()"),
    ("operand", "return a(b())", "t = b()\nreturn a(t)"),
    ("shorter than the original", "t = a()\nreturn b()", "a()\nreturn b()"),
    ("global", "len(b)\nreturn a()", "t = len\nt(b)\nreturn a()"),
    ("truth value", "if a in b:\n    return c()", "t = a in b\nif t:\n    return c()"),
    ("constant", "return a()", "t = 'x'\nreturn a()"),
    ("list of nothing", "return a()", "t = []\nreturn a()"),
    ("overwritten variable", "t = a()\nt = None\nreturn b()", "a()\nreturn b()"),
    ("another name", "t = a()\nb()\nreturn t", "s = a()\nb()\nreturn s"),
]


@pytest.mark.parametrize(("left", "right", "held"), [case[1:] for case in HELD], ids=[case[0] for case in HELD])
def test_held_longer(left: str, right: str, held: list[tuple[str, int]]):
    verdict = prove_symbolic(raw(left), raw(right))
    assert verdict.proven, verdict.describe()
    assert [(one.variable, one.line) for one in verdict.held] == held
    assert "held longer than in the original: " + str(verdict.held[0]) in verdict.describe()
    assert prove_symbolic(raw(right), raw(left)).held == ()


@pytest.mark.parametrize(("left", "right"), [case[1:] for case in NOT_HELD], ids=[case[0] for case in NOT_HELD])
def test_held_no_longer(left: str, right: str):
    verdict = prove_symbolic(raw(left), raw(right))
    assert verdict.proven, verdict.describe()
    assert verdict.held == ()
