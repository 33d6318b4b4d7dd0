"""Refused code is marked where it stands, raises when it is run, and leaves its neighbours alone."""

from __future__ import annotations

import pytest

from depyf.decompiler import decompile
from depyf.decompiler.pipeline import analyze
from depyf.decompiler.proof import Level
from depyf.errors import DecompilationError

# except* is not supported yet.
MODULE = '''
def before():
    return 1

def bad(a):
    """What it did."""
    try:
        a()
    except* ValueError:
        pass

def after():
    return 2
'''


@pytest.fixture
def names():
    found = {}
    exec(MODULE, found)
    return found


def test_strict_raises_with_stage_and_reason(names):
    with pytest.raises(DecompilationError, match="except") as caught:
        decompile(names["bad"])
    assert caught.value.where == "bad"
    assert "CHECK_EG_MATCH" in caught.value.instructions


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
