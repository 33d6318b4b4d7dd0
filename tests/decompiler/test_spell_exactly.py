"""What is proven but not exact is spelled in another way if that is exact, and is as it was if none is."""

from __future__ import annotations

from depyf.decompiler.bytecode import load
from depyf.decompiler.driver import better_spellings
from depyf.decompiler.driver.decompilation import Decompilation
from depyf.decompiler.pipeline import analyze
from depyf.decompiler.printing.printer import print_tree
from depyf.decompiler.proof import Level
from depyf.decompiler.surface_forms import exact
from depyf.decompiler.surface_forms.changes import FormChange, changes
from depyf.decompiler.syntax import nodes

CONTINUE = """
def f(a):
    while a:
        with a.b() as c, a.d(c):
            continue
"""
STATEMENTS = """
def f(a, b, c):
    for x in a:
        try:
            if x and b:
                c(x)
                continue
            elif x:
                break
            else:
                pass
        except ValueError:
            return None
        else:
            b = a if c else b
        finally:
            c()
    while b:
        if c:
            break
        with a:
            return c
    return b if c else a
"""


def function(text):
    names = {}
    exec(text, names)
    return names["f"]


def test_a_change_is_undone():
    raw = load(function(STATEMENTS).__code__)
    body = Decompilation(raw).body(raw)
    before = repr(body)
    found = list(changes(body, "function"))
    assert len(found) > 15
    texts = set()
    for change in found:
        change.make()
        texts.add(print_tree(nodes.Module(body)))
        change.undo()
        assert repr(body) == before
    assert len(texts) > 15


def test_another_spelling_is_found(monkeypatch):
    assert analyze(function(CONTINUE)).verdict.exact
    monkeypatch.setattr(exact, "WORK", 0)
    without = analyze(function(CONTINUE))
    assert without.verdict.level is Level.EQUIVALENT, "the case shows nothing any more"


def test_what_has_no_exact_spelling_stays(monkeypatch):
    monkeypatch.setattr(exact, "distance", lambda raw, text, compiled: 0.5)
    found = analyze(function(CONTINUE))
    monkeypatch.setattr(exact, "WORK", 0)
    assert (found.source, found.verdict) == (analyze(function(CONTINUE)).source, analyze(function(CONTINUE)).verdict)
    assert found.proven


def test_a_spelling_that_is_not_proven_is_taken_back(monkeypatch):
    """Whoever proposes it may be wrong: the proof of the whole text decides."""
    right = analyze(function(CONTINUE))
    monkeypatch.setattr(exact, "WORK", 0)
    plain = analyze(function(CONTINUE))

    def wrong(body, raw, printed, compiled, search):
        return [FormChange(body, body[:], [nodes.Pass()], "end:jump-dropped")]

    monkeypatch.setattr(better_spellings, "spell_exactly", wrong)
    found = analyze(function(CONTINUE))
    assert found.proven
    assert found.source == plain.source != right.source


def test_a_spelling_that_is_no_better_is_taken_back(monkeypatch):
    """What is identical alone may not be in the whole text."""
    monkeypatch.setattr(exact, "WORK", 0)
    plain = analyze(function(CONTINUE))

    def idle(body, raw, printed, compiled, search):
        return [FormChange(body, body[:], [*body, nodes.Pass()], "end:jump-added")]

    monkeypatch.setattr(better_spellings, "spell_exactly", idle)
    found = analyze(function(CONTINUE))
    assert (found.source, found.search.found) == (plain.source, ())


def test_a_bug_in_the_search_costs_the_search_alone(monkeypatch, caplog):
    monkeypatch.setattr(exact, "WORK", 0)
    plain = analyze(function(CONTINUE))
    monkeypatch.setattr(exact, "WORK", 60_000)
    asked = []

    def broken(raw, text, compiled):
        asked.append(text)
        if len(asked) > 3:
            raise NameError("planted")
        return 0.5

    monkeypatch.setattr(exact, "distance", broken)
    found = analyze(function(CONTINUE))
    assert (found.source, found.verdict.level) == (plain.source, Level.EQUIVALENT)
    assert "planted" in caplog.text
