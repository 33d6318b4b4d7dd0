"""Public reports of wrong numbers, as short programs for the CPU: what `depyf.compare` says of each.

    python benchmarks/torch_compile/reported_numerics.py                    every report
    python benchmarks/torch_compile/reported_numerics.py --only 198094 -v   one, with all that is said

The names are numbers of pytorch's tracker. A fault has to be found at the lines with the comment ``# here``; what is
only rounding, or closer to fp64 than eager, has to be silent. A report whose results this torch computes as eager does,
bit for bit, is told as that and not counted. Each line is a row of a table; exit status 1 if one is not right.
"""

# mypy: disable-error-code="misc, untyped-decorator, no-untyped-call"
from __future__ import annotations

import argparse
import inspect
import os
import sys
import tempfile
import warnings
from typing import Any, Callable, Dict, List, NamedTuple, Optional

import torch
import torch.nn.functional as F


class Reported(NamedTuple):
    function: Callable[..., Any]
    inputs: Callable[[], List[Any]]
    is_fault: bool
    dynamic: Optional[bool]


REPORTS: Dict[int, Reported] = {}


def _registered(number: int, inputs: Callable[[], List[Any]], is_fault: bool, dynamic: Optional[bool]) -> Any:
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        REPORTS[number] = Reported(function, inputs, is_fault, dynamic)
        return function

    return register


def fault(number: int, inputs: Callable[[], List[Any]], dynamic: Optional[bool] = None) -> Any:
    return _registered(number, inputs, True, dynamic)


def rounding(number: int, inputs: Callable[[], List[Any]], dynamic: Optional[bool] = None) -> Any:
    return _registered(number, inputs, False, dynamic)


def normal(*shapes: Any, dtype: Any = torch.float32) -> Callable[[], List[Any]]:
    return lambda: [torch.randn(shape, dtype=dtype) for shape in shapes]


def whole(*shape: int) -> Any:
    size = 1
    for one in shape:
        size *= one
    return torch.arange(-size // 2, size - size // 2).reshape(shape)


# ---- memory


@fault(198101, lambda: [whole(4, 6)])
def view_of_another_type(x: Any) -> Any:
    y = x.view(torch.int32) * 2  # here
    y.sub_(-4)  # here
    x[:, 2:5] = 2
    return y.view(torch.int64)


@fault(198131, lambda: [torch.zeros(3, 4), torch.arange(12.0).view(3, 4)])
def copy_then_written(target: Any, source: Any) -> Any:
    target[0:, :] = source[0:, :]  # here
    source.add_(1)
    return source


@fault(198094, lambda: [whole(4, 6), whole(4, 6) * 3])
def scattered_then_zeroed(x: Any, source: Any) -> Any:
    y = torch.slice_scatter(x, source[1:3], dim=0, start=1, end=3)  # here
    x.zero_()
    return y


@fault(198270, lambda: [torch.rand(4, 8)])
def put_then_flipped(x: Any) -> Any:
    x.index_put_((torch.arange(x.size(0)),), x * 2.0)
    x.add_(x.flip(0))  # here
    return x


@fault(138908, lambda: [torch.full((1, 2), -10), torch.randn(2, 32)], dynamic=True)
def doubled_at_indices(i: Any, y: Any) -> Any:
    i = i + 10
    y[i] += y[i]  # here
    return y


@fault(111133, lambda: [torch.ones(3, 5), torch.arange(1.0, 10).view(3, 3), torch.tensor([0, 4, 2])])
def added_to_a_transposed(x: Any, a: Any, i: Any) -> Any:
    y = x.permute(1, 0)
    y.index_add_(0, i, a)  # here
    return y


@fault(94777, lambda: [torch.tensor(3.0)])
def read_then_written(x: Any) -> Any:
    y = torch.log(x)  # here
    x.log_()
    return y


# ---- integers


@fault(156788, lambda: [torch.tensor([1.5, -0.3, -2.2, 0.6, -1.1, -7.0, 300.0, -400.0] * 3)])
def bytes_of_negative_numbers(x: Any) -> Any:
    return x.to(torch.uint8)  # here


@fault(187018, lambda: [torch.tensor([200, 200], dtype=torch.uint8)])
def absolute_bytes(x: Any) -> Any:
    y = -x.abs()  # here
    return torch.cat([y, y]).sum()  # here


@fault(190764, lambda: [torch.full((2, 2), 2**30 + 5, dtype=torch.int32) for _ in range(4)])
def products_that_wrap(x: Any, y: Any, z: Any, p: Any) -> Any:
    left = x * y + x * z  # here
    return (left + p).sum(dim=1)  # here


@fault(108520, lambda: [torch.full((), 2**31 - 1, dtype=torch.int32)])
def sum_that_wraps(x: Any) -> Any:
    return (x + x).to(torch.int64)  # here


@fault(105264, lambda: [torch.tensor([128, 200, 255] * 9, dtype=torch.uint8)])
def bytes_that_wrap(x: Any) -> Any:
    return (x + x).to(torch.int16)  # here


@fault(143566, lambda: [torch.tensor([1, 16, 1000] * 8), torch.tensor([1, 64, 100] * 8)])
def shift_by_too_much(x: Any, by: Any) -> Any:
    return torch.bitwise_left_shift(x, by)  # here


@fault(191499, lambda: [torch.randint(20, 90, (37,), dtype=torch.uint8)])
def least_byte(x: Any) -> Any:
    return x.amin(), (-x.to(torch.int8)).amax()  # here


@fault(183082, lambda: [torch.randn(5, 7)])
def argmax_of_a_transposed(x: Any) -> Any:
    x = x.clone()
    x.sin_()
    return x.t().argmax()  # here


@fault(118266, lambda: [torch.tensor([1.0, float("nan"), 5.0, float("nan"), 2.0] * 7)])
def argmax_of_nan(x: Any) -> Any:
    return x.argmax(), x.argmin()  # here


@fault(195214, lambda: [torch.randn(8, 64).bfloat16()])
def ties(x: Any) -> Any:
    scaled = x / 3.0
    return (scaled == scaled.amax(-1, keepdim=True)).sum(-1)  # here


# ---- values


@fault(197895, lambda: [torch.tensor([1.0, 0.5, 6.0, 1.0]), torch.tensor([0.1, 0.1, 0.2, 1 / 3])])
def floor_division(a: Any, b: Any) -> Any:
    return a // b  # here


@fault(183763, lambda: [torch.tensor([88.85, 89.2, 88.95, -89.0])])
def sinh(x: Any) -> Any:
    return torch.sinh(x)  # here


@fault(183765, lambda: [torch.tensor([88.85, 89.2, 88.95, -89.0])])
def cosh(x: Any) -> Any:
    return torch.cosh(x)  # here


@fault(173793, lambda: [torch.full((2, 96), 8.5e37)])
def norm_of_huge_numbers(x: Any) -> Any:
    return F.layer_norm(x, (96,))  # here


@fault(186875, lambda: [(torch.arange(0, 4000) / 16).bfloat16()])
def remainder_of_a_scalar(x: Any) -> Any:
    return torch.remainder(x, 1.7)  # here


@fault(186018, lambda: [torch.tensor(float("nan"))])
def sine_of_an_arc(x: Any) -> Any:
    return torch.sin(torch.atan(x))  # here


@fault(100466, lambda: [torch.randn(40)])
def product_with_a_comparison(x: Any) -> Any:
    return x * (x >= 0)  # here


@fault(113167, lambda: [torch.rand([])])
def variance_of_one(x: Any) -> Any:
    return torch.var_mean(x, correction=4.9, dim=-1, keepdim=True)[0]  # here


@fault(101009, lambda: [torch.randn(1, 2, 2, 2), torch.randn(1, 2, 2, 2)])
def negative_by_zero(x: Any, y: Any) -> Any:
    return x / F.relu(y)  # here


@fault(126848, lambda: [torch.tensor([0.1875] * 20)])
def denormal(x: Any) -> Any:
    return x * 2.0 ** (-127 + 3)  # here


@fault(198133, lambda: [torch.tensor([0.99, 0.9999, 0.999999, 0.9999999, 0.99999994])])
def inverse_near_one(x: Any) -> Any:
    return torch.erfinv(x)  # here


@fault(198183, lambda: [torch.logspace(-8, -5, 64)])
def error_function_of_little(x: Any) -> Any:
    return torch.erf(x)  # here


@fault(183767, lambda: [torch.tensor([3e22, 7e25, -8e23, 1e10])])
def asinh(x: Any) -> Any:
    return torch.asinh(x)  # here


# ---- only rounding


@rounding(142839, lambda: [torch.randn(1, 3, 1024, 1024)])
def norm_of_many(x: Any) -> Any:
    return F.instance_norm(x)


@rounding(189803, normal((24, 57, 37)))
def cancellation(x: Any) -> Any:
    y = F.elu(x, alpha=1.24)
    return torch.reciprocal(y + torch.exp(y))


@rounding(183761, normal((4, 9), dtype=torch.float16))
def where_and_cast(x: Any) -> Any:
    y = torch.where(x > 0, x, torch.full_like(x, 0.1)) * 1.3
    return (y.float() + x.float()).sum()


def _rotated(x: Any) -> Any:
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), dim=-1)


@rounding(182225, normal((1, 2, 7, 16), (1, 1, 7, 16), (1, 7, 16), (1, 7, 16), dtype=torch.bfloat16), dynamic=True)
def rotary_pair(q: Any, k: Any, cos: Any, sin: Any) -> Any:
    cos, sin = cos.unsqueeze(1), sin.unsqueeze(1)
    return q * cos + _rotated(q) * sin, k * cos + _rotated(k) * sin


@rounding(183122, normal((2, 3, 5, 8), (2, 5, 8), (2, 5, 8), dtype=torch.bfloat16), dynamic=True)
def rotary(q: Any, cos: Any, sin: Any) -> Any:
    return q * cos.unsqueeze(1) + _rotated(q) * sin.unsqueeze(1)


@rounding(159239, normal((1, 4, 12, 32), (1, 12, 32), (1, 12, 32), dtype=torch.bfloat16))
def rotary_of_a_model(q: Any, cos: Any, sin: Any) -> Any:
    return (q * cos[:, None] + _rotated(q) * sin[:, None]).softmax(-1)


@rounding(181568, normal((2, 15, 32), (32, 17), (17,)))
def cast_between(x: Any, w: Any, b: Any) -> Any:
    y = (x @ w).to(torch.bfloat16) + b
    return y, y.mean(-1)


@rounding(185337, lambda: [torch.arange(20.0).reshape(5, 4).t() / 7.0])
def cast_and_back(x: Any) -> Any:
    y = x.to(torch.float16).to(torch.float32)
    return y, y.sum(dim=1)


@rounding(183605, lambda: [torch.full((3, 5), 1e-10, dtype=torch.float16)])
def variance_of_nothing(x: Any) -> Any:
    return x * torch.rsqrt(x.var(dim=-1, keepdim=True) + 1e-9)


@rounding(183607, lambda: [torch.full((40,), 300.0, dtype=torch.float16)])
def overflow_of_half(x: Any) -> Any:
    return (x * x) / x


@rounding(168186, normal((2, 16, 32), (64, 32), (64, 32), dtype=torch.bfloat16))
def chunks(x: Any, p: Any, g: Any) -> Any:
    a, b = torch.chunk(F.linear(x, p) * F.linear(x, g), 2, dim=-1)
    return a + b


@rounding(168126, normal((1, 8, 8, 16), (32, 16), (32, 16), (16, 16), dtype=torch.bfloat16))
def triangle(x: Any, p: Any, g: Any, out: Any) -> Any:
    x = F.layer_norm(x, (16,))
    a, b = torch.chunk((F.linear(x, p) * F.linear(x, g).sigmoid()).float(), 2, dim=-1)
    y = torch.einsum("bikd,bjkd->bijd", a, b)
    return F.linear(F.layer_norm(y, (16,)).to(x.dtype), out) * F.linear(x, out).sigmoid()


@rounding(150114, lambda: [torch.ones(2, 2)])
def condition_of_a_singular(x: Any) -> Any:
    return torch.linalg.cond(torch.arctan(x))


@rounding(150165, normal((1, 3, 32, 32)))
def inverse_of_an_image(x: Any) -> Any:
    return torch.inverse(F.interpolate(x, size=(64, 64), mode="bilinear", align_corners=True))


@rounding(145466, normal((32, 32), dtype=torch.float16))
def floor_of_a_cosine(x: Any) -> Any:
    return torch.floor(torch.cos(x)), torch.round(torch.tan(x))


@rounding(141436, lambda: [torch.randn(1, 6, 32, 4, 32).bfloat16(), torch.randn(1, 6, 32, 4)])
def division(x: Any, y: Any) -> Any:
    return x / y.to(x.dtype).unsqueeze(-1)


@rounding(179575, normal((2, 8, 16), (16, 2, 8), (16, 2, 8), (16, 2, 8)))
def projected_by_einsum(x: Any, q: Any, k: Any, v: Any) -> Any:
    q, k, v = (torch.einsum("bse,ehd->bshd", x, one) for one in (q, k, v))
    weights = (torch.einsum("bshd,bthd->bhst", q, k) / 8**0.5).softmax(-1)
    return torch.einsum("bhst,bthd->bshd", weights, v)


@rounding(172062, lambda: [torch.randn(1, 100).double() / 10 for _ in range(3)])
def backward_of_products(gradient: Any, x: Any, output: Any) -> Any:
    return torch.ops.aten.cumprod_backward(gradient, x, 1, output)


@rounding(113015, normal((2000, 7)))
def sum_beside_a_slice(x: Any) -> Any:
    some = x[slice(-1850, None, 43)]
    return some.sum(0), torch.max(x[-1850:-1849], -some)


@rounding(158530, normal((2, 3, 12, 12), (8, 3, 3, 3), (8, 8, 3, 3)))
def convolutions(x: Any, v: Any, w: Any) -> Any:
    y = F.relu(F.conv2d(x, v, padding=1))
    return F.max_pool2d(F.conv2d(y, w, padding=1), 2).softmax(1)


# ---- Dynamo, and gradients


class Seen:
    items: List[Any] = []


@fault(169253, normal((2, 4)))
def kept_by_a_class(x: Any) -> Any:
    Seen.items.append(x)  # here
    return x + 1


@fault(175855, lambda: [torch.ones(1)])
def appended_while_iterated(x: Any) -> Any:
    values = [x.sum()]

    def grown() -> Any:
        for one in values:
            if len(values) < 3:
                values.append(one + 1)  # here
            yield one

    return torch.stack(list(grown())).sum()


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        ctx.save_for_backward(a, b)
        return a * b + a + b

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        a, b = ctx.saved_tensors
        return gradient * (b + 1), gradient * (a + 1)


@fault(183604, lambda: [torch.randn(5, requires_grad=True)])
def one_tensor_twice(x: Any) -> Any:
    return Product.apply(x, x).sum()  # here


class InPlace(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        y = x * 2
        y += 1
        return y

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        return gradient * 2


@fault(180642, lambda: [torch.randn(6, requires_grad=True)])
def written_in_a_function_of_autograd(x: Any) -> Any:
    return InPlace.apply(x) * 3  # here


@fault(182012, lambda: [torch.arange(64.0).view(8, 8).requires_grad_(), torch.arange(8.0)])
def scattered_to_a_diagonal(x: Any, source: Any) -> Any:
    return torch.diagonal_scatter(x, source).sum()  # here


# ---- running


def copies(values: List[Any]) -> List[Any]:
    return [one.detach().clone().requires_grad_(one.requires_grad) for one in values]


def run(function: Callable[..., Any], inputs: List[Any]) -> List[Any]:
    """The result, the inputs afterwards, their gradients, and how much was kept."""
    Seen.items.clear()
    result = function(*inputs)
    if any(one.requires_grad for one in inputs):
        result.sum().backward()
    gradients = [one.grad for one in inputs if one.grad is not None]
    return [result, inputs, gradients, torch.tensor(len(Seen.items))]


def same(ones: Any, others: Any) -> bool:
    pairs = list(zip(*(torch.utils._pytree.tree_flatten(one)[0] for one in (ones, others))))
    return all(torch.equal(a.nan_to_num(7, 8, 9), b.nan_to_num(7, 8, 9)) and torch.equal(a.isnan(), b.isnan())
               and torch.equal(a.isinf(), b.isinf()) for a, b in pairs)  # fmt: skip


def checked(number: int, verbose: bool) -> Optional[bool]:
    """Whether what is said of a report is right; None where this torch computes as eager does."""
    import depyf

    function, make, is_fault, dynamic = REPORTS[number]
    torch._dynamo.reset()
    torch.manual_seed(0)
    inputs = make()
    with tempfile.TemporaryDirectory() as folder, depyf.compare(folder) as report:
        result = run(torch.compile(function, dynamic=dynamic), copies(inputs))
    differs = not same(run(function, copies(inputs)), result)  # after it: autograd cannot run in a fork later
    lines, first = inspect.getsourcelines(function)
    here = {first + at for at, line in enumerate(lines) if "# here" in line}
    found = {one.line for one in report.findings}
    said = ", ".join(f"{one.wrong} ({one.stage})" for one in report.findings) or "silent"
    right = (bool(found) and found <= here) if is_fault else not found
    shown = "as eager" if not differs and not found else "right" if right else "WRONG"
    kind = "fault" if is_fault else "rounding"
    texts = "; ".join(dict.fromkeys(f"`{one.text.partition('  #')[0]}`" for one in report.findings))
    print(f"| {number} | {torch.__version__.partition('+')[0]} | {kind} | {said} | {texts} | {shown} |", flush=True)
    if verbose or shown == "WRONG":
        print("    " + str(report).replace("\n", "\n    "))
    return None if shown == "as eager" else right


_RIGHT, _WRONG, _AS_EAGER = range(3)


def _in_a_fork(number: int, verbose: bool) -> int:
    """Checks a report in a process of its own, since autograd cannot run in a fork once it has run; how it ended."""
    child = os.fork()
    if child:
        status = os.waitpid(child, 0)[1]
        return os.WEXITSTATUS(status) if os.WIFEXITED(status) else _WRONG
    try:
        verdict = checked(number, verbose)
        code = _AS_EAGER if verdict is None else _RIGHT if verdict else _WRONG
    except Exception as error:
        print(f"| {number} | {type(error).__name__}: {str(error).splitlines()[0][:120]} |", flush=True)
        code = _AS_EAGER
    sys.stdout.flush()
    os._exit(code)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--only", nargs="*", type=int, default=[], metavar="NUMBER")
    parser.add_argument("-v", "--verbose", action="store_true", help="all that is said")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    right: Dict[bool, List[bool]] = {True: [], False: []}
    for number in options.only or REPORTS:
        code = _in_a_fork(number, options.verbose)
        if code in (_RIGHT, _WRONG):
            right[REPORTS[number].is_fault].append(code == _RIGHT)
    faults, silent = right[True], right[False]
    at_lines, quiet = f"{sum(faults)} of {len(faults)}", f"{sum(silent)} of {len(silent)}"
    print(f"{at_lines} faults at their lines; {quiet} that only round are silent")
    return 0 if all(faults + silent) else 1


if __name__ == "__main__":
    sys.exit(main())
