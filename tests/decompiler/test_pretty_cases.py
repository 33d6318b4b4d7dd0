"""Every file in tests/cases/pretty comes back as it was written, and is proven."""

from __future__ import annotations

from pathlib import Path

import pytest

from depyf.decompiler.pipeline import analyze

CASES = sorted((Path(__file__).parent.parent / "cases" / "pretty").glob("*.py"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_comes_back_as_it_was_written(path):
    source = path.read_text()
    result = analyze(compile(source, path.name, "exec", dont_inherit=True))
    assert {r.qualname: r.verdict.describe() for r in result.walk() if not r.verdict.proven} == {}
    assert result.source.rstrip() == source.rstrip()


def test_there_are_cases():
    assert len(CASES) >= 5
