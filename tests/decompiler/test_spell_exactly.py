"""What is proven but not exact is spelled in another way if that is exact, and is as it was if none is."""

from __future__ import annotations

from depyf.decompiler.bytecode import load
from depyf.decompiler.driver.decompilation import Decompilation
from depyf.decompiler.driver.texts import better_spellings
from depyf.decompiler.pipeline import analyze
from depyf.decompiler.printing.printer import print_tree
from depyf.decompiler.proof import Level
from depyf.decompiler.surface_forms import search as searching
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


def no_search(monkeypatch):
    monkeypatch.setattr(better_spellings, "spell_better", lambda texts, recompiled, is_exact: [])


def test_a_change_is_undone():
    raw = load(function(STATEMENTS).__code__)
    body = Decompilation(raw).body(raw)
    before = repr(body)
    found = list(changes(body, "function"))
    assert len(found) > 12
    texts = set()
    for change in found:
        change.make()
        texts.add(print_tree(nodes.Module(body)))
        change.undo()
        assert repr(body) == before
    assert len(texts) > 12


def test_another_spelling_is_found(monkeypatch):
    assert analyze(function(CONTINUE)).verdict.exact
    no_search(monkeypatch)
    without = analyze(function(CONTINUE))
    assert without.verdict.level is Level.EQUIVALENT, "the case shows nothing any more"


def test_what_has_no_exact_spelling_stays(monkeypatch):
    monkeypatch.setattr(searching, "distance", lambda texts, other: searching.Near(1))
    found = analyze(function(CONTINUE))
    no_search(monkeypatch)
    assert (found.source, found.verdict) == (analyze(function(CONTINUE)).source, analyze(function(CONTINUE)).verdict)
    assert found.proven


def test_a_spelling_that_is_not_proven_is_taken_back(monkeypatch):
    """Whoever proposes it may be wrong: the proof of the whole text decides."""
    right = analyze(function(CONTINUE))
    no_search(monkeypatch)
    plain = analyze(function(CONTINUE))

    def wrong(texts, recompiled, is_exact):
        return [FormChange(texts.body, texts.body[:], [nodes.Pass()], "end:jump-dropped")]

    monkeypatch.setattr(better_spellings, "spell_better", wrong)
    found = analyze(function(CONTINUE))
    assert found.proven
    assert found.source == plain.source != right.source


def test_a_spelling_that_is_no_better_is_taken_back(monkeypatch):
    """What is identical alone may not be in the whole text."""
    no_search(monkeypatch)
    plain = analyze(function(CONTINUE))

    def idle(texts, recompiled, is_exact):
        return [FormChange(texts.body, texts.body[:], [*texts.body, nodes.Pass()], "end:jump-added")]

    monkeypatch.setattr(better_spellings, "spell_better", idle)
    found = analyze(function(CONTINUE))
    assert (found.source, found.search.found) == (plain.source, ())


def test_a_bug_in_the_search_costs_the_search_alone(monkeypatch, caplog):
    asked = []

    def broken(texts, other):
        asked.append(other)
        if len(asked) > 3:
            raise NameError("planted")
        return searching.Near(1)

    monkeypatch.setattr(searching, "distance", broken)
    found = analyze(function(CONTINUE))
    no_search(monkeypatch)
    assert (found.source, found.verdict.level) == (analyze(function(CONTINUE)).source, Level.EQUIVALENT)
    assert "planted" in caplog.text


def test_a_search_costs_no_more_than_so_many_texts(monkeypatch):
    monkeypatch.setattr(searching, "distance", lambda texts, other: searching.Near(1))
    assert analyze(function(CONTINUE)).search.texts > 3
    monkeypatch.setattr(searching, "WORK", 0)
    monkeypatch.setattr(searching, "TEXTS", 3)
    assert analyze(function(CONTINUE)).search.texts in (3, 4)
