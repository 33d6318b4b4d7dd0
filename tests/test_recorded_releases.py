"""Releases of one version make different code of some texts: each is understood, whichever release is at hand."""

from __future__ import annotations

import pytest
from recorded_releases import FOLDER, OneRelease, ReleaseCase

from depyf.decompiler.bytecode import disassemble, read_code
from depyf.decompiler.pipeline import analyze
from depyf.decompiler.proof import Level, scaffold

CASES = [ReleaseCase(path) for path in sorted(FOLDER.glob("*.json"))]
PAIRS = [(case, made, compiled) for case in CASES for made in case.codes for compiled in case.codes]


@pytest.fixture
def levels(monkeypatch):
    def analyzed(case, made_by, compiled_by):
        """The verdicts on the code that one release made, where another one compiles the text."""
        monkeypatch.setattr(scaffold, "HOST_VERSION", None)  # else this Python would compile
        monkeypatch.setattr(scaffold, "POOL", OneRelease(case, compiled_by))
        result = analyze(read_code(case.codes[made_by], case.version))
        assert result.source == case.source
        return {part.verdict.level for part in result.walk()}

    return analyzed


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.path.stem)
def test_the_releases_make_different_code(case):
    raws = [read_code(code, case.version) for code in case.codes.values()]
    assert len({tuple(part.bytecode for part in raw.nested) for raw in raws}) > 1


@pytest.mark.parametrize(
    ("case", "made", "compiled"), PAIRS, ids=lambda one: one if type(one) is str else one.path.stem
)
def test_code_of_each_release_is_proven_by_each(case, made, compiled, levels):
    found = levels(case, made, compiled)
    if made == compiled:
        assert found == {Level.IDENTICAL}
    else:
        assert found <= {Level.IDENTICAL, Level.EXACT, Level.EQUIVALENT}


def test_some_releases_make_the_iterators_of_comprehensions_twice():
    case = next(case for case in CASES if case.path.stem == "iterators_of_comprehensions")
    counts = {}
    for release, code in case.codes.items():
        module = read_code(code, case.version)
        counts[release] = sum(i.op == "GET_ITER" for i in disassemble(module))
    # The module has two comprehensions with three loops.
    assert counts == {"3.13.0": 3, "3.13.5": 6, "3.13.18": 6}
    assert module.table.behavior.some_releases_iterate_twice
