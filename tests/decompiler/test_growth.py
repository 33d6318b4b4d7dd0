"""Large code comes back, however many statements stand in a row or in each other (benchmarks/growth.py measures it)."""

import sys
from pathlib import Path

import pytest

from depyf.decompiler.pipeline import analyze

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import growth


def _compiles(shape):
    try:
        growth.of_size(growth.SHAPES[shape], 100)
    except SyntaxError:  # match, before 3.10
        return False
    return True


@pytest.mark.parametrize("shape", [shape for shape in growth.SHAPES if _compiles(shape)])
def test_large_code_comes_back_exactly(shape):
    code, size = growth.of_size(growth.SHAPES[shape], 8_000)
    assert size > 7_000
    result = analyze(code)
    assert (result.verdict.level.value, result.rung) == ("exact", "structured"), result.verdict.reasons
