"""Questions of public reports about what was compiled again, each as a short program: see reported.py."""

from __future__ import annotations

import functools

import torch
from torch import nn

from .suite import call, compiled, program


@program(finding=("recompile?", "", r"\by was 1\.5, then 2\.5|y == 1\.5; it is 2\.5"))
def report_149406():
    "A float that changes; 149405 and 119778 as well."

    def f(x, y):
        return x * y

    f = compiled(f, dynamic=True)
    return call(f, torch.ones(2), 1.5), call(f, torch.ones(2), 2.5)


@program(finding=("recompile?", "", r"\ba\b|0\.0[12]"))
def report_171320():
    "Numbers that are multiplied with each other before a tensor."

    def f(p, a, b):
        return p * (a * b)

    f = compiled(f, fullgraph=True)
    return [call(f, torch.ones(2), number / 100, 1.5) for number in (1, 2, 3, 4)]


@program(finding=("recompile?", "", r"int_dict|\bn\b"))
def report_143670():
    "Whether a number is in a dictionary."

    def f(x, int_dict, n):
        if n in int_dict:
            return x + 1
        return x + 2

    f = compiled(f)
    x = torch.ones(2)
    return call(f, x, {1: "1"}, 1), call(f, x, {1: "1", 2: "2"}, 1), call(f, x, {2: "2"}, 2)


@program(finding=("recompile", "", r"(keys?|set)\b.*\b10\b"))
def report_151122():
    "A dictionary with another key."

    def f(x):
        for _, v in x.items():
            return v * 100 if v is None else v * 200

    f = compiled(f)
    return call(f, {10: torch.ones(1)}), call(f, {20: torch.ones(1)})


@program(finding=("recompile", "", r"\bstate\b", "loss|1"), repeatable=False)
def report_175858():
    "A step that puts a result into its dictionary."

    def step(state):
        state["loss"] = state["obs"] * 2
        return state["loss"]

    step, state = compiled(step), {"obs": torch.ones(2)}
    return step(state), step(state), step(state)


@program(finding=("recompile", "", r"\btd\b"), repeatable=False)
def report_tensordict_1606():
    "pytorch/tensordict#1606: dictionaries with more and more keys."

    def f(td):
        td["new"] = torch.ones(2)
        return td["new"] * len(td)

    f = compiled(f)
    return [f({f"k{at}": torch.ones(2) for at in range(count)}) for count in (0, 1, 2)]


CACHE = {1.5: torch.ones(2), 2.5: torch.ones(2) * 2}


@program(finding=("recompile?", "", r"1\.5|key"))
def report_171593():
    "Modules of one class, with a float each, by which they look something up."

    class Model(nn.Module):
        def __init__(self, key):
            super().__init__()
            self.key = key

        def forward(self, x):
            return x + CACHE[self.key]

    return [compiled(Model(key))(torch.ones(2)) for key in (1.5, 2.5)]


@program(finding=("recompile?", "", "training"))
def report_110803():
    "train() and eval(), again and again."
    model = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.0))
    f = compiled(model)
    found = []
    for mode in (True, False, True, False):
        model.train(mode)
        found.append(f(torch.ones(1, 2)))
    return found


@program(finding=("recompile", "", r"\ba\.requires_grad (was|is) False(, then|; it is) True"))
def report_131975():
    "requires_grad, under no_grad."

    def f(a, b):
        return (a + b).clip(0)

    f = compiled(f)
    a, b = torch.ones(2), torch.ones(2)
    with torch.no_grad():
        first = f(a, b)
        a.requires_grad_(True)
        return first, f(a, b)


@program(finding=("recompile", "", "inference mode"))
def report_134249():
    "Tensors made in inference mode and outside of it."

    def f(x):
        return x * 2

    f = compiled(f)
    with torch.inference_mode():
        inner = torch.ones(2)
    return f(torch.ones(2)), f(inner)


@program(finding=("recompile?", "", "requires_grad"))
def report_139476():
    "Parameters that are frozen between two calls."
    model = nn.Linear(2, 2)
    f = compiled(model)
    first = f(torch.ones(1, 2))
    for one in model.parameters():
        one.requires_grad = False
    return first, f(torch.ones(1, 2))


@program(finding=("recompile?", "", "hook"))
def report_125836():
    "Equal layers, each compiled by itself, each with the same hook; 170110 as well."

    def hook(module, inputs):
        return (inputs[0] * 1,)

    found = []
    for _ in range(3):
        layer = nn.Linear(2, 2)
        layer.register_forward_pre_hook(hook)
        found.append(compiled(layer)(torch.ones(1, 2)).shape)
    return found


@program(finding=("recompile", "", r"layer_idx\b.*\b(0|1)|object whose identity is checked"))
def report_transformers_36484():
    "huggingface/transformers#36484: blocks that are compiled each by itself, with their numbers."

    class Block(nn.Module):
        def __init__(self, layer_idx):
            super().__init__()
            self.layer_idx = layer_idx

        def forward(self, x, cache):
            cache[self.layer_idx] = x
            return x.sin()

    cache = [None, None, None]
    return [compiled(Block(at), dynamic=False)(torch.ones(2), cache) for at in range(3)]


@program(finding=("recompile", "", r"cache|keys"))
def report_transformers_37908():
    "huggingface/transformers#37908: a cache that grows by a layer's keys with each call."

    class DynamicCache:
        def __init__(self):
            self.keys = []

    def f(x, cache):
        total = x.sin()
        for one in cache.keys:
            total = total + one
        return total

    f, cache, found = compiled(f), DynamicCache(), []
    for _ in range(3):
        found.append(f(torch.ones(2), cache))
        cache.keys.append(torch.ones(2))
    return found


@program(finding=("recompile?", "", r"kv_cache\.size\b.*\b(0|4)\b"))
def report_torchtune_1663():
    "meta-pytorch/torchtune#1663: a cache that counts its tokens."

    class KVCache(nn.Module):
        def __init__(self):
            super().__init__()
            self.size = 0

    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.kv_cache = KVCache()

        def forward(self, x):
            return x * (self.kv_cache.size + 1)

    model = Attention()
    f = compiled(model)
    found = []
    for _ in range(3):
        found.append(f(torch.ones(2)))
        model.kv_cache.size += 4
    return found


@program(finding=("recompile", "", r"\bmask_mod\b", "define mask_mod once"))
def report_vllm_27178():
    "vllm-project/vllm#27178: a function for the mask, made anew for each call."

    def f(x, mask_mod):
        return x.masked_fill(mask_mod(x), 0.0)

    f = compiled(f)
    return call(f, torch.ones(2), lambda x: x < 0), call(f, torch.ones(2), lambda x: x < -1)


@program(finding=("recompile", "", r"xs\[0\]\.shape\[1\] (was|==) 640"))
def report_dion_23():
    "microsoft/dion#23: lists of parameters of several shapes."

    def f(xs):
        return [x * 2 for x in xs]

    f = compiled(f, dynamic=False)
    return call(f, [torch.ones(2, 640)]), call(f, [torch.ones(2, 8)])


@program(finding=("recompile", "", r"indices\['max_seqlen'\].*\b31868\b"))
def report_mochi_wrapper_44():
    "kijai/ComfyUI-MochiWrapper#44: a number in a dictionary, which each prompt changes."

    def f(x, indices):
        return x * indices["max_seqlen"]

    f = compiled(f, dynamic=False)
    return [call(f, torch.ones(2), {"max_seqlen": length}) for length in (31868, 31870)]


@program(finding=("recompile?", "", "self|model|type|object|size"))
def report_114511():
    "Many modules of one class, each compiled by itself."

    class Model(nn.Module):
        def __init__(self, size):
            super().__init__()
            self.layer = nn.Linear(2, size)

        def forward(self, x):
            return self.layer(x)

    return [compiled(Model(size))(torch.ones(1, 2)) for size in (2, 3, 4)]


@program(finding=("recompile", "", r"self\.flag (was|is) True|flag"))
def report_100061():
    "A branch on an attribute that changes; 105863 as well."

    class Switch:
        flag = True

        def run(self, x):
            return x.sin() if self.flag else x.cos()

    switch = Switch()
    f = compiled(switch.run)
    first = f(torch.ones(2))
    switch.flag = False
    return first, f(torch.ones(2))


@program(finding=("recompile", "", r"\bidx\b.*\b0\b"))
def report_156520():
    "A block that is compiled by itself and gets its number."

    class Cache:
        def __init__(self):
            self.keys = [torch.zeros(2) for _ in range(3)]

        def get(self, idx):
            return self.keys[idx]

    def block(x, cache, idx):
        return x + cache.get(idx)

    block, cache = compiled(block, dynamic=False), Cache()
    return [block(torch.ones(2), cache, idx) for idx in range(3)]


@program(finding=("recompile", "", r"\bkwargs\b", "each set of (keyword arguments|keys)"))
def report_xdit_781():
    "xdit-project/xDiT#781: keyword arguments that are there only where a sequence is padded."

    def f(x, **kwargs):
        return x * len(kwargs)

    f = compiled(f)
    return call(f, torch.ones(2)), call(f, torch.ones(2), lengths=3)


@program(finding=("recompile?", "", r"x\.shape\[1\]|table"))
def report_98533():
    "A table by the length of the input, as in Whisper."
    table = {3: 1}

    def f(x, y):
        at = table.get(x.shape[-1])
        if at is not None:
            return y + at
        return y

    f = compiled(f)
    return [call(f, torch.ones(1, length), torch.ones(2)) for length in (3, 4, 5)]


@program(finding=("recompile?", "", r"\bd\b.*0\.5"))
def report_lightning_17214():
    "Lightning-AI/pytorch-lightning#17214: a float that each drawing changes, in a logger's images."

    def draw(x, d):
        y = x * d
        torch._dynamo.graph_break()
        return y.sin() * d

    draw = compiled(draw)
    return [call(draw, torch.ones(2), d) for d in (0.5, 1.5, 2.0)]


def with_rate(rates, **options):
    """A compiled step of an optimizer, with other rates."""
    model = nn.Linear(2, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=rates[0], **options)
    step = compiled(lambda: optimizer.step())
    for rate in rates:
        optimizer.param_groups[0]["lr"] = rate
        for one in model.parameters():
            one.grad = torch.ones_like(one)
        step()
    return list(model.parameters())


@program(finding=("recompile", "", r"\blr\b|\['lr'\]"))
def report_120934():
    "A scheduler changes the learning rate of a compiled step; 107076 and 130467 as well."
    return with_rate([0.5, 0.25])


@program(finding=("recompile", "", r"\blr\b|\['lr'\]"))
def report_163093():
    "ReduceLROnPlateau puts a float where the rate was a tensor."
    return with_rate([torch.tensor(0.5), 0.25])


@program(finding=("recompile", "", r"betas"))
def report_133898():
    "A scheduler changes the momentum of a compiled AdamW."
    model = nn.Linear(2, 2)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    step = compiled(lambda: optimizer.step())
    for beta in (0.95, 0.9):
        optimizer.param_groups[0]["betas"] = (beta, 0.999)
        for one in model.parameters():
            one.grad = torch.ones_like(one)
        step()
    return list(model.parameters())


Z = 0


@functools.lru_cache(maxsize=None)
def counting(x):
    global Z
    Z = Z + 1
    return 1


@program(finding=("recompile|break?", "", r"\bZ\b|lru_cache"), repeatable=False)
def report_146598():
    "A function with a cache that counts its calls in a global."
    global Z
    Z = 0
    counting.cache_clear()
    f = compiled(lambda x: x + counting(2))
    return [f(torch.ones(2)) for _ in range(3)]
