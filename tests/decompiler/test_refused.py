"""Refused code is marked where it stands, raises when it is run, and leaves its neighbours alone."""

from __future__ import annotations

import pytest

from depyf.decompiler import decompile
from depyf.decompiler.bytecode import load
from depyf.decompiler.driver import units
from depyf.decompiler.lift.handlers import HANDLERS
from depyf.decompiler.pipeline import analyze
from depyf.decompiler.proof import Level
from depyf.errors import DecompilationError

MODULE = '''
def before():
    return 1

def bad(a):
    """What it did."""
    return a[1]

def after():
    return 2
'''


@pytest.fixture(autouse=True)
def no_subscripts(monkeypatch):
    """An operation that nobody knows to lift, and nobody to decompile by its events."""
    monkeypatch.delitem(HANDLERS, "BINARY_SUBSCR")
    monkeypatch.setattr(units, "FUNCTION_STRATEGIES", units.STRATEGIES)


@pytest.fixture
def names():
    found = {}
    exec(MODULE, found)
    return found


def test_strict_raises_with_stage_and_reason(names):
    with pytest.raises(DecompilationError, match="BINARY_SUBSCR") as caught:
        decompile(names["bad"])
    assert caught.value.where == "bad"
    assert "BINARY_SUBSCR" in caught.value.instructions


def test_not_strict_gives_a_body_that_raises(names):
    text = decompile(names["bad"], strict=False)
    assert "# depyf could not decompile this: " in text
    rebuilt = {}
    exec(text, rebuilt)
    assert rebuilt["bad"].__doc__ == "What it did."
    with pytest.raises(NotImplementedError, match="bad"):
        rebuilt["bad"](None)


def test_a_refused_function_leaves_its_neighbours_alone():
    result = analyze(compile(MODULE, "<module>", "exec"))
    levels = {r.qualname: r.verdict.level for r in result.walk()}
    assert levels["bad"] is Level.REFUSED
    assert levels["before"] is levels["after"] is Level.IDENTICAL
    assert not result.proven
    rebuilt = {}
    exec(result.source, rebuilt)
    assert (rebuilt["before"](), rebuilt["after"]()) == (1, 2)
    with pytest.raises(NotImplementedError, match="bad"):
        rebuilt["bad"](None)


BODY = '''
"""What it is."""
import os

x: int = 3
try:
    import sys
except ImportError:
    sys = None
y = x[1]
try:
    import mod
except ImportError:
    mod = None
finally:
    first()
    if mod:
        second()


def before():
    return 1


class A(Exception):
    """What A is."""

    name = 'a'
    part = name[0]

    def method(self):
        self.kept = 2
        return super().__init__()

    def bad(self):
        return self[0]


second = [i[1] for i in y]
if before():
    x = 4
else:
    x = 5


@registered(y[2])
def after():
    return lambda: 2
'''


def test_a_refused_body_shows_all_that_is_proven():
    result = analyze(compile(BODY, "<module>", "exec"))
    lines = [line for line in result.source.splitlines() if "NotImplementedError" not in line and "#" not in line]
    for line in BODY.splitlines():
        assert line in lines or "[" in line, line
    levels = {r.qualname: r.verdict.level for r in result.walk()}
    refused = {name for name, level in levels.items() if level is Level.REFUSED}
    assert refused - {"<listcomp>"} == {"<module>", "A", "A.bad"}
    exact = {r.qualname for r in result.walk() if r.verdict.exact}
    assert {"before", "A.method", "after"} <= exact


def test_a_refused_body_says_what_is_missing_and_ends_there():
    result = analyze(compile(BODY, "<module>", "exec"))
    assert "# depyf could not decompile this body as a whole: " in result.source
    marks = ("# depyf could not decompile this (instructions ", "# depyf could not decompile <listcomp> in this: ")
    assert sum(map(result.source.count, marks)) == 4
    assert "line 10: BINARY_SUBSCR" in result.source
    assert "statements are proven by themselves" in result.verdict.reasons[-1]
    rebuilt = {}
    with pytest.raises(NotImplementedError, match="line 10"):
        exec(result.source, rebuilt)
    assert rebuilt["__doc__"] == "What it is."
    assert rebuilt["x"] == 3
    assert "y" not in rebuilt
    assert "before" not in rebuilt


def test_a_refused_class_in_a_function_keeps_the_free_variables():
    source = "def f(a, b):\n    class C:\n        x = a\n        y = b[0]\n    return C\n"
    result = analyze(compile(source, "<module>", "exec"))
    assert {r.qualname: r.verdict.exact for r in result.walk()} == {"<module>": True, "f": True, "f.<locals>.C": False}
    assert "x = a" in result.source


def test_declarations_of_a_refused_body_stand_in_front():
    source = "class C:\n    x = 1\n    y = x[0]\n    global z\n    z = 2\n"
    result = analyze(compile(source, "<module>", "exec"))
    body = result.source.split("class C:")[1]
    assert body.index("global z") < body.index("x = 1") < body.index("z = 2")
    compile(result.source, "<text>", "exec")


def test_nothing_of_a_body_is_shown_that_is_not_proven(monkeypatch):
    from depyf.decompiler.lift.handlers import names

    def wrong(state, instruction):
        state.push(names.nodes.Constant(instruction.arg + 1 if type(instruction.arg) is int else instruction.arg))

    monkeypatch.setitem(HANDLERS, "CONST", wrong)
    result = analyze(compile("x = 1\ny = 'a'\nz = y[0]\nimport a\n", "<module>", "exec", dont_inherit=True))
    shown = [line for line in result.source.splitlines() if line[:1] not in "# )" and line]
    assert [line for line in shown if not line.startswith("raise NotImplementedError")] == ["y = 'a'"]


def test_a_refused_function_whose_parameters_no_source_can_name_is_still_python():
    code = compile("def f(a, b, *c): return a", "file", "exec").co_consts[0]
    raw = load(code.replace(co_varnames=("a)", "if", "a_"), co_name="if"))
    raw.bytecode = bytes([8, 0])  # no opcode of any version
    raw.code = None
    result = analyze(raw)
    assert result.verdict.level.value == "refused"
    compile(result.source, "text", "exec")
    assert result.source.startswith("def if_(a, if_, *a_):")
