"""Large code comes back, however many statements stand in a row or in each other, and the work grows as the code does.

benchmarks/measure/growth.py measures the time; here calls are counted, of which every run has as many.
"""

import cProfile

import pytest

import growth
from depyf.decompiler.pipeline import analyze


def _compiles(shape):
    try:
        growth.of_size(growth.SHAPES[shape], 100)
    except SyntaxError:  # match, before 3.10
        return False
    return True


def _analyzed(code):
    """The result, and how many calls it took."""
    profile = cProfile.Profile()
    result = profile.runcall(analyze, code)
    return result, sum(entry.callcount for entry in profile.getstats())


@pytest.mark.parametrize("shape", [shape for shape in growth.SHAPES if _compiles(shape)])
def test_large_code_comes_back_exactly_and_takes_as_many_calls_for_each_instruction(shape):
    (small, few), (large, many) = growth.of_size(growth.SHAPES[shape], 800), growth.of_size(growth.SHAPES[shape], 8_000)
    assert many > 7_000
    analyze(small)  # what is kept for the next time is made
    (_, before), (result, after) = _analyzed(small), _analyzed(large)
    assert (result.verdict.exact, result.form) == (True, "structured"), result.verdict.reasons
    assert after / many < 1.3 * before / few
