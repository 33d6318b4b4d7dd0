"""Decompiled definitions do on stand-ins what the original does, whatever the proof says."""

from __future__ import annotations

import types

import depyf
from attack import differential
from attack.subjects import construct_subjects


def test_decompiled_definitions_leave_the_same_log():
    result = differential.check(40, 4)
    assert result["different"] == []
    assert result["same"] > 35  # a slow machine loses some to the time limit


class WrongSource:
    """A result of the decompiler whose text means something else, and which is called proven."""

    def __init__(self, real, old, new):
        self.source = real.source.replace(old, new)
        self.verdict = real.verdict

    def walk(self):
        yield self


def test_wrong_source_that_is_called_proven_is_found_out(monkeypatch):
    analyze = depyf.analyze
    wrong = lambda code: WrongSource(analyze(code), "a(1)", "a(True)")  # noqa: E731
    one = next(s for s in construct_subjects() if s.name == "constructs.nested_tries")
    assert differential.compare(one) == ""
    monkeypatch.setattr(differential, "depyf", types.SimpleNamespace(analyze=wrong))
    assert differential.compare(one).startswith("seed")
