"""Questions of public reports about breaks and calls that raise, each as a short program: the number is the report's.

What ends in ``?`` is found where torch breaks or raises at all: later versions trace some of it. Numbers without a
repository are those of pytorch/pytorch; reported_again.py has what was compiled again.
"""

from __future__ import annotations

import contextlib
import copy
import ctypes
import functools
import logging
import random
import sys
import time
import warnings
import zlib
from pathlib import Path

import torch
from torch import nn

from .findings import limited
from .suite import call, compiled, program

log = logging.getLogger(__name__)
graph_break = torch._dynamo.graph_break


@program(finding=("break?", "for one in filter(", "filter"))
def report_128944():
    "A filter over tensors."

    def f(inputs):
        found = inputs[0].sin()
        for one in filter(lambda x: x.dim() > 0, inputs):
            found = found * one
        return found + 1

    return call(compiled(f), [torch.ones(2), torch.ones(2)])


@program(finding=("break|uncompiled?", "", r"build_class|LOAD_BUILD_CLASS"))
def report_128942():
    "A class that is defined in a compiled function."

    def f(x):
        y = x.sin()

        class Local:
            scale = 2

        return y * Local.scale

    return call(compiled(f), torch.ones(2))


@program(finding=("break?", 'warnings.warn("careful"', r"\bwarn"))
def report_135688():
    "A warning."

    def f(x):
        y = x.sin()
        warnings.warn("careful", stacklevel=2)
        return y + 1

    return call(compiled(f), torch.ones(2))


@program(finding=("break?", "start = time.time()", r"\btime\b"))
def report_137068():
    "The time of day."

    def f(x):
        y = x.sin()
        start = time.time()
        return y + 1, start is None

    return compiled(f)(torch.ones(2))


class Config:
    def __init__(self):
        self.width = 3
        self.names = {"a": [1, 2]}


@program(finding=("break?", "own = copy.deepcopy(config)", "deepcopy|copy"))
def report_115122():
    "A deep copy of a configuration; 149970 as well."
    config = Config()

    def f(x):
        y = x.sin()
        own = copy.deepcopy(config)
        return y * own.width

    return call(compiled(f), torch.ones(2))


@program(finding=("break|uncompiled?", "", "random|nothing to compile"))
def report_145446():
    "A random number of Python's."

    def f(x):
        y = x.sin()
        return y + random.random() * 0

    return compiled(f)(torch.ones(2))


@program(raises="Unsupported|", finding=("raised?", 'Path(".")', "Unsupported", "Path|pathlib"))
def report_133607():
    "A path, as a whole graph; asked for by vLLM."

    def f(x):
        Path(".")
        return x + x

    return call(compiled(f, fullgraph=True), torch.ones(2))


@contextlib.contextmanager
def counted(counts):
    counts.append(1)
    try:
        yield
    finally:
        counts.pop()


@program(raises="Unsupported|", finding=("raised?", "with counted(counts):", "Unsupported"))
def report_133483():
    "A context manager of contextlib, as a whole graph; 128651 as well."

    def f(x, counts):
        with counted(counts):
            y = x + len(counts)
        return y

    return call(compiled(f, fullgraph=True), torch.ones(2), [])


@program(finding=("break|uncompiled?", "", "warnings"))
def report_102339():
    "Warnings are ignored for a layer."
    layer = nn.Linear(2, 2)

    def f(x):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return layer(x)

    return call(compiled(f), torch.ones(1, 2))


@program(raises="Unsupported|", finding=("raised?", "return t[t > 0.5]", "Unsupported", r"nonzero|[Dd]ynamic shape"))
def report_114220():
    "A boolean mask, as a whole graph; 99609 as well."

    def f(t):
        return t[t > 0.5]

    return call(compiled(f, fullgraph=True), torch.tensor([0.2, 0.7]))


@program(raises="Unsupported|", finding=("raised?", "return x.masked_select(mask)", "Unsupported", "masked_select"))
def report_165421():
    "masked_select in a module, as a whole graph."

    class Model(nn.Module):
        def forward(self, x):
            mask = x.ge(0.5)
            return x.masked_select(mask)

    return compiled(Model(), fullgraph=True)(torch.tensor([0.2, 0.7]))


@program(raises="Unsupported|UserError|", finding=("raised?", "return int(x[0]), int(x[1])", "Unsupported|UserError"))
def report_114483():
    "Numbers of a tensor, as a whole graph."

    def f(x):
        return int(x[0]), int(x[1])

    return call(compiled(f, fullgraph=True), torch.tensor([1, 3]))


@program(finding=("break", "scale = x.max().item()", "item", "capture_scalar_outputs|Tensor.item"))
def report_130917():
    "A number out of a tensor, in the U-Net of a diffusion model."

    def f(x):
        y = x.sin()
        scale = x.max().item()
        return y * scale

    return call(compiled(f), torch.ones(2))


@program(finding=("break|uncompiled?", "", "item|comprehension"))
def report_180845():
    "Numbers out of a tensor, in a list comprehension."

    def f(x):
        y = x.sin()
        found = [y[at].item() for at in range(2)]
        return y * len(found)

    return call(compiled(f), torch.ones(2))


@program(needs="numpy", finding=("uncompiled?", "def f(x):"))
def report_119186():
    "numpy.count_nonzero in the condition of a loop's branch: no log says that nothing is compiled."
    import numpy

    def f(x):
        found = 0
        for row in range(2):
            if numpy.count_nonzero(x[row]) == 1:
                found += row
        return found

    return call(compiled(f), numpy.eye(2))


@program(finding=("break?", "w = int(box[2] + box[0])", r"int|item"))
def report_93457():
    "Sizes of a box, which are tensors."

    def f(box):
        w = int(box[2] + box[0])
        h = int(box[3] - box[1])
        return box * (w + h)

    return call(compiled(f), torch.tensor([1, 2, 3, 4]))


@program(finding=("uncompiled", "def f(x):", "graph_break"))
def report_93457_loop():
    "A function that is called in a loop, with a break behind it."

    def inner(x):
        return x.sin()

    def f(x):
        for _ in range(3):
            x = inner(x)
            graph_break()
        return x

    return call(compiled(f), torch.ones(2))


@program(raises="Unsupported|UserError|TorchRuntimeError|",
         finding=("raised?", "nn.init.trunc_normal_(w)", "Unsupported|UserError|TorchRuntimeError"))  # fmt: skip
def report_194768():
    "trunc_normal_, as a whole graph: the branch is in torch's file, the call in the program."

    def f(w):
        nn.init.trunc_normal_(w)
        return w * 0

    return call(compiled(f, fullgraph=True), torch.ones(2, 2))


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        graph_break()
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


@program(finding=("break|uncompiled|raised", "", "graph_break|autograd.Function|speculate"))
def report_160757():
    "A break in the forward of an autograd.Function."

    def f(x):
        y = x.sin()
        return Doubled.apply(y) + 1

    return call(compiled(f), torch.ones(2))


@functools.lru_cache(maxsize=None)
def layout_of(pattern):
    return tuple(pattern.split())


@program(finding=("break?", 'axes = layout_of("b c")', "lru_cache"))
def report_121344():
    "A function with a cache."

    def f(x):
        axes = layout_of("b c")
        return x * len(axes)

    return call(compiled(f), torch.ones(2))


@program(finding=("break?", 'log.debug("step %s", 1)', r"[Ll]ogg"))
def report_110886():
    "A log; tenstorrent/tt-torch#852 as well."

    def f(x):
        y = x.sin()
        log.debug("step %s", 1)
        return y + 1

    return call(compiled(f), torch.ones(2))


@program(finding=("break", "if mask is not None and (mask == 0.0).any():", "branch depends on a tensor's value"))
def report_transformers_37199():
    "huggingface/transformers#37199: an attention mask that is looked at."

    def f(x, mask=None):
        y = x.sin()
        if mask is not None and (mask == 0.0).any():
            y = y * mask
        return y

    return call(compiled(f), torch.ones(2), torch.zeros(2))


@program(finding=("break?", "sizes = counts.tolist()", "tolist|item|_local_scalar_dense"))
def report_prime_rl_996():
    "PrimeIntellect-ai/prime-rl#996: how many tokens each expert has; meta-pytorch/torchtune#2771 as well."

    def f(x, counts):
        y = x.sin()
        sizes = counts.tolist()
        return torch.split(y, sizes)[0]

    return call(compiled(f), torch.ones(3), torch.tensor([1, 2]))


@program(finding=("break|uncompiled?", "", "ctypes|c_ulong|PyC|mul"))
def report_kjnodes_533():
    "kijai/ComfyUI-KJNodes#533: an array type of ctypes."

    def f(x):
        y = x.sin()
        pair = ctypes.c_ulong * 2
        return y * len(pair(1, 2))

    return compiled(f)(torch.ones(2))


@program(raises="Unsupported", finding=("raised", 'return x + zlib.crc32(b"a")', "Unsupported", "crc32"))
def report_vllm_54197():
    "vllm-project/vllm#54197: a function that is not written in Python, as a whole graph."

    def f(x):
        return x + zlib.crc32(b"a")

    return call(compiled(f, fullgraph=True), torch.ones(2))


@program(finding=("break", "if y < 0:", "branch depends on a tensor's value"))
def report_torchdynamo_1883():
    "pytorch/torchdynamo#1883: a comparison of a sum: what is it that breaks?"

    def f(a, b):
        x = a + 33
        y = x.sum()
        if y < 0:
            x = x + 55
        return x + b

    return call(compiled(f), torch.ones(2), torch.ones(2))


@program(needs="numpy", finding=("break?", "return z[chosen] + 1", r"nonzero|[Dd]ynamic shape|data"))
def report_105266():
    "A boolean mask of numpy."
    import numpy

    def f(z, chosen):
        return z[chosen] + 1

    return call(compiled(f), numpy.arange(4), numpy.arange(4) % 2 == 0)


@program(finding=("break?", 'sys.audit("made", 1)', "audit"))
def report_133185():
    "sys.audit."

    def f(x):
        y = x.sin()
        sys.audit("made", 1)
        return y + 1

    return call(compiled(f), torch.ones(2))


class Processor:
    def __call__(self, layer, x):
        graph_break()
        return layer(x)


@program(finding=("break", "graph_break()", r"forward \(reported\.py:\d+\)"))
def report_diffusers_3218():
    "huggingface/diffusers#3218: breaks in an object that is called by each block."

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer, self.processor = nn.Linear(2, 2), Processor()

        def forward(self, x):
            return self.processor(self.layer, x.sin())

    return compiled(Block())(torch.ones(1, 2))


@program(raises="ConstraintViolationError|", finding=("raised?", "", "ConstraintViolationError", r"x\.shape\[0\]"))
def report_122307():
    "A size that is marked as dynamic, and hemmed in by two branches."

    def f(x):
        if x.shape[0] > 5:
            return x.cos()
        if x.shape[0] < 5:
            return x * 2
        return x.sin()

    x = torch.ones(5, 3)
    torch._dynamo.mark_dynamic(x, 0)
    return call(compiled(f), x)


@program(raises="ConstraintViolationError", finding=("raised", "", "ConstraintViolationError", r"labels\.shape\[0\]"))
def report_141034():
    "torchtune's loss in chunks: the labels are marked, the logits are not."

    def loss(logits, labels):
        return nn.functional.cross_entropy(logits, labels, reduction="sum")

    labels = torch.zeros(4, dtype=torch.long)
    torch._dynamo.mark_dynamic(labels, 0)
    return call(compiled(loss), torch.ones(4, 3), labels)


@program(raises="TorchRuntimeError",
         finding=("raised", "return hidden + extra", "TorchRuntimeError", "must match|broadcast"))  # fmt: skip
def report_vlm_grpo_9():
    "GAD-cell/vlm-grpo#9: sizes that do not fit."

    def f(hidden, extra):
        return hidden + extra

    return call(compiled(f), torch.ones(2, 5), torch.ones(2, 4))


@program(finding=("break", "length = int(mask.sum().item())", "item"))
def report_173915():
    "Positions that depend on a mask, as in Qwen's get_rope_index."

    def f(ids, mask):
        y = ids.cumsum(-1)
        length = int(mask.sum().item())
        return y[:length]

    return call(compiled(f), torch.arange(3), torch.tensor([1, 1, 0]))


@program(raises="Unsupported|FailOnRecompileLimitHit|RecompileLimitExceeded",
         finding=("raised", "def f(q):", r"Unsupported|RecompileLimit\w+", "limit", r"q\.shape\[0\]"))  # fmt: skip
def report_torchtitan_3898():
    "pytorch/torchtitan#3898: every length of a query compiles anew, until the limit; 189786 as well."

    def f(q):
        return q.softmax(-1)

    f = compiled(f, fullgraph=True, dynamic=False)
    with limited(3):
        return [f(torch.ones(n, 2)) for n in (2, 3, 4, 5)]


@program(finding=("raised", "graph_break()", "Unsupported", "graph_break"))
def report_114059():
    "One function, compiled as a whole graph, which raises, and with breaks."

    def f(x):
        x = x + 2
        graph_break()
        return x + 1

    whole, parts = compiled(f, fullgraph=True), compiled(f)
    try:
        whole(torch.ones(2))
    except Exception as error:
        return type(error).__name__, parts(torch.ones(2))


@program(finding=("break", "graph_break()", r"\bf \(reported\.py:\d+\)"))
def report_124437():
    "A break three calls deep."

    def hn(x):
        x = x.sin()
        graph_break()
        return x + 1

    def gn(x):
        return hn(x) * 2

    def f(x):
        return gn(x.cos())

    return call(compiled(f), torch.ones(2))


@program(needs="torch._dynamo.config.compiled_autograd", backend="aot_eager", repeatable=False,
         finding=("break", "model(x).sum().backward()", "backward"))  # fmt: skip
def compiled_autograd_of_a_step():
    "Compiled autograd: what the compiler calls meanwhile, sympy's functions among it, is no finding."
    model = nn.Linear(3, 1)

    def f(x):
        model(x).sum().backward()

    f = compiled(f)
    with torch._dynamo.config.patch(compiled_autograd=True):
        return [f(torch.ones(n, 3)) for n in (2, 4)]
