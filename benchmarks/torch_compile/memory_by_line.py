"""Whether the memory that a recording tells of a graph is what torch's allocator hands out while the graph runs.

    python benchmarks/torch_compile/memory_by_line.py

Each program is recorded with timers around its kernels. One more step runs under torch's profiler, which hears of every
allocation on the CPU; the timers mark in it where kernels end. For each graph, from its call on: the peak as it is told
and by the allocator; how far the live bytes during and after a kernel are off at most, in per cent of the peak; what is
left at the end. A library's kernel may allocate for itself and free before it returns: with that the peak is higher by
`inside`. Exit status 1 if a peak, or what is live at a kernel, is off by more than 2 %.
"""

# mypy: disable-error-code="misc"
from __future__ import annotations

import argparse
import importlib
import os
import tempfile
from typing import Any, Callable, NamedTuple

import torch
from torch import nn
from torch.nn import functional as F

import depyf
from depyf.explain.kernels import timing

_GRAPH, _KERNEL = "graph of a compiled function", "kernel has run"
_MOST = 2.0  # per cent


class Attention(nn.Module):
    """A layer of a transformer."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x: Any) -> Any:
        batch, length, width = x.shape
        parts = self.qkv(self.norm(x)).view(batch, length, 3, self.heads, width // self.heads)
        q, k, v = parts.permute(2, 0, 3, 1, 4)
        attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(attended.transpose(1, 2).reshape(batch, length, width))
        hidden = F.gelu(self.up(self.norm2(x)))
        return x + self.dropout(self.down(hidden))


class Convolutions(nn.Module):
    """A small residual network."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 32, 3, padding=1)
        self.blocks = nn.ModuleList(nn.Sequential(nn.Conv2d(32, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(),
                                                  nn.Conv2d(32, 32, 3, padding=1), nn.BatchNorm2d(32))
                                    for _ in range(3))  # fmt: skip
        self.head = nn.Linear(32, 10)

    def forward(self, x: Any) -> Any:
        x = F.relu(self.stem(x))
        for block in self.blocks:
            x = F.relu(x + block(x))
        return self.head(F.max_pool2d(x, 2).mean((2, 3)))


class Recurrent(nn.Module):
    """A cell, step by step."""

    def __init__(self) -> None:
        super().__init__()
        self.cell, self.head = nn.LSTMCell(64, 128), nn.Linear(128, 64)

    def forward(self, x: Any) -> Any:
        state = x.new_zeros(x.shape[0], 128), x.new_zeros(x.shape[0], 128)
        results = []
        for at in range(x.shape[1]):
            state = self.cell(x[:, at], state)
            results.append(self.head(torch.tanh(state[0])))
        return torch.stack(results, 1)


class Changing(nn.Module):
    """Views, writes into them and into a buffer, and values that are overwritten."""

    def __init__(self) -> None:
        super().__init__()
        self.mix = nn.Linear(64, 64)
        self.register_buffer("seen", torch.zeros(64))

    def forward(self, x: Any) -> Any:
        y = x.clone()
        y[:, ::2] *= 2
        y.view(-1, 2, 32)[:, 0].add_(1)
        self.seen.add_(y.detach().mean(0))
        y = torch.cat([self.mix(y).relu_(), y.t().contiguous().t()], 1)
        values, order = y.sort(1)
        return values.cumsum(1).sin_() + order


def perceptron() -> nn.Module:
    return nn.Sequential(nn.Linear(64, 256), nn.GELU(), nn.Dropout(0.2), nn.Linear(256, 64), nn.LayerNorm(64))


class Program(NamedTuple):
    """A model and the inputs it is called with, which differ in size if sizes are dynamic."""

    model: Callable[[], nn.Module]
    inputs: Callable[[], list[Any]]
    dynamic: bool | None = None


PROGRAMS = {
    "perceptron": Program(perceptron, lambda: [torch.randn(128, 64)]),
    "transformer": Program(lambda: nn.Sequential(*[Attention(128, 4) for _ in range(3)]),
                           lambda: [torch.randn(4, 64, 128)]),
    "conv net": Program(Convolutions, lambda: [torch.randn(4, 3, 32, 32)]),
    "recurrent": Program(Recurrent, lambda: [torch.randn(16, 12, 64)]),
    "changing": Program(Changing, lambda: [torch.randn(128, 64)]),
    "dynamic": Program(lambda: nn.Sequential(perceptron(), Attention(64, 4)),
                       lambda: [torch.randn(6, 48, 64), torch.randn(9, 32, 64)], True),
}  # fmt: skip


class Measured(NamedTuple):
    """By the allocator, from the call of a graph on: at each kernel, the live bytes before and after what is freed."""

    kernels: list[tuple[int, int]]
    inside: int  # how much higher the peak is with what kernels free themselves
    left: int


def measured(step: Callable[[], Any]) -> list[Measured]:
    """What the allocator did in each call of a graph."""
    try:
        from torch._inductor.output_code import CompiledFxGraph
    except ImportError:
        from torch._inductor.codecache import CompiledFxGraph
    before = CompiledFxGraph.__call__

    def call(self: Any, inputs: Any) -> Any:
        with torch.profiler.record_function(_GRAPH):
            return before(self, inputs)

    CompiledFxGraph.__call__ = call
    try:
        activities = [torch.profiler.ProfilerActivity.CPU]
        with torch.profiler.profile(activities=activities, profile_memory=True) as profile:
            step()
    finally:
        CompiledFxGraph.__call__ = before
    events = [(one.start_ns(), one.end_ns(), one.name(), one.nbytes())
              for one in profile.profiler.kineto_results.events()]  # fmt: skip
    return [_of_graph(sorted(one for one in events if start <= one[0] and one[1] <= end and one[2] != _GRAPH))
            for start, end, name, _ in sorted(events) if name == _GRAPH]  # fmt: skip


def _of_graph(events: list[tuple[int, int, str, int]]) -> Measured:
    live = peak = 0
    kernels: list[tuple[int, int]] = []
    is_after = False  # whether nothing was allocated since the last kernel
    for _, _, name, size in events:
        if name == "[memory]":
            live, is_after = live + size, is_after and size < 0
            peak = max(peak, live)
            if is_after:
                kernels[-1] = (kernels[-1][0], live)
        elif name == _KERNEL:
            kernels.append((live, live))
            is_after = True
    return Measured(kernels, peak - max(during for during, _ in kernels), live)


def marking_recorder(calls: list[Any]) -> Callable[[int, float], None]:
    """What a timer calls behind a kernel."""

    def ran(number: int, start: float) -> None:
        with torch.profiler.record_function(_KERNEL):
            pass

    return ran


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", action="append", choices=list(PROGRAMS))
    options = parser.parse_args()
    config: Any = importlib.import_module("torch._inductor.config")
    config.fx_graph_cache = False
    timing._recorder_of = marking_recorder
    print(f"torch {torch.__version__}: bytes from the call of the graph on")
    print(f"{'program':12} {'step':9} {'graph':9} {'kernels':>7} {'told':>9} {'allocator':>9} {'off by':>7} "
          f"{'at kernels':>10} {'inside':>9} {'left, told':>10} {'allocator':>10}")  # fmt: skip
    return int(max(compare(name, trains) for name in options.program or PROGRAMS for trains in (False, True)) > _MOST)


def compare(name: str, trains: bool) -> float:
    """Prints a line for each graph of a program; gives how far the worst is off, in per cent."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    program, worst = PROGRAMS[name], 0.0
    inputs = program.inputs()
    compiled = torch.compile(program.model().train(trains), dynamic=program.dynamic)

    def step(example: Any = inputs[0]) -> None:
        with torch.set_grad_enabled(trains):
            result = compiled(example)
        if trains:
            result.square().sum().backward()

    with tempfile.TemporaryDirectory() as folder, depyf.prepare_debug(os.path.join(folder, "dump"), time=True) as found:
        for example in (*inputs, inputs[0]):  # gradients are there behind the first
            step(example)
        by_allocator = measured(step)
        graphs = {graph.name: graph for frame in found.frames for entry in frame.entries for graph in entry.graphs}
        kernels = [kernel for graph in graphs.values() for kernel in graph.kernels]
    assert len(kernels) == len(by_allocator), (len(kernels), len(by_allocator))
    for kernel, real in zip(kernels, by_allocator):
        memory: Any = kernel.memory
        told = [(one.during - memory.given, one.after - memory.given) for one in kernel.calls]
        assert len(told) == len(real.kernels), (told, real)
        peak = max(during for during, _ in real.kernels)
        off = 100 * (memory.peak - memory.given - peak) / peak
        at_kernels = max(100 * abs(one - other) / peak
                         for left, right in zip(told, real.kernels) for one, other in zip(left, right))  # fmt: skip
        worst = max(worst, abs(off), at_kernels)
        print(f"{name:12} {'training' if trains else 'inference':9} {kernel.direction:9} {len(told):7} "
              f"{memory.peak - memory.given:9} {peak:9} {off:+5.2f} % {at_kernels:8.2f} % {real.inside:9} "
              f"{memory.kept - memory.given:10} {real.left:10}")  # fmt: skip
    return worst


if __name__ == "__main__":
    raise SystemExit(main())
