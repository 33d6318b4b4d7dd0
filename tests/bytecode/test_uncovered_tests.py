"""Tests that the compilers of 3.14 and 3.15 leave out of the ranges of handlers: read past, but never forgotten.

What these compilers make is recorded; where the machine has them they are asked too.
"""

from __future__ import annotations

import copy

import pytest
from recorded_compilers import RecordedCompilers, found_or_recorded

from depyf.decompiler.bytecode import known_instructions
from depyf.decompiler.bytecode.canonical.uncovered_tests import uncovered_tests
from depyf.decompiler.pipeline import analyze
from depyf.decompiler.proof import prove, scaffold
from depyf.decompiler.proof.scaffold import compile_source
from depyf.decompiler.proof.symbolic.prove import prove_symbolic

VERSIONS = list(found_or_recorded([(3, 14), (3, 15)]))
FUNCTION = """\
def f(x):
    try:
        y = x.a and (x.b or x.c) or x.d
    except ValueError:
        return None
    return y
"""
GENERATOR = """\
def f(x):
    return any(y.a and (y.b or y.c) or y.d for y in x)
"""


def covered(raw):
    """The same, all tests of it in the ranges of the handlers."""
    other = copy.copy(raw)
    table = list(raw.exception_table)
    for index, (entry, following) in enumerate(zip(table, table[1:])):
        if entry[2:] == following[2:]:
            table[index] = entry._replace(end=following.start)
    other.exception_table = tuple(table)
    other.disassembled = None
    return other


@pytest.mark.parametrize(("version", "recorded"), VERSIONS)
@pytest.mark.parametrize("source", [FUNCTION, GENERATOR], ids=["function", "generator"])
def test_they_read_as_written_and_are_not_the_same_as_covered_ones(version, recorded, source, monkeypatch):
    if recorded:
        monkeypatch.setattr(scaffold, "POOL", RecordedCompilers())
    result = analyze(compile_source(source, version, filename="file"))
    assert result.source == source
    assert all(unit.verdict.exact for unit in result.walk())
    raw = [unit.raw for unit in result.walk()][-1]
    other = covered(raw)
    assert other.exception_table != raw.exception_table
    assert uncovered_tests(known_instructions(raw)) or "LETS_STOP_ITERATION_PASS" in map(_op, known_instructions(raw))
    for left, right in ((raw, other), (other, raw)):
        assert not prove(left, right).proven
        assert not prove(left, right, symbolic=prove_symbolic).proven


def _op(instruction):
    return instruction.op
