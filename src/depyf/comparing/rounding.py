"""The rounding rule: whether a value is farther from fp64 than rounding explains.

Three values stand beside the compiled one: eager's, fp64's, and samples of fp64 with each operation's result rounded
at random. `benchmarks/torch_compile/planted_numerics.py --constants` shows false alarms against detections for a
range of each constant.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Callable, Iterator, Sequence

__all__ = ["CONSTANTS", "Judgement", "allowed_at_least", "apart", "judge", "of_a_whole", "random_numbers",
           "same", "settled"]

CONSTANTS = {
    "rms": 3.0,  # times the larger of eager's error and of the sampled one
    "furthest": 8.0,  # the same for the single element that is furthest off: the tails are long
    "products": 4.0,  # times that where sums are ordered otherwise: matrix products, reductions
    "floor": 1.0,  # units in the last place of a typical element, that are always allowed
    "whole": 10.0,  # times the bound for a whole call or its gradients: the kernels are checked one by one
    "shaken": 4.0,  # how much larger the samples' rounding is where elements may have taken another branch
}


_PERIOD = 65521
_PIECE = 1 << 15  # elements: torch does no more of them in one thread, and they fit into a cache


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


def same(one: Any, other: Any) -> bool:
    """Whether two tensors are equal, NaN to NaN."""
    import torch

    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if torch.equal(one, other):
        return True
    if not (one.is_floating_point() or one.is_complex()) or bool(torch.isfinite(one.sum())):
        return False  # there is no NaN
    return bool(((one == other) | (one != one) & (other != other)).all())


def settled(value: Any, eager: Any, rms: float, furthest: float = math.inf) -> Judgement | None:
    """What is said of a value without fp64; None where that has to be asked.

    Args:
        rms: units in the last place by which it may be off from eager's.
        furthest: those by which its single elements may be off, beside the largest of them.
    """
    if same(value, eager):
        return Judgement(size=value.numel())
    if _is_near(value, eager, rms, furthest):
        return Judgement(size=value.numel(), differs=True, near=True)
    return None


def _is_near(value: Any, eager: Any, rms: float, furthest: float) -> bool:
    import torch

    if not value.is_floating_point() or not value.numel():
        return False
    norm = torch.linalg.vector_norm
    off, largest, squares, size = 0.0, 0.0, 0.0, 0.0
    for ours, theirs in _pieces(value, eager):
        apart = ours - theirs
        off = max(off, _largest(apart))
        if not off < math.inf:
            return False
        largest = max(largest, _largest(theirs))
        squares, size = squares + float(norm(apart)) ** 2, size + float(norm(theirs)) ** 2
    eps = torch.finfo(value.dtype).eps
    return bool(off <= eps * furthest * largest and squares <= (eps * rms) ** 2 * size)


def random_numbers(draw: Any, shape: Sequence[int], numbers: Any, dtype: Any = None) -> Any:
    """Random numbers of a shape, in fp64 or `dtype`, by `torch.rand` or `torch.randn`.

    Of many, the first are repeated, which is quicker; no dimension has their number, which is a prime.
    """
    import torch

    dtype, size = dtype or torch.float64, math.prod(shape)
    if size <= _PERIOD:
        return draw(list(shape), generator=numbers, dtype=dtype)
    return draw(_PERIOD, generator=numbers, dtype=dtype).repeat(-(-size // _PERIOD))[:size].view(list(shape))


def _largest(one: Any) -> float:
    least, most = one.aminmax()
    return max(float(most), -float(least))


def _pieces(*values: Any) -> Iterator[list[Any]]:
    """The elements in fp64, some at a time: memory for more of them would cost more than the arithmetic."""
    import torch

    flat = [one.reshape(-1) for one in values]
    for at in range(0, flat[0].numel(), _PIECE):
        yield [one[at : at + _PIECE].to(torch.float64) for one in flat]


def allowed_at_least(rounded: float, has_sums: bool) -> tuple[float, float]:
    """Units in the last place by which `judge` lets a value be off from eager's, whatever fp64 is: rms, and furthest.

    Args:
        rounded: units by which fp64 with each result rounded at random is off, rms, for the last of them alone.
        has_sums: as in `judge`.
    """
    sums = CONSTANTS["products"] if has_sums else 1.0
    return (CONSTANTS["floor"] + (CONSTANTS["rms"] * sums - 1) * rounded,
            CONSTANTS["floor"] + (CONSTANTS["furthest"] * sums - 1) * rounded)  # fmt: skip


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
        eager: eager's.
        exact: in fp64.
        samples: given how much larger than usual the rounding is to be, fp64 with each result rounded at random; is
            called only where eager's own error does not explain it.
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
    _judge_floats(value, eager, exact, None, has_sums, found)
    if found.wrong:  # by eager's error alone; samples allow more
        found.wrong = ""
        _judge_floats(value, eager, exact, samples, has_sums, found)
    return found


def _judge_floats(value: Any, eager: Any, exact: Any, samples: Any, has_sums: bool, found: Judgement) -> None:
    import torch

    others = [_real(one) for one in samples(1.0)] if samples else []
    values = (value, eager, exact, *others)
    odd, coarse = _of_another_kind(*values), []
    if bool(odd.any()):
        coarse = _shaken(samples) if samples else []
        if not coarse or not bool(torch.cat([_within(y, [e, r], more, 0.0) for y, e, r, *more
                                             in _pieces(value, eager, exact, *coarse)])[odd].all()):  # fmt: skip
            strange = value.reshape(-1)[odd]
            found.wrong = "NaN" if bool(torch.isnan(strange).any()) else "infinity"
            found.wrong = found.wrong if bool((~torch.isfinite(strange)).any()) else "value"
            found.count = int(odd.sum())
            return
    number, margin, is_bad = _measure(*values, has_sums=has_sums, found=found)
    if not number:
        return
    if found.error > found.bound or any(bool(is_bad(y, r).any()) for _, y, _, r, *_ in _finite(*values)):
        if not samples:
            found.wrong = "value"
            return
        is_far, count, rest = False, 0, 0.0
        for (finite, y, e, r, *_), more in zip(_finite(*values), _pieces(*coarse or _shaken(samples))):
            far = ~_within(y, [e, r], more, margin) & finite
            is_far |= bool((far & is_bad(y, r)).any())
            count += int((far & ((y - r).abs() > found.bound)).sum())
            rest += float(torch.where(far, y - r, 0.0).square().sum())
        if is_far or math.sqrt(rest / number) > found.bound:
            found.wrong, found.count = "value", count or 1
            return
    found.closer = found.error < found.eager and not torch.equal(value, eager)


def _measure(*values: Any, has_sums: bool, found: Judgement) -> tuple[int, float, Any]:
    """Notes the errors; gives how many elements are finite, what rounding explains, and what says which are too far."""
    import torch

    number, size, largest, spread, squares = 0, 0.0, 0.0, 0.0, [0.0] * (len(values) - 1)
    for finite, y, e, r, *more in _finite(*values):
        number += int(finite.sum())
        size, largest = size + float(r.square().sum()), max(largest, float(r.abs().max()))
        off = [one - r for one in (y, e, *more)]
        squares = [one + float(error.square().sum()) for one, error in zip(squares, off)]
        spread = max(spread, *(float(error.abs().max()) for error in off[1:]))
    if not number:
        return 0, 0.0, None
    unit = torch.finfo(values[0].dtype).eps * CONSTANTS["floor"]
    least = torch.finfo(values[0].dtype).smallest_normal
    sums = CONSTANTS["products"] if has_sums else 1.0
    found.error, *explained = (math.sqrt(one / max(1, number)) for one in squares)
    found.eager = explained[0]
    margin = CONSTANTS["rms"] * sums * max(explained)
    found.bound = margin + unit * math.sqrt(size / max(1, number)) + least
    furthest = CONSTANTS["furthest"] * sums * spread + unit * largest + least
    return number, margin, lambda y, r: (y - r).abs() > unit * r.abs() + furthest


def _of_another_kind(value: Any, eager: Any, exact: Any, *others: Any) -> Any:
    """The elements that are finite, NaN or infinite where none of the others is."""
    import torch

    pieces = [~(_kind(torch.stack([e, r, r.to(value.dtype).to(torch.float64), *more])) == _kind(y)).any(0)
              for y, e, r, *more in _pieces(value, eager, exact, *others)]  # fmt: skip
    return torch.cat(pieces)


def _finite(*values: Any) -> Iterator[list[Any]]:
    """For each piece, where all of the values are finite, and the values, 0 elsewhere."""
    import torch

    for pieces in _pieces(*values):
        finite = torch.isfinite(torch.stack(pieces)).all(0)
        yield [finite, *(torch.where(finite, one, 0.0) for one in pieces)]


def apart(one: Any, other: Any, tolerance: float) -> Judgement | None:
    """How far two values in fp64 are apart, relative, rms; None when that is not more than the tolerance."""
    import torch

    one, other = torch.as_tensor(one), torch.as_tensor(other)
    if one.is_complex():
        one, other = torch.view_as_real(one.resolve_conj()), torch.view_as_real(other.resolve_conj())
    squares, size, number = 0.0, 0.0, one.numel()
    for a, b in _pieces(one, other):
        squares += float(_difference(a, b).square().sum())
        size += float(torch.where(torch.isfinite(b), b, 0.0).square().sum())
    error, size = math.sqrt(squares / max(1, number)), math.sqrt(size / max(1, number))
    if error <= tolerance * size + 1e-12:
        return None
    apart = torch.cat([_difference(a, b).abs() for a, b in _pieces(one, other)])
    count = int((apart > tolerance * size).sum()) or int((apart != 0).sum())
    return Judgement("value", count, number, error, 0.0, tolerance * size)


def _difference(a: Any, b: Any) -> Any:
    """That of two values; 0 where both are the same infinity, or no number."""
    import torch

    return torch.where((a == b) | (torch.isnan(a) & torch.isnan(b)), 0.0, a - b)


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
    return [_real(one) for _ in range(3) for one in samples(CONSTANTS["shaken"])]


def _within(y: Any, fixed: list[Any], samples: Sequence[Any], margin: float) -> Any:
    """The elements that lie between the least and the greatest of the others, or have another's kind."""
    import torch

    everything = torch.stack([*fixed, *samples])
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
