"""Refused code is marked where it stands, raises when it is run, and leaves its neighbours alone."""

from __future__ import annotations

import pytest

from depyf.decompiler import decompile, units
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
    monkeypatch.setattr(units, "FUNCTION_WAYS", units.WAYS)


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
    assert levels["before"] is levels["after"] is Level.EXACT
    assert not result.proven
    rebuilt = {}
    exec(result.source, rebuilt)
    assert (rebuilt["before"](), rebuilt["after"]()) == (1, 2)
    with pytest.raises(NotImplementedError, match="bad"):
        rebuilt["bad"](None)
