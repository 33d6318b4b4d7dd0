"""Kernels that a user writes in Triton, for `gpu.py`; imported only where there is a GPU."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

__all__ = ["add", "add_autotuned", "add_with_strides", "scaled", "scaled_op"]


@triton.jit
def add(left, right, out, count, BLOCK: tl.constexpr):
    """The sum of two vectors."""
    at = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    tl.store(out + at, tl.load(left + at, mask=inside) + tl.load(right + at, mask=inside), mask=inside)


@triton.autotune(configs=[triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128}, num_warps=8)], key=["count"])
@triton.jit
def add_autotuned(left, right, out, count, BLOCK: tl.constexpr):
    """The same, with the best of two sizes."""
    at = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    tl.store(out + at, tl.load(left + at, mask=inside) + tl.load(right + at, mask=inside), mask=inside)


@triton.jit
def doubled(value):
    """A helper, which the kernel below calls."""
    return value * 2


@triton.jit
def add_with_strides(left, out, rows, columns, row_stride, IS_DOUBLED: tl.constexpr, BLOCK: tl.constexpr):
    """A row each, through a helper."""
    row = tl.program_id(axis=0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    value = tl.load(left + row * row_stride + at, mask=inside)
    if IS_DOUBLED:
        value = doubled(value)
    tl.store(out + row * row_stride + at, value, mask=inside)


@triton.jit
def scale(left, out, factor, count, BLOCK: tl.constexpr):
    """A vector times a number."""
    at = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    tl.store(out + at, tl.load(left + at, mask=inside) * factor, mask=inside)


def scaled(x, factor):
    """What calls it."""
    out = torch.empty_like(x)
    scale[(triton.cdiv(x.numel(), 64),)](x, out, factor, x.numel(), BLOCK=64)
    return out


@torch.library.triton_op("depyf_tests::scaled", mutates_args={})
def scaled_op(x: torch.Tensor, factor: float) -> torch.Tensor:
    """The same as an operator."""
    out = torch.empty_like(x)
    torch.library.wrap_triton(scale)[(triton.cdiv(x.numel(), 64),)](x, out, factor, x.numel(), BLOCK=64)
    return out
