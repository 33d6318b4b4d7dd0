"""Whether the memory that a recording tells of a graph is what torch's allocator hands out while the graph runs.

    python benchmarks/torch_compile/memory_by_line.py

Each model is recorded, then runs once more under torch's profiler, which hears of every allocation on the CPU. For each
graph: the peak as it is told, and by the allocator, from the call of the graph on; what there is more, or less, at its
end. A kernel of a library may allocate for itself and free before it returns: `inside` is what the peak is higher with
that. Exit status 1 if a peak is off by more than 2 %.
"""

# mypy: disable-error-code="misc"
from __future__ import annotations

import argparse
import os
import tempfile
from typing import Any, Callable

import torch
from torch import nn
from torch.nn import functional as F

import depyf

_NAME = "graph of a compiled function"


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


MODELS: dict[str, Callable[[], tuple[nn.Module, Any]]] = {
    "transformer": lambda: (nn.Sequential(*[Attention(128, 4) for _ in range(3)]), torch.randn(4, 64, 128)),
    "conv net": lambda: (Convolutions(), torch.randn(4, 3, 32, 32)),
    "recurrent": lambda: (Recurrent(), torch.randn(16, 12, 64)),
}


def told(step: Callable[[], Any]) -> list[tuple[str, Any]]:
    """Direction and memory of each graph that `step` compiles, in the order in which it calls them."""
    with tempfile.TemporaryDirectory() as folder, depyf.prepare_debug(os.path.join(folder, "dump")) as session:
        step()
    graphs = {graph.name: graph for frame in session.frames for entry in frame.entries for graph in entry.graphs}
    kernels = [kernel for graph in graphs.values() for kernel in graph.kernels]
    return [(kernel.direction, kernel.memory) for kernel in kernels]


def allocated(step: Callable[[], Any]) -> list[tuple[int, int, int]]:
    """By call of a graph: its peak by the allocator as kernels begin and end, all of it, what is left at the end."""
    try:
        from torch._inductor.output_code import CompiledFxGraph
    except ImportError:
        from torch._inductor.codecache import CompiledFxGraph
    before = CompiledFxGraph.__call__

    def call(self: Any, inputs: Any) -> Any:
        with torch.profiler.record_function(_NAME):
            return before(self, inputs)

    CompiledFxGraph.__call__ = call
    try:
        activities = [torch.profiler.ProfilerActivity.CPU]
        with torch.profiler.profile(activities=activities, profile_memory=True) as profile:
            step()
    finally:
        CompiledFxGraph.__call__ = before
    events = [(one.start_ns(), one.end_ns(), one.name(), one.nbytes()) for one in _events(profile)]
    graphs = sorted(one for one in events if one[2] == _NAME)
    return [_peaks([one for one in events if start <= one[0] and one[1] <= end and one[2] != _NAME])
            for start, end, _, _ in graphs]  # fmt: skip


def _events(profile: Any) -> Any:
    return profile.profiler.kineto_results.events()


def _peaks(events: list[Any]) -> tuple[int, int, int]:
    operators = [one for one in events if one[2].startswith(("aten::", "mkldnn::"))]
    live = peak = live_outside = peak_outside = 0
    waiting: list[tuple[int, int]] = []  # when an operator ends, and what it has kept
    for start, _, name, size in sorted(events):
        while waiting and waiting[0][0] < start:
            live_outside += waiting.pop(0)[1]
            peak_outside = max(peak_outside, live_outside)
        if name == "[memory]":
            live += size
            peak = max(peak, live)
            end = max((one[1] for one in operators if one[0] <= start <= one[1]), default=0)
            if end:
                waiting = [(end, size + sum(kept for at, kept in waiting if at == end)),
                           *(one for one in waiting if one[0] != end)]  # fmt: skip
            else:
                live_outside += size
                peak_outside = max(peak_outside, live_outside)
    return max(peak_outside, live_outside + sum(kept for _, kept in waiting)), peak, live


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", action="append", choices=list(MODELS))
    options = parser.parse_args()
    torch._inductor.config.fx_graph_cache = False
    print(f"torch {torch.__version__}: bytes from the call of the graph on")
    print(f"{'model':12} {'step':9} {'graph':9} {'told':>10} {'allocator':>10} {'off by':>8} {'inside':>10} "
          f"{'left, told':>10} {'allocator':>10}")  # fmt: skip
    return int(max(measure(name, trains) for name in options.model or MODELS for trains in (False, True)) > 2)


def measure(name: str, trains: bool) -> float:
    """Prints a line for each graph of a model; gives how far the worst peak is off, in per cent."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    model, example = MODELS[name]()
    compiled = torch.compile(model.train(trains))

    def step() -> None:
        with torch.set_grad_enabled(trains):
            result = compiled(example)
        if trains:
            result.square().sum().backward()

    found, worst = told(step), 0.0
    step()  # gradients are there from now on
    measured = allocated(step)
    assert len(found) == len(measured), (found, measured)
    for (direction, memory), (outside, whole, left) in zip(found, measured):
        peak, kept = memory.peak - memory.given, memory.kept - memory.given
        off = 100 * (peak - outside) / outside
        worst = max(worst, abs(off))
        print(f"{name:12} {'training' if trains else 'inference':9} {direction:9} {peak:10} {outside:10} "
              f"{off:+6.2f} % {whole - outside:10} {kept:10} {left:10}")  # fmt: skip
    return worst


if __name__ == "__main__":
    raise SystemExit(main())
