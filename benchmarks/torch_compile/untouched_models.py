"""Whether `depyf.compare` leaves untouched models alone, and how much of them it checks.

    python benchmarks/torch_compile/untouched_models.py                    every model, train and eval, fp32, bf16, fp16
    python benchmarks/torch_compile/untouched_models.py --only gru unet    models whose names have one of these words
    python benchmarks/torch_compile/untouched_models.py --dtypes bf16 -v   in bf16 alone, with every verdict
    python benchmarks/torch_compile/untouched_models.py --steps 3          three steps each, all of which are compared

Each line is one run: alarms, notes, floating-point buffers and outputs that were checked. At the end: all of them, and
why the rest was not checked. Exit status 1 if there is an alarm, or an error inside of the comparison.
"""

# ruff: noqa: E501
# mypy: disable-error-code="misc, untyped-decorator, no-untyped-call"
from __future__ import annotations

import argparse
import sys
import tempfile
import time
import warnings
from collections import Counter
from typing import Any, Callable, Dict, List, Tuple

import torch
import torch.nn.functional as F
from torch import nn

MODELS: Dict[str, Callable[[], Tuple[Any, List[Any]]]] = {}
"""Each makes a module, or a function, and its inputs."""

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


def model(make: Callable[[], Tuple[Any, List[Any]]]) -> Callable[[], Tuple[Any, List[Any]]]:
    MODELS[make.__name__] = make
    return make


def of(*shapes: Any) -> List[Any]:
    return [torch.randn(shape) for shape in shapes]


class Module(nn.Module):
    """Layers by name, and a function of them and the inputs."""

    def __init__(self, function: Any, **layers: Any) -> None:
        super().__init__()
        self.function = function
        for name, layer in layers.items():
            if isinstance(layer, torch.Tensor) and not isinstance(layer, nn.Parameter):
                self.register_buffer(name, layer)
            else:
                setattr(self, name, layer)

    def forward(self, *inputs: Any) -> Any:
        return self.function(self, *inputs)


# ---- transformers


@model
def transformer_layer() -> Any:
    return nn.TransformerEncoderLayer(16, 2, 32, dropout=0.1, batch_first=True), of((2, 6, 16))


@model
def gpt() -> Any:
    def step(self: Any, ids: Any, targets: Any) -> Any:
        x = self.words(ids) + self.places(torch.arange(ids.shape[1]))
        q, k, v = (one.view(2, 6, 2, 8).transpose(1, 2) for one in self.qkv(self.norm(x)).chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(2, 6, 16))
        x = x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))
        logits = x @ self.words.weight.t()
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=3)

    return Module(step, words=nn.Embedding(20, 16), places=nn.Embedding(6, 16), norm=nn.LayerNorm(16), qkv=nn.Linear(16, 48),
                  out=nn.Linear(16, 16), norm2=nn.LayerNorm(16), up=nn.Linear(16, 32), down=nn.Linear(32, 16)), [torch.randint(0, 20, (2, 6)), torch.randint(0, 20, (2, 6))]


@model
def rotary_attention() -> Any:
    def attend(self: Any, x: Any, mask: Any) -> Any:
        x = x * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + 1e-6).to(x.dtype) * self.scale
        q, k, v = self.q(x).view(2, 5, 4, 8), self.k(x).view(2, 5, 2, 8), self.v(x).view(2, 5, 2, 8)
        at = torch.arange(5)[:, None] * 1e4 ** (-torch.arange(4) / 4)
        turn = torch.polar(torch.ones_like(at), at)[None, :, None]
        q, k = (torch.view_as_real(torch.view_as_complex(one.float().unflatten(-1, (4, 2))) * turn).flatten(3).to(x.dtype)
                for one in (q, k))
        k, v = k.repeat_interleave(2, 2), v.repeat_interleave(2, 2)
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / 8**0.5
        scores = scores.masked_fill(mask[:, None, None], torch.finfo(x.dtype).min)
        y = torch.einsum("bhqk,bkhd->bqhd", scores.float().softmax(-1).to(x.dtype), v).flatten(2)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))

    layers = {name: nn.Linear(32 if name != "down" else 48, size, bias=False) for name, size in
              {"q": 32, "k": 16, "v": 16, "gate": 48, "up": 48, "down": 32}.items()}
    mask = torch.zeros(2, 5, dtype=torch.bool)
    mask[1, 3:] = True
    return Module(attend, scale=nn.Parameter(torch.ones(32)), **layers), [torch.randn(2, 5, 32), mask]


@model
def vision_transformer() -> Any:
    def see(self: Any, x: Any) -> Any:
        x = self.patch(x).flatten(2).transpose(1, 2)
        places = F.interpolate(self.places.transpose(1, 2), size=x.shape[1], mode="linear").transpose(1, 2)
        x = torch.cat([self.first.expand(len(x), -1, -1), x + places], 1)
        y, weights = self.attention(x, x, x, need_weights=True)
        return self.head(self.norm(x + y)[:, 0]), weights

    return Module(see, patch=nn.Conv2d(3, 16, 4, 4), places=nn.Parameter(torch.randn(1, 6, 16)),
                  first=nn.Parameter(torch.randn(1, 1, 16)), attention=nn.MultiheadAttention(16, 2, batch_first=True),
                  norm=nn.LayerNorm(16), head=nn.Linear(16, 5)), of((2, 3, 12, 12))


@model
def mixture_of_experts() -> Any:
    def route(self: Any, x: Any) -> Any:
        weights, chosen = self.gate(x).softmax(-1).topk(2)
        weights = weights / weights.sum(-1, keepdim=True)
        y = torch.zeros_like(x)
        for at in range(3):
            share = (weights * (chosen == at)).sum(-1, keepdim=True)
            y = y + share * F.silu(x @ self.up[at]) @ self.down[at]
        load = F.one_hot(chosen, 3).float().mean((0, 1))
        return y, load * self.gate(x).float().softmax(-1).mean(0)

    return Module(route, gate=nn.Linear(16, 3), up=nn.Parameter(torch.randn(3, 16, 24) / 4),
                  down=nn.Parameter(torch.randn(3, 24, 16) / 4)), of((7, 16))


@model
def cache_of_keys() -> Any:
    def decode(self: Any, x: Any, keys: Any, values: Any, at: Any) -> Any:
        q, k, v = self.qkv(x).chunk(3, -1)
        keys.index_copy_(1, at, k.detach())
        values[:, at] = v.detach()
        scores = (q @ keys.transpose(1, 2)) / 4
        scores = scores.masked_fill(torch.arange(8) > at, float("-inf"))
        return scores.softmax(-1) @ values

    return Module(decode, qkv=nn.Linear(16, 48)), [*of((2, 1, 16), (2, 8, 16), (2, 8, 16)), torch.tensor([3])]


# ---- convolutions


@model
def residual_net() -> Any:
    def see(self: Any, x: Any) -> Any:
        x = F.relu(self.norm1(self.conv1(x)))
        x = F.relu(x + self.norm2(self.conv2(x)))
        return self.head(F.adaptive_avg_pool2d(F.avg_pool2d(x, 3, 2, 1), 1).flatten(1))

    return Module(see, conv1=nn.Conv2d(3, 8, 3, bias=False), norm1=nn.BatchNorm2d(8), norm2=nn.BatchNorm2d(8),
                  conv2=nn.Conv2d(8, 8, 3, padding=1, groups=8, bias=False), head=nn.Linear(8, 4)), of((3, 3, 10, 10))


@model
def unet() -> Any:
    def see(self: Any, x: Any, t: Any) -> Any:
        t = torch.cat([(t[:, None] * torch.arange(4)).sin(), (t[:, None] * torch.arange(4)).cos()], 1)
        a = F.silu(self.norm1(self.conv1(x)) + self.time(t.to(x.dtype))[:, :, None, None])
        b = F.silu(self.norm2(self.down(a)))
        c = self.up(b)
        d = F.interpolate(b, scale_factor=2.0, mode="bilinear", align_corners=False)
        return self.last(torch.cat([a, c, d], 1))

    return Module(see, conv1=nn.Conv2d(2, 8, 3, padding=1), norm1=nn.GroupNorm(2, 8), time=nn.Linear(8, 8),
                  down=nn.Conv2d(8, 8, 3, 2, 1), norm2=nn.GroupNorm(4, 8), up=nn.ConvTranspose2d(8, 4, 2, 2),
                  last=nn.Conv2d(20, 2, 1)), [*of((2, 2, 8, 8)), torch.tensor([3.0, 40.0])]


@model
def paddings_and_pools() -> Any:
    def see(self: Any, x: Any) -> Any:
        y = F.pad(x, (1, 2, 1, 0), mode="reflect")
        # the gradient of "replicate" has strides in torch 2.13 that Inductor does not expect, without depyf too
        y = F.pad(self.conv(y), (1, 1, 1, 1), mode="reflect" if self.training else "replicate")
        a = F.max_pool2d(y, 3, 2)
        return F.pixel_shuffle(a, 2), F.adaptive_max_pool2d(y, 2), F.unfold(y, 3), F.instance_norm(y), F.lp_pool2d(y.abs() + 1, 2, 2)

    return Module(see, conv=nn.Conv2d(2, 4, 3, padding=1, padding_mode="circular")), of((2, 2, 7, 8))


@model
def sampling() -> Any:
    def warp(self: Any, x: Any, theta: Any) -> Any:
        grid = F.affine_grid(theta, list(x.shape), align_corners=False)
        y = F.grid_sample(x, grid, align_corners=False, padding_mode="border")
        return F.interpolate(y, (9, 5), mode="bicubic", align_corners=False), F.interpolate(x, (3, 4), mode="area")

    return Module(warp), of((2, 3, 6, 6), (2, 2, 3))


@model
def sequence_convolution() -> Any:
    def hear(self: Any, x: Any) -> Any:
        y = F.glu(self.conv(F.pad(x, (4, 0))), 1)
        return F.elu(y) + F.softplus(x) * F.mish(x), F.hardtanh(y).amax(-1), F.leaky_relu(y).std(-1)

    return Module(hear, conv=nn.utils.parametrizations.weight_norm(nn.Conv1d(4, 8, 3, dilation=2))), of((2, 4, 12))


# ---- recurrence


@model
def gru_cells() -> Any:
    def read(self: Any, x: Any) -> Any:
        h, out = x.new_zeros(3, 12), []
        for one in x.unbind(1):
            h = self.cell(one, h)
            out.append(h)
        return torch.stack(out, 1)

    return Module(read, cell=nn.GRUCell(8, 12)), of((3, 4, 8))


@model
def lstm() -> Any:
    def read(self: Any, x: Any) -> Any:  # nn.LSTM itself is not compiled
        state = (x.new_zeros(2, 8), x.new_zeros(2, 8))
        for one in x.unbind(1):
            state = self.cell(one, state)
        return state

    return Module(read, cell=nn.LSTMCell(8, 8)), of((2, 4, 8))


@model
def state_space() -> Any:
    def scan(self: Any, x: Any) -> Any:
        step = F.softplus(self.step(x))
        decay, h, out = -self.decay.exp(), 0.0, []
        for at in range(x.shape[1]):
            h = h * torch.exp(step[:, at] * decay) + step[:, at] * x[:, at]
            out.append(h)
        return torch.stack(out, 1) * F.silu(x) + torch.cumsum(x, 1)

    return Module(scan, step=nn.Linear(8, 8), decay=nn.Parameter(torch.rand(8))), of((2, 5, 8))


# ---- graphs, sets, indices


@model
def graph_convolution() -> Any:
    def spread(self: Any, x: Any, edges: Any) -> Any:
        here, there = edges
        degree = torch.zeros(9, dtype=x.dtype).scatter_add_(0, there, torch.ones(len(there), dtype=x.dtype))
        scale = degree.clamp(min=1).pow(-0.5)
        messages = self.layer(x)[here] * (scale[here] * scale[there])[:, None]
        y = torch.zeros(9, 6, dtype=x.dtype).index_add(0, there, messages)
        return F.relu(y), x.new_zeros(9, 5).scatter_reduce(0, there[:, None].expand(-1, 5), x[here], "amax")

    return Module(spread, layer=nn.Linear(5, 6)), [torch.randn(9, 5), torch.randint(0, 9, (2, 20))]


@model
def embedding_bags() -> Any:
    def look(self: Any, ids: Any, offsets: Any) -> Any:
        return self.bag(ids, offsets), self.table(ids) * 2, F.one_hot(ids, 10)

    return Module(look, bag=nn.EmbeddingBag(10, 6, mode="mean"), table=nn.Embedding(10, 6, padding_idx=2)), [
        torch.randint(0, 10, (8,)), torch.tensor([0, 3, 5])]  # fmt: skip


@model
def orders() -> Any:
    def order(self: Any, x: Any) -> Any:
        values, at = x.sort(-1, descending=True)
        best, where = x.topk(3, -1)
        keep = values.softmax(-1).cumsum(-1) < 0.9
        return (values.masked_fill(~keep, 0.0), at, best.sum(), where, x.argmax(-1), x.cummax(-1)[0], x.median(-1)[0],
                x.kthvalue(2, -1)[0], torch.searchsorted(values[0].flip(0).contiguous(), x), x.cumprod(-1),
                torch.logcumsumexp(x, -1), x.gather(-1, at).take_along_dim(at, -1))  # fmt: skip

    return Module(order), of((4, 9))


@model
def integers() -> Any:
    def count(self: Any, x: Any, i: Any) -> Any:
        u = (x * 50).clamp(0, 255).to(torch.uint8)
        flags = (u > 30) ^ (i[:, None] % 2 == 0)
        return (u + u, u >> 2, i // 3, i.remainder(-4), torch.bitwise_and(i, 6), flags.any(0), flags.all(1),
                (~flags).sum(), torch.bincount(i, minlength=12), x.where(flags, -x).to(torch.int32), u.float().mean(),
                torch.div(i, 7, rounding_mode="floor"), i.to(torch.int16) * 999, x.round().long(), torch.isfinite(x))  # fmt: skip

    return Module(count), [torch.randn(12, 5), torch.randint(0, 12, (12,))]


# ---- elementwise and reductions


@model
def norms() -> Any:
    def norm(self: Any, x: Any) -> Any:
        a = F.layer_norm(x, (4, 6), self.g, self.b)
        b = F.rms_norm(x, (6,), self.g[0])
        c = F.group_norm(x, 2)
        d = F.local_response_norm(x[..., None], 2)
        var, mean = torch.var_mean(x, (0, 2), keepdim=True)
        return a + b + c, d, (x - mean) / (var + 1e-5).sqrt(), F.normalize(x, dim=1), x.norm(3), torch.renorm(x, 2, 0, 1.0)

    return Module(norm, g=nn.Parameter(torch.randn(4, 6)), b=nn.Parameter(torch.randn(4, 6))), of((3, 4, 6))


@model
def exponentials() -> Any:
    def raise_(self: Any, x: Any, y: Any) -> Any:
        z = torch.logsumexp(x * 3, -1, keepdim=True)
        return (F.log_softmax(x, -1) - z, torch.logaddexp(x, y), F.softmin(x, 0), x.expm1().log1p(), torch.xlogy(x.abs(), y.abs()),
                torch.special.i0(x), x.erfinv(), torch.lgamma(x.abs() + 1), x.tan(), x.sinh().asinh(), x.digamma(),
                F.gumbel_softmax(x, hard=True) if self.training else F.softmax(x * 40, -1), x.abs().pow(y), torch.hypot(x, y))  # fmt: skip

    return Module(raise_), of((5, 7), (5, 7))


@model
def extremes() -> Any:
    def stretch(self: Any, x: Any, y: Any) -> Any:
        return (x.exp().sum(), (x * 1e4).softmax(-1), x / y, (x / y).nan_to_num(), x.log(), x.square().sum(-1), torch.fmod(x, y),
                torch.maximum(x, y), x.clamp(-1, 1).sum(), F.sigmoid(x).log(), (x - x.mean()) * 1e-3, torch.nanmean(x / y))  # fmt: skip

    return Module(stretch), [torch.randn(6, 8) * 30, torch.tensor([0.0, 1.0, -0.0, 2.0, 1e-3, 5.0, -3.0, 0.5]).repeat(6, 1)]


@model
def loss_functions() -> Any:
    def lose(self: Any, x: Any, y: Any, i: Any) -> Any:
        p = x.log_softmax(-1)
        return sum([F.nll_loss(p, i), F.kl_div(p, y.softmax(-1), reduction="batchmean"), F.mse_loss(x, y), F.l1_loss(x, y),
                    F.binary_cross_entropy_with_logits(x, y.sigmoid()), F.cosine_similarity(x, y).mean(),
                    F.triplet_margin_loss(x, y, x.flip(0)), F.cross_entropy(x, i, label_smoothing=0.1),
                    F.gaussian_nll_loss(x, y, y.exp()), F.poisson_nll_loss(x, y.abs()), F.multi_margin_loss(x, i),
                    torch.cdist(x.float(), y.float()).mean(), F.soft_margin_loss(x, y.sign()), F.huber_loss(x, y)])  # fmt: skip

    return Module(lose), [*of((6, 5), (6, 5)), torch.randint(0, 5, (6,))]


@model
def spectrum() -> Any:
    def turn(self: Any, x: Any) -> Any:
        z = torch.fft.rfft(x.float(), dim=-1) * torch.complex(self.re, self.im).to(torch.complex64)
        w = torch.view_as_complex(torch.stack([x, x.flip(0)], -1).float())
        return torch.fft.irfft(z, n=16), (w * w.conj()).real, w.angle(), (w.exp() / (w + 2)).abs(), w.sum()

    return Module(turn, re=torch.randn(9), im=torch.randn(9)), of((3, 16))


@model
def fake_quantisation() -> Any:
    def quantise(self: Any, x: Any) -> Any:
        scale = self.weight.detach().abs().amax(1, keepdim=True) / 127
        q = (self.weight / scale).round().clamp(-128, 127).to(torch.int8)
        w = (q.to(x.dtype) * scale - self.weight).detach() + self.weight
        step = x.detach().abs().max() / 127
        y = torch.fake_quantize_per_tensor_affine(x.float(), 0.1, 0, -128, 127).to(x.dtype)
        return F.linear(y, w), torch.round(x / step) * step

    return Module(quantise, weight=nn.Parameter(torch.randn(6, 10))), of((4, 10))


@model
def linear_algebra() -> Any:
    def solve(self: Any, x: Any) -> Any:
        a = (x @ x.t() + 4 * torch.eye(6, dtype=x.dtype)).float()
        low = torch.linalg.cholesky(a)
        return torch.linalg.solve(a, x.float()), low, torch.logdet(a), torch.linalg.inv(a), torch.baddbmm(a[None], x[None].float(), x.t()[None].float())

    return Module(solve), of((6, 4))


# ---- memory


@model
def chain_in_place() -> Any:
    def chain(self: Any, x: Any, y: Any) -> Any:
        h = x.sin()
        h.add_(y).mul_(0.5)
        h[:, 1:3] += h[:, 3:5]
        h[0] = y[1]
        h.masked_fill_(y > 1, 0.25)
        view = h.view(-1)[::2]
        view *= 2
        return h, view.sum(), h.t().contiguous().relu_()

    return Module(chain), of((4, 6), (4, 6))


@model
def aliases() -> Any:
    def alias(self: Any, x: Any, y: Any) -> Any:
        x = x * 2
        return x[1:], x.t(), x.view(-1), y.diagonal(), x.expand(2, 4, 4), y, y.unfold(0, 2, 1), y.as_strided((2, 2), (4, 1)).sin()

    return Module(alias), of((4, 4), (4, 4))


@model
def mutated() -> Any:
    def mutate(self: Any, x: Any, state: Any, part: Any, count: Any) -> Any:
        state.mul_(0.9).add_(x.detach(), alpha=0.1)
        state[0].copy_(state[1])
        part.t().exp_()
        count += 1
        self.seen.add_(1)
        self.mean.lerp_(x.detach().mean(0), 0.1)
        return (x - self.mean) * state + part.sum() * count

    return Module(mutate, seen=torch.zeros((), dtype=torch.long), mean=torch.zeros(5)), [
        *of((4, 5), (4, 5), (5, 4)), torch.tensor(3)]  # fmt: skip


@model
def overlapping_inputs() -> Any:
    def both(self: Any, a: Any, b: Any, c: Any) -> Any:
        b.mul_(2)
        return a.sin() + c.sum() + b.sum()

    base = torch.randn(4, 4)
    return Module(both), [base, base[1:3], base.t()]


@model
def parts() -> Any:
    def cut(self: Any, x: Any) -> Any:
        a, b, c = x.split([2, 3, 3], 1)
        d = torch.cat([c, a.sin(), b], 1).roll(1, 0)
        return [torch.stack([a, b[:, :2]]), d.tril(1), torch.meshgrid(a[0], b[0], indexing="ij")[0] * 2, x.new_full((2, 2), 3.0),
                torch.linspace(0, 1, 5), x.repeat(2, 1), x.flip(1).rot90(), torch.block_diag(a, b), d.new_zeros(0, 3), 7]  # fmt: skip

    return Module(cut), of((4, 8))


# ---- randomness, custom code, operators of higher order


@model
def dropouts() -> Any:
    def drop(self: Any, x: Any) -> Any:
        h = F.dropout(F.relu(self.a(x)), 0.3, self.training)
        h = self.b(F.alpha_dropout(h, 0.1, self.training)) + 0.1 * torch.randn_like(x)
        return h * (torch.rand(4, 1) < 0.9)

    return Module(drop, a=nn.Linear(8, 12), b=nn.Linear(12, 8)), of((4, 8))


class Through(torch.autograd.Function):
    """Rounds, with the gradient of a hard tanh."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x.sign()

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        (x,) = ctx.saved_tensors
        return gradient * (x.abs() <= 1)


@model
def custom_gradient() -> Any:
    return Module(lambda self, x: self.layer(Through.apply(self.layer(x))), layer=nn.Linear(6, 6)), of((5, 6))


@torch.library.custom_op("depyf_untouched::twice", mutates_args=())
def twice(x: torch.Tensor) -> torch.Tensor:
    return x * 2


@twice.register_fake
def _(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x)


twice.register_autograd(lambda ctx, gradient: gradient * 2)


@torch.library.custom_op("depyf_untouched::fill", mutates_args=("out",))
def fill(x: torch.Tensor, out: torch.Tensor) -> None:
    out.copy_(x + 1)


@model
def custom_operator() -> Any:
    def call(self: Any, x: Any) -> Any:
        out = torch.empty_like(x).detach()
        fill(x.detach(), out)
        return twice(x.sin()).cos() + out.exp()

    return Module(call), of((5, 6))


@model
def conditional() -> Any:
    def choose(self: Any, x: Any) -> Any:
        y = torch.cond(x.sum() > 0, lambda a: a.sin() * 2, lambda a: a.cos() - 1, (x,))
        return y * x.exp()

    return Module(choose), of((5, 6))


@model
def checkpointed() -> Any:
    from torch.utils.checkpoint import checkpoint

    def run(self: Any, x: Any) -> Any:
        return checkpoint(lambda h: F.gelu(self.a(h)).softmax(-1), self.b(x), use_reentrant=False)

    return Module(run, a=nn.Linear(8, 8), b=nn.Linear(8, 8)), of((4, 8))


@model
def functional_transforms() -> Any:
    def transform(self: Any, x: Any, w: Any) -> Any:
        gradient = torch.func.grad(lambda a: (a @ w).tanh().sum())(x)
        return torch.func.vmap(lambda one: one.softmax(0) @ w)(x) + gradient.sum()

    return Module(transform), of((4, 5), (5, 5))


@model
def flexible_attention() -> Any:
    from torch.nn.attention.flex_attention import flex_attention

    def attend(self: Any, q: Any, k: Any, v: Any) -> Any:
        return F.scaled_dot_product_attention(q, k, v) if self.training else flex_attention(
            q, k, v, score_mod=lambda score, b, h, i, j: torch.where(i >= j, score, -float("inf")))  # fmt: skip

    return Module(attend), of((1, 2, 16, 16), (1, 2, 16, 16), (1, 2, 16, 16))


@model
def subclass() -> Any:
    from torch.testing._internal.two_tensor import TwoTensor

    return Module(lambda self, x: (x.sin() * 2).cos().sum(0)), [TwoTensor(torch.randn(4, 5), torch.randn(4, 5))]


# ---- more models


@model
def dispatched_experts() -> Any:
    def route(self: Any, x: Any) -> Any:
        weight, chosen = self.gate(x).softmax(-1).max(-1)
        order = chosen.argsort(stable=True)
        rank = torch.arange(8) - torch.searchsorted(chosen[order].contiguous(), chosen[order])
        slots = torch.zeros(3, 8, 16, dtype=x.dtype).index_put((chosen[order], rank), x[order])
        y = torch.bmm(F.gelu(torch.bmm(slots, self.up)), self.down)[chosen[order], rank]
        return torch.zeros_like(x).index_copy(0, order, y * weight[order, None])

    return Module(route, gate=nn.Linear(16, 3), up=nn.Parameter(torch.randn(3, 16, 24) / 4),
                  down=nn.Parameter(torch.randn(3, 24, 16) / 4)), of((8, 16))  # fmt: skip


@model
def graph_attention() -> Any:
    def attend(self: Any, x: Any, edges: Any) -> Any:
        here, there = edges
        h = self.layer(x)
        score = F.leaky_relu(self.source(h)[here] + self.target(h)[there], 0.2).squeeze(-1)
        most = torch.full((9,), -1e4, dtype=score.dtype).scatter_reduce(0, there, score, "amax")
        weight = (score - most[there]).exp()
        total = torch.zeros(9, dtype=score.dtype).index_add(0, there, weight)
        return F.elu(torch.zeros(9, 6, dtype=h.dtype).index_add(0, there, h[here] * (weight / total[there])[:, None]))

    return Module(attend, layer=nn.Linear(5, 6), source=nn.Linear(6, 1), target=nn.Linear(6, 1)), [
        torch.randn(9, 5), torch.randint(0, 9, (2, 20))]  # fmt: skip


@model
def diffusion_block() -> Any:
    def denoise(self: Any, x: Any, t: Any, text: Any) -> Any:
        time = self.time(F.silu((t[:, None] * torch.arange(8)).sin().to(x.dtype)))
        h = self.conv1(F.silu(self.norm1(x))) + time[:, :, None, None]
        h = x + self.conv2(F.dropout(F.silu(self.norm2(h)), 0.0, self.training))
        flat = self.norm3(h).flatten(2).transpose(1, 2)
        flat = flat + self.attention(flat, text, text, need_weights=False)[0]
        gate, up = self.widen(flat).chunk(2, -1)
        return (flat + self.narrow(up * F.gelu(gate))).transpose(1, 2).view_as(h)

    return Module(denoise, norm1=nn.GroupNorm(4, 8), conv1=nn.Conv2d(8, 8, 3, padding=1), time=nn.Linear(8, 8), norm2=nn.GroupNorm(4, 8),
                  conv2=nn.Conv2d(8, 8, 3, padding=1), norm3=nn.GroupNorm(2, 8), attention=nn.MultiheadAttention(8, 2, batch_first=True, kdim=6, vdim=6),
                  widen=nn.Linear(8, 32), narrow=nn.Linear(16, 8)), [torch.randn(2, 8, 4, 4), torch.tensor([3.0, 40.0]), torch.randn(2, 3, 6)]


@model
def rnn() -> Any:
    def read(self: Any, x: Any) -> Any:  # nn.RNN itself is not compiled
        there, back = x.new_zeros(2, 8), x.new_zeros(2, 8)
        for one, other in zip(x.unbind(0), x.flip(0).unbind(0)):
            there, back = self.there(one, there), self.back(other, back)
        return torch.cat([there, back], -1)

    return Module(read, there=nn.RNNCell(6, 8), back=nn.RNNCell(6, 8, nonlinearity="relu")), of((4, 2, 6))


@model
def quantised_integers() -> Any:
    def multiply(self: Any, x: Any) -> Any:
        step = x.detach().abs().amax(-1, keepdim=True).float().clamp(min=1e-6) / 127
        whole = (x.detach().float() / step).round().clamp(-128, 127).to(torch.int8)
        return (torch._int_mm(whole, self.weight.t()).float() * step * self.step).to(x.dtype) + x.sum()

    return Module(multiply, weight=torch.randint(-127, 128, (24, 32), dtype=torch.int8), step=torch.rand(24) / 64), of((20, 32))


@model
def quantised_linear() -> Any:
    layers = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 8))
    quantised = torch.ao.quantization.quantize_dynamic(layers, {nn.Linear}, dtype=torch.qint8)
    return adam_of(lambda self, x: quantised(x.float()).softmax(-1).to(x.dtype)), of((6, 16))


@model
def inverted_residual() -> Any:
    def see(self: Any, x: Any) -> Any:
        h = F.hardswish(self.norm1(self.widen(x)))
        h = F.relu6(self.norm2(self.depth(h)))
        scale = F.hardsigmoid(self.excite(F.relu(self.squeeze(F.adaptive_avg_pool2d(h, 1)))))
        return x + self.norm3(self.narrow(h * scale))

    return Module(see, widen=nn.Conv2d(4, 16, 1, bias=False), norm1=nn.BatchNorm2d(16), depth=nn.Conv2d(16, 16, 3, padding=1, groups=16, bias=False),
                  norm2=nn.BatchNorm2d(16), squeeze=nn.Conv2d(16, 4, 1), excite=nn.Conv2d(4, 16, 1), narrow=nn.Conv2d(16, 4, 1, bias=False),
                  norm3=nn.BatchNorm2d(4)), of((2, 4, 6, 6))


@model
def convnext_block() -> Any:
    def see(self: Any, x: Any) -> Any:
        h = self.norm(self.depth(x).permute(0, 2, 3, 1))
        h = F.gelu(self.up(h))
        h = self.g * (h * h.norm(dim=(1, 2), keepdim=True)) + h
        return x + (self.scale * self.down(h)).permute(0, 3, 1, 2)

    return Module(see, depth=nn.Conv2d(6, 6, 7, padding=3, groups=6), norm=nn.LayerNorm(6), up=nn.Linear(6, 24), g=nn.Parameter(torch.rand(24)),
                  down=nn.Linear(24, 6), scale=nn.Parameter(torch.rand(6))), of((2, 6, 8, 8))


# ---- whole steps


@model
def adversarial_step() -> Any:
    def step(self: Any, z: Any, real: Any) -> Any:
        fake = torch.tanh(self.g2(F.leaky_relu(self.norm(self.g1(z)), 0.2)))
        judged, truth = self.d(fake), self.d(real)
        one, zero = torch.ones_like(truth), torch.zeros_like(truth)
        loss = F.binary_cross_entropy_with_logits(truth, one) + F.binary_cross_entropy_with_logits(self.d(fake.detach()), zero)
        return loss, F.binary_cross_entropy_with_logits(judged, one)

    return Module(step, g1=nn.Linear(4, 8), norm=nn.BatchNorm1d(8), g2=nn.Linear(8, 6), d=nn.Linear(6, 1)), of((5, 4), (5, 6))


@model
def optimiser_step() -> Any:
    def adam(self: Any, p: Any, g: Any, m: Any, v: Any, step: Any) -> Any:
        with torch.no_grad():
            step += 1
            m.lerp_(g, 0.1)
            v.mul_(0.999).addcmul_(g, g, value=0.001)
            p.mul_(1 - 1e-4).addcdiv_(m / (1 - 0.9**step), (v / (1 - 0.999**step)).sqrt() + 1e-8, value=-1e-3)
            torch._foreach_add_([m, v], 0.0)
        return p.norm()

    return adam_of(adam), [*of((6, 5), (6, 5), (6, 5)), torch.rand(6, 5), torch.tensor(3.0)]


def adam_of(function: Any) -> Any:
    module = Module(function)
    module.frozen = True
    return module


@model
def autocast() -> Any:
    def run(self: Any, x: Any) -> Any:
        with torch.autocast("cpu", torch.bfloat16):
            return F.layer_norm(self.b(F.gelu(self.a(x))), (8,)).float().logsumexp(-1)

    return Module(run, a=nn.Linear(8, 12), b=nn.Linear(12, 8)), of((4, 8))


@model
def dynamic_shapes() -> Any:
    def run(self: Any, x: Any, y: Any) -> Any:
        n = x.shape[0]
        h = self.layer(x).view(n // 2, 2, -1).mean(1) * n
        return F.softmax(h @ h.t() / h.shape[1], -1) @ h, torch.cat([x, y])[: n + 1].cumsum(0), x.new_ones(n).sum() / n

    module = Module(run, layer=nn.Linear(6, 6))
    module.dynamic = True
    return module, of((8, 6), (3, 6))


@model
def dynamic_gpt() -> Any:
    module, inputs = gpt_of_any_length(), [torch.randint(0, 20, (2, 7))]
    module.dynamic = True
    return module, inputs


def gpt_of_any_length() -> Any:
    def step(self: Any, ids: Any) -> Any:
        b, t = ids.shape
        x = self.words(ids)
        q, k, v = (one.view(b, t, 2, 8).transpose(1, 2) for one in self.qkv(self.norm(x)).chunk(3, -1))
        mask = torch.ones(t, t, dtype=torch.bool).tril()
        weights = (q @ k.transpose(-1, -2) / 8**0.5).masked_fill(~mask, float("-inf")).softmax(-1)
        x = x + F.dropout((weights @ v).transpose(1, 2).reshape(b, t, 16), 0.1, self.training)
        return F.cross_entropy((x @ self.words.weight.t())[:, :-1].flatten(0, 1), ids[:, 1:].flatten())

    return Module(step, words=nn.Embedding(20, 16), norm=nn.LayerNorm(16), qkv=nn.Linear(16, 48))


# ---- running


def run(name: str, dtype: Any, training: bool, steps: int) -> Any:
    """What `depyf.compare` says of one model, and the time that it took."""
    import depyf

    torch._dynamo.reset()
    torch.manual_seed(0)
    module, inputs = MODELS[name]()
    if isinstance(module, nn.Module):
        module = module.to(dtype).train(training)
    by_storage: Dict[Any, Any] = {}
    inputs = [_converted(one, dtype, by_storage) for one in inputs]
    frozen = getattr(module, "frozen", False)
    training = training and not frozen
    if training and inputs[0].is_floating_point() and name not in ("overlapping_inputs",):
        inputs[0].requires_grad_()
    began = time.time()
    with tempfile.TemporaryDirectory() as folder, depyf.compare(folder, every=int(steps > 1)) as report, \
            torch.set_grad_enabled(training):  # fmt: skip
        compiled = torch.compile(module, dynamic=getattr(module, "dynamic", None))
        for _ in range(steps):
            result = compiled(*inputs)
            flat = result if isinstance(result, (tuple, list)) else [result]
            floats = [one for one in flat if isinstance(one, torch.Tensor) and one.requires_grad]
            if training and floats:
                # not fp16's own range: gradients are to be finite
                sum(abs(one).float().nan_to_num().clamp(max=50).mean() for one in floats).sum().backward()
    return report, time.time() - began


def _converted(one: Any, dtype: Any, by_storage: Dict[Any, Any]) -> Any:
    """An input in another precision; those that share memory share it then too."""
    if not one.is_floating_point() or type(one) is not torch.Tensor:
        return one.to(dtype) if one.is_floating_point() else one
    storage = one.untyped_storage().data_ptr()
    if storage not in by_storage:
        whole = one.as_strided((one.untyped_storage().nbytes() // one.element_size(),), (1,), 0)
        by_storage[storage] = whole.to(dtype)
    return by_storage[storage].as_strided(one.shape, one.stride(), one.storage_offset())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--only", nargs="*", default=[], metavar="WORD", help="models whose names have one of these words")
    parser.add_argument("--dtypes", nargs="*", default=list(DTYPES), choices=list(DTYPES))
    parser.add_argument("--steps", type=int, default=1, metavar="N", help="compare N steps of each (default 1)")
    parser.add_argument("-v", "--verbose", action="store_true", help="every verdict")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    names = [name for name in MODELS if not options.only or any(word in name for word in options.only)]
    runs = alarms = errors = 0
    checked: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for name in names:
        for dtype in options.dtypes:
            for training in (False, True):
                runs += 1
                title = f"{name} {dtype} {'train' if training else 'eval'}"
                try:
                    report, seconds = run(name, DTYPES[dtype], training, options.steps)
                except Exception as error:
                    print(f"{title}: {type(error).__name__}: {str(error).splitlines()[0][:150]}", flush=True)
                    reasons["torch cannot run it"] += 1
                    continue
                of_run: Counter[str] = Counter()
                for one in report.verdicts:
                    for what in ("buffers", "outputs", "mutations"):
                        of_run[what] += getattr(one, what)[0]
                        of_run[f"all {what}"] += getattr(one, what)[1]
                    reasons.update(one.unchecked)
                checked += of_run
                alarms += len(report.findings)
                errors += sum("Error" in word for one in report.verdicts for word in one.unchecked)
                shares = ", ".join(f"{of_run[what]}/{of_run['all ' + what]} {what}" for what in ("buffers", "outputs", "mutations"))
                print(f"{title}: {len(report.findings)} alarms; {shares}; {seconds:.1f} s", flush=True)
                if report.findings or report.notes or options.verbose:
                    print("    " + str(report).replace("\n", "\n    "), flush=True)
    print(f"{alarms} alarms, {errors} errors in {runs} runs of {len(names)} models; checked " + ", ".join(
        f"{checked[what]} of {checked['all ' + what]} {what}" for what in ("buffers", "outputs", "mutations")))  # fmt: skip
    for reason, number in reasons.most_common():
        print(f"{number:5} {reason}")
    return 1 if alarms or errors else 0


if __name__ == "__main__":
    sys.exit(main())
