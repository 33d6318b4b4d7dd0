"""Loops, and the loops that dispatch on an integer which stand for jumps that no statement makes."""

from __future__ import annotations

import types

import pytest

from depyf.decompiler.bytecode import Instruction, RawCode, disassemble, load
from depyf.decompiler.proof import Verdict
from depyf.decompiler.proof.symbolic.memo import Live, Memo, _Seen
from depyf.decompiler.proof.symbolic.prove import UNSEEN, prove_instructions, prove_symbolic
from depyf.decompiler.proof.symbolic.state import Pair, Side, Term


def raw(body: str) -> RawCode:
    lines = "".join(f"    {line}\n" for line in body.strip().splitlines())
    module = compile(f"def f(a, b, c):\n{lines}", "<test>", "exec", dont_inherit=True)
    return load(next(constant for constant in module.co_consts if isinstance(constant, types.CodeType)))


WHILE = "while a():\n    b()\nreturn c"
WHILE_DISPATCHED = """
state = 1
while True:
    if state == 1:
        if a():
            state = 2
        else:
            state = 7
    elif state < 3:
        b()
        state = 1
    else:
        return c
"""

TRY = """
while True:
    try:
        a()
    except BaseException:
        c()
        raise
    b()
"""
TRY_DISPATCHED = """
state = 0
while True:
    try:
        if state == 0:
            a()
            state = 1
    except BaseException as e_:
        inner = 0
        while True:
            if inner == 0:
                c()
                inner = 1
            else:
                raise
    if state == 1:
        b()
        state = 0
"""

VALUES = """
x = a()
while x():
    y = b()
    x = y if c() else x
return x
"""
VALUES_DISPATCHED = """
s0 = a()
state = 0
while True:
    if state >= 2:
        if state == 2:
            s1 = b()
            if c():
                state = 4
            else:
                state = 3
        elif state == 4:
            s0 = s1
            state = 0
        else:
            state = 0
    elif state == 0:
        if s0():
            state = 2
        else:
            state = 1
    else:
        return s0
"""

EQUIVALENT = [
    ("while", WHILE, WHILE_DISPATCHED),
    ("try", TRY, TRY_DISPATCHED),
    ("values across states", VALUES, VALUES_DISPATCHED),
    ("variables of a loop", "x = y = a\nwhile b():\n    x, y = y, x\nreturn x",
     "s = t = a\nwhile b():\n    pass\nreturn t"),
    ("variables that change places", "x, y = a(), b()\nwhile c():\n    x, y = y, x\nreturn x",
     "x, y = a(), b()\nwhile c():\n    t = x\n    x = y\n    y = t\n    t = None\nreturn x"),
    ("list that grows", "r = []\nfor x in a:\n    r += [x]\nreturn r",
     "s = []\nfor y in a:\n    s += [y]\nt = s\nreturn t"),
    ("dictionary that grows", "r = {}\nfor x in a:\n    r[x] = b\nreturn r",
     "s = {}\nfor y in a:\n    s[y] = b\nreturn s"),
    ("tuple that grows", "r = ()\nwhile a():\n    r = (r, b)\nreturn r",
     "r = ()\nwhile a():\n    t = b\n    r = (r, t)\nreturn r"),
    ("list made anew each time", "while a():\n    x = [b]\n    x += [c]\n    x[0](x[1])", "while a():\n    b(c)"),
    ("tests of None", "\n".join(f"if a.x{n} is None:\n    b()" for n in range(9)),
     "\n".join(f"t = a.x{n}\nif t is None:\n    b()\nt = 0" for n in range(9))),
    ("unreached states", "return a(b)",
     "state = 3\nwhile state != 5:\n    if state == 3:\n        state = 5\nreturn a(b)"),
    ("generator", "while True:\n    x = yield a\n    b(x)", "t = yield a\nwhile True:\n    b(t)\n    t = yield a"),
    ("variables of something else seen", "x = a()\nreturn vars(x), dir(b)", "x = t = a()\nreturn vars(t), dir(b)"),
    ("variables not seen any more", "locals()\nx = a()\nreturn x", "locals()\nx = t = a()\nreturn x"),
    ("variables seen", "x = a()\nreturn locals()", "x = a()\nt = x\ndel t\nreturn locals()"),
]  # fmt: skip

DIFFERENT = [
    ("wrong state", WHILE, WHILE_DISPATCHED.replace("state = 1\n    else", "state = 4\n    else")),
    ("other comparison", WHILE, WHILE_DISPATCHED.replace("state < 3", "state < 2")),
    ("exception not handled there", TRY, TRY_DISPATCHED.replace("if inner", "if b.x and inner")),
    ("called while nothing is handled", TRY,
     "while True:\n    e = None\n    try:\n        a()\n    except BaseException as e_:\n        e = e_\n"
     "    if e:\n        c()\n        raise e\n    b()"),
    ("value of another state", VALUES, VALUES_DISPATCHED.replace("s0 = s1", "s0 = s0")),
    ("second time round", "x, y = a, b\nwhile c():\n    x()\n    x, y = y, x", "x = a\nwhile c():\n    x()"),
    ("third time round", "x, y, z = a, b, c\nwhile c():\n    x()\n    x, y, z = y, z, x",
     "x, y = a, b\nwhile c():\n    x()\n    x, y = y, x"),
    ("list given away", "x = [b]\na(x)\nc(x[0])", "x = [b]\na(x)\nc(b)"),
    ("list given away in a loop", "x = []\nwhile a(x):\n    x += [b]", "while a([]):\n    b"),
    ("known only the first time", "x = None\nwhile a():\n    if x is None:\n        b()\n    x = c()",
     "x = None\nwhile a():\n    b()\n    x = c()"),
    ("integers that are values", "return a == 3", "return b == 3"),
    ("one time less", "for x in a:\n    b(x)", "for x in a:\n    for x in a:\n        b(x)\n    break"),
    ("lists that differ", "r = []\nfor x in a:\n    r += [x]\nreturn r",
     "r = []\nfor x in a:\n    r += [x]\nreturn [*r]"),
    ("surplus variable seen", "x = a()\nreturn locals()", "x = a()\nt = x\nreturn locals()"),
    ("variables seen without arguments", "x = a()\nreturn vars()", "x = t = a()\nreturn vars()"),
    ("variables seen by somebody", "a(locals)\nx = b()\nc()", "a(locals)\nx = t = b()\nc()"),
    ("variables seen by somebody in a list", "a([locals])\nx = b()\nc()", "a([locals])\nx = t = b()\nc()"),
    ("variables seen in a loop", "x = locals\nfor y in a:\n    x()\n    x = x if b() else c",
     "t = x = locals\nfor y in a:\n    x()\n    x = x if b() else c"),
    ("another value seen", "x = a()\nx = b()\nreturn locals()", "x = a()\nb()\nreturn locals()"),
    ("builtin that the original names", "try:\n    BaseException()\nexcept:\n    b()",
     "try:\n    BaseException()\nexcept BaseException:\n    b()"),
    ("thrown in at a yield", "try:\n    x = yield a\nexcept:\n    b()", "x = yield a"),
]  # fmt: skip


@pytest.mark.parametrize(("left", "right"), [case[1:] for case in EQUIVALENT], ids=[case[0] for case in EQUIVALENT])
def test_equivalent(left: str, right: str):
    verdict = prove_symbolic(raw(left), raw(right))
    assert verdict.proven, verdict.describe()


@pytest.mark.parametrize(("left", "right"), [case[1:] for case in DIFFERENT], ids=[case[0] for case in DIFFERENT])
def test_different(left: str, right: str):
    verdict = prove_symbolic(raw(left), raw(right))
    assert not verdict.proven


def test_the_builtin_that_catches_all_is_an_assumption():
    assert prove_symbolic(raw(TRY), raw(TRY_DISPATCHED)).assumptions == (UNSEEN,)  # both name it: an event
    bare = TRY.replace("except BaseException", "except")
    verdict = prove_symbolic(raw(bare), raw(TRY_DISPATCHED))
    assert verdict.assumptions == ("the global name BaseException is the builtin", UNSEEN)


def test_an_iterator_that_the_text_makes():
    left = raw("for x in a:\n    b(x)\nreturn c")
    verdict = prove_symbolic(left, raw("it = iter(a)\nwhile True:\n    for x in it:\n        b(x)\n    return c"))
    assert verdict.assumptions == (
        "the global name iter is the builtin", "iter() of an iterator gives the iterator itself", UNSEEN,
    )  # fmt: skip
    assert not prove_symbolic(left, raw("it = iter(b)\nfor x in it:\n    b(x)\nreturn c")).proven
    assert not prove_symbolic(left, raw("it = iter(a, b)\nfor x in it:\n    b(x)\nreturn c")).proven


def without(code: RawCode, op: str) -> list[Instruction]:
    """The instructions, with nothing in the place of those of a kind."""
    return [Instruction("NOP", None, -1, i.handler, i.offset, i.line) if i.op == op else i for i in disassemble(code)]


ITERATOR_GIVEN = "for x in a:\n    b(x)\nreturn c"  # without its GET_ITER
ONE_STEP = "while True:\n    for x in a:\n        break\n    else:\n        return c\n    b(x)"


def iterated(right: str) -> Verdict:
    left, other = raw(ITERATOR_GIVEN), raw(right)
    return prove_instructions((left, other), (without(left, "GET_ITER"), disassemble(other)))


def test_an_iterator_is_its_own_iterator_by_assumption():
    verdict = prove_symbolic(raw(ITERATOR_GIVEN), raw("a = iter(a)\n" + ONE_STEP))
    assert verdict.proven, verdict.describe()
    assert "iter() of an iterator gives the iterator itself" in verdict.assumptions


def test_nothing_else_is_its_own_iterator():
    assert not iterated(ONE_STEP).proven  # FOR_ITER of what is no iterator raises TypeError
    assert not iterated(ONE_STEP.replace("in a", "in c")).proven
    assert not prove_symbolic(raw(ITERATOR_GIVEN), raw(ONE_STEP)).proven
    assert not iterated("for x in b:\n    break\n" + ONE_STEP).proven


def test_a_comprehension():
    codes = raw("return [[x] for x in a if b]").walk()
    code = next(code for code in codes if any(i.op == "LIST_APPEND" for i in disassemble(code)))
    assert prove_symbolic(code, code).proven


def test_long_code():
    body = "try:\n" + "".join(f"    a.x{n} = b(c.y{n})\n" for n in range(700)) + "finally:\n    a()"
    assert prove_symbolic(raw(body), raw(body.replace("finally", "except:\n    a()\n    raise\nelse"))).proven


def test_a_more_general_state_covers_both_that_it_stands_for(monkeypatch: pytest.MonkeyPatch):
    wider, made = Memo.wider, []

    def checked(self: Memo, seen: _Seen, pair: Pair, live: Live, slots: list[Term]) -> Pair | None:
        new = wider(self, seen, pair, live, slots)
        if new is not None:
            general = _Seen(self.layout(new, live)[1], new.heap, new.facts, set())
            before = Pair(Side(), Side())
            before.heap, before.facts = seen.heap, seen.facts
            assert self.covers(general, slots, pair)
            assert self.covers(general, seen.slots, before)
            made.append(new)
        return new

    monkeypatch.setattr(Memo, "wider", checked)
    changes = "if c():\n        x = None\n    elif c():\n        x = a is b\n    elif c():\n        x = y\n    else:"
    body = "x = y = a\nwhile c():\n    if x is None:\n        b(y)\n    {}\n        x = b(x)\n"
    body += "    {} = [x, y]\n    y = {}[1]\nreturn x"
    for left, right in [(body.format(changes, "t", "t"), body.format(changes, "u", "u")), (VALUES, VALUES_DISPATCHED)]:
        assert prove_symbolic(raw(left), raw(right)).proven
    assert made
