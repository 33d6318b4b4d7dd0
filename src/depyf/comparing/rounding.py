"""The rounding rule: whether a value is farther from fp64 than rounding explains.

Three values stand beside the compiled one: eager's, fp64's, and samples of fp64 with each operation's result rounded
at random. `benchmarks/torch_compile/planted_numerics.py --constants` shows false alarms against detections for a
range of each constant.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Callable, Sequence

__all__ = ["CONSTANTS", "Judgement", "is_within_a_unit", "judge", "of_a_whole"]

CONSTANTS = {
    "rms": 3.0,  # times the larger of eager's error and of the sampled one
    "furthest": 8.0,  # the same for the single element that is furthest off: the tails are long
    "products": 4.0,  # times that where sums are ordered otherwise: matrix products, reductions
    "floor": 1.0,  # units in the last place of a typical element, that are always allowed
    "whole": 10.0,  # times the bound for a whole call or its gradients: the kernels are checked one by one
    "shaken": 4.0,  # how much larger the samples' rounding is where elements may have taken another branch
}


@dataclass
class Judgement:
    """What was found of one value.

    Attributes:
        wrong: "" when it agrees; else "value", "NaN", "infinity" or "integer".
        count: elements that are wrong, of `size`.
        error: the value's error against fp64, rms.
        eager: eager's own.
        bound: what rounding explains.
        closer: whether it differs from eager, and is closer to fp64 than eager.
        differs: whether it is not eager's, bit for bit.
        near: whether it is so near to eager's that nothing else was asked.
    """

    wrong: str = ""
    count: int = 0
    size: int = 0
    error: float = 0.0
    eager: float = 0.0
    bound: float = 0.0
    closer: bool = False
    differs: bool = False
    near: bool = False


def is_within_a_unit(value: Any, eager: Any, times: float = 1.0) -> bool:
    """Whether a value is so near to eager's that `judge` allows it whatever fp64 is: by its floor.

    Args:
        times: how much farther it may be off, as in `of_a_whole`.
    """
    import torch

    if not value.is_floating_point() or not value.numel():
        return False
    unit = torch.finfo(value.dtype).eps * CONSTANTS["floor"] * times
    apart, size = value.to(torch.float64) - eager, eager.to(torch.float64)
    if not bool(torch.isfinite(apart).all()) or times == 1 and apart.abs().max() > unit * size.abs().max():
        return False
    return bool(apart.square().sum() <= unit * unit * size.square().sum())


def of_a_whole(found: Judgement) -> Judgement:
    """What is said of a whole call: rounding that adds up over its kernels, each of which is right, is no error."""
    if found.wrong == "value" and 0 < found.error <= CONSTANTS["whole"] * found.bound:
        found.wrong, found.count = "", 0
    return found


def judge(
    value: Any,
    eager: Any,
    exact: Any,
    samples: Callable[[float], Sequence[Any]],
    has_sums: bool,
) -> Judgement:
    """Compares `value` with the others.

    Args:
        value: the compiled one.
        eager: None where eager can't be evaluated.
        exact: in fp64.
        samples: given how much larger than usual the rounding is to be, fp64 with each result rounded at random.
        has_sums: whether an operation among them sums, in an order that is not defined.
    """
    import torch

    found = Judgement(size=value.numel(), differs=True)
    if not value.numel():
        return found
    if not (value.is_floating_point() or value.is_complex()):
        return _judge_integers(value, [eager, exact], samples, found)
    if value.is_complex():
        value, eager, exact = (torch.view_as_real(one.resolve_conj()) for one in (value, eager, exact))
    dtype = value.dtype
    others = [_real(one).to(torch.float64) for one in samples(1.0)]
    y, e, r = value.to(torch.float64), eager.to(torch.float64), exact.to(torch.float64)
    cast = exact.to(dtype).to(torch.float64)
    same_kind = _kind(y) == _kind(e)
    for one in (r, cast, *others):
        same_kind |= _kind(y) == _kind(one)
    odd = ~same_kind
    if bool(odd.any()):
        if bool((~_within(y, [e, r], _shaken(samples), 0.0) & odd).any()):
            found.wrong = "NaN" if bool((odd & torch.isnan(y)).any()) else "infinity"
            found.wrong = found.wrong if bool((odd & ~torch.isfinite(y)).any()) else "value"
            found.count = int(odd.sum())
            return found
    finite = torch.isfinite(y) & torch.isfinite(e) & torch.isfinite(r)
    for one in others:
        finite &= torch.isfinite(one)
    if not bool(finite.any()):
        return found
    kept = [torch.where(finite, one, 0.0) for one in (y, e, r, *others)]
    y, e, r, others = kept[0], kept[1], kept[2], kept[3:]
    number = int(finite.sum())
    unit = torch.finfo(dtype).eps * CONSTANTS["floor"]
    least = torch.finfo(dtype).smallest_normal
    sums = CONSTANTS["products"] if has_sums else 1.0
    found.error, found.eager = _rms(y - r, number), _rms(e - r, number)
    sampled = max(_rms(one - r, number) for one in others)
    found.bound = CONSTANTS["rms"] * sums * max(found.eager, sampled) + unit * _rms(r, number) + least
    spread = max(float((one - r).abs().max()) for one in (e, *others))
    furthest = CONSTANTS["furthest"] * sums * spread + unit * float(r.abs().max()) + least
    bad = (y - r).abs() > (unit * r.abs() + furthest)
    if found.error > found.bound or bool(bad.any()):
        far = ~_within(y, [e, r], _shaken(samples), CONSTANTS["rms"] * sums * max(found.eager, sampled)) & finite
        rest = torch.where(far, y - r, 0.0)
        if bool((far & bad).any()) or _rms(rest, number) > found.bound:
            found.wrong, found.count = "value", int((far & ((y - r).abs() > found.bound)).sum()) or 1
            return found
    found.closer = bool((y != e).any()) and found.error < found.eager
    return found


def _judge_integers(value: Any, others: list[Any], samples: Any, found: Judgement) -> Judgement:
    fits = value == others[0].to(value.dtype)
    if not bool(fits.all()):
        for one in [*others, *samples(1.0), *_shaken(samples)]:
            fits |= value == one.to(value.dtype)
    found.count = int((~fits).sum())
    found.wrong = "integer" if found.count else ""
    return found


def _shaken(samples: Callable[[float], Sequence[Any]]) -> list[Any]:
    """More samples, rounded more coarsely: an element may have taken the other branch of a comparison."""
    return [one for _ in range(3) for one in samples(CONSTANTS["shaken"])]


def _within(y: Any, fixed: list[Any], samples: Sequence[Any], margin: float) -> Any:
    """The elements that lie between the least and the greatest of the others, or have another's kind."""
    import torch

    everything = torch.stack([*fixed, *[_real(one).to(torch.float64) for one in samples]])
    low, high = everything.amin(0), everything.amax(0)
    width = (high - low) / 2 + margin
    alike = (_kind(everything) == _kind(y)[None]).any(0)
    inside = (y >= low - width) & (y <= high + width)
    return torch.where(torch.isfinite(y), inside & alike, alike)


def _real(one: Any) -> Any:
    import torch

    return torch.view_as_real(one.resolve_conj()) if one.is_complex() else one


def _kind(x: Any) -> Any:
    """0 finite, 1 NaN, 2 and 3 the infinities."""
    import torch

    return torch.isnan(x).to(torch.int8) + 2 * (x == math.inf).to(torch.int8) + 3 * (x == -math.inf).to(torch.int8)


def _rms(x: Any, number: int) -> float:
    return float(x.square().sum().div(number).sqrt())
