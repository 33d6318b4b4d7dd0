"""The comparison of hosts: it must see a host that reads otherwise."""

from __future__ import annotations

import hosts
from depyf.decompiler.bytecode import load


def test_a_host_that_reads_otherwise_is_named():
    readings = {
        "3.8": {"3.8/0.pyc": "a", "live 3.8/0.pyc": "a", "3.9/0.pyc": "b"},
        "3.9": {"3.8/0.pyc": "a", "3.9/0.pyc": "b", "live 3.9/0.pyc": "c"},
    }
    assert hosts.disagreements(readings) == ["3.9/0.pyc: 3.8, 3.9 against 3.9 (live)"]
    readings["3.9"]["live 3.9/0.pyc"] = "b"
    assert hosts.disagreements(readings) == []


def test_the_digest_sees_operands_names_and_lines_but_not_the_order_of_sets():
    def digest(text: str) -> str:
        return hosts.digest(load(compile(text, "file", "exec", dont_inherit=True)))

    assert digest("x = 1") == digest("x = 1")
    assert len({digest(text) for text in ("x = 1", "y = 1", "x = True", "\nx = 1", "def f(): x = 1")}) == 5
    assert hosts.stable(frozenset("abc")) == ("frozenset", ["'a'", "'b'", "'c'"])
