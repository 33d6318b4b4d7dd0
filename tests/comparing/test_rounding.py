"""The rounding rule, on values that are made."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from depyf.comparing.rounding import judge  # noqa: E402

EPS = {torch.float32: 2.0**-23, torch.bfloat16: 2.0**-7, torch.float16: 2.0**-10}


def judged(compiled, exact, dtype=torch.float32, has_sums=False):
    """What is said of a value in `dtype`, where eager's is `exact` rounded."""
    numbers = torch.Generator().manual_seed(0)

    def samples(scale):
        dice = [torch.rand(exact.shape, generator=numbers, dtype=torch.float64) - 0.5 for _ in range(2)]
        return [exact * (1 + scale * EPS[dtype] * one) for one in dice]

    return judge(compiled.to(dtype), exact.to(dtype), exact, samples, has_sums)


@pytest.fixture
def exact():
    return torch.randn(50, 40, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


@pytest.mark.parametrize("dtype", EPS)
def test_rounding_is_no_error(exact, dtype):
    assert judged(exact, exact, dtype).wrong == ""
    assert judged(exact * (1 + EPS[dtype] / 2), exact, dtype).wrong == ""


def test_a_thousandth_is_wrong_in_fp32_and_rounding_in_bf16(exact):
    assert judged(exact * 1.001, exact).wrong == "value"
    assert judged(exact * 1.001, exact, torch.bfloat16).wrong == ""
    assert judged(exact * 1.1, exact, torch.bfloat16).wrong == "value"


def test_one_element_is_enough(exact):
    off = exact.clone()
    off[3, 4] += 0.01
    found = judged(off, exact)
    assert (found.wrong, found.count, found.size) == ("value", 1, 2000)


@pytest.mark.parametrize("value, wrong", [(float("nan"), "NaN"), (float("inf"), "infinity")])
def test_a_kind_that_eager_has_not(exact, value, wrong):
    off = exact.clone()
    off[3, 4] = value
    assert (judged(off, exact).wrong, judged(off, exact).count) == (wrong, 1)
    assert judged(off, off).wrong == ""


@pytest.mark.parametrize("value, wrong", [(0.01, "value"), (float("nan"), "NaN")])
def test_an_element_far_behind_is_found(value, wrong):
    """What is large is compared a piece at a time."""
    exact = torch.randn(300, 400, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    off = exact.clone()
    off[299, 399] += value
    found = judged(off, exact)
    assert (found.wrong, found.count, found.size) == (wrong, 1, 120_000)
    assert judged(exact * (1 + 2.0**-24), exact).wrong == ""


def test_a_number_where_eager_has_none(exact):
    off = exact.clone()
    off[3, 4] = float("nan")
    assert judged(exact, off).wrong == "value"


def test_what_is_closer_to_fp64_than_eager_is_told():
    exact = torch.rand(100, dtype=torch.float64) + 1
    found = judge(exact.float(), exact.float() * (1 + 1e-5), exact, lambda scale: [exact, exact], False)
    assert found.wrong == "" and found.closer and found.error < found.eager


def test_an_element_may_take_the_other_branch_where_rounding_decides():
    """The samples do so too, when they are rounded more coarsely."""
    exact = torch.tensor([1.0, -1.0, 1.0], dtype=torch.float64)
    flipped = torch.tensor([1.0, -1.0, -1.0])

    def samples(scale):
        return [exact, exact.clone() if scale == 1.0 else flipped.double()]

    assert judge(flipped, exact.float(), exact, samples, False).wrong == ""
    assert judge(-flipped, exact.float(), exact, samples, False).wrong == "value"


def test_integers_are_those_of_eager_or_of_a_sample():
    exact, other = torch.tensor([1, 2, 3]), torch.tensor([1, 2, 4])
    assert judge(exact, exact, exact, lambda scale: [exact], False).wrong == ""
    assert judge(other, exact, exact, lambda scale: [other.double()], False).wrong == ""
    found = judge(other, exact, exact, lambda scale: [exact], False)
    assert (found.wrong, found.count) == ("integer", 1)
