"""Programs for record_dynamo.py made of text: a graph break of each kind in each kind of block and of expression."""

# ruff: noqa: E501 (the texts of programs)
from __future__ import annotations

import contextlib
import functools
import linecache
import sys
import types
from typing import Any, Callable

import torch
from dynamo_programs import PROGRAMS, T, graph_break, outside

BREAKS = {
    "call": "torch._dynamo.graph_break()",
    "print": "print(end='')",
    "item": "n = y.sum().item()\ny = y + n",
    "branch": "if y.sum() > 0:\n    y = y + 1",
    "value": "y = y * outside(y)",
    "callee": "y = broken(y)",
}
"""Statements at which Dynamo leaves the graph; they may use and set ``y``."""

BLOCKS = {
    "if": "y = x + 1\nif flag:\n    @\n    y = y * 2\nelse:\n    y = y * 3\nreturn y - x",
    "else": "y = x + 1\nif not flag:\n    y = y * 3\nelse:\n    @\n    y = y * 2\nreturn y - x",
    "elif": "y = x * 2\nif k > 5:\n    y = y + 3\nelif k > 1:\n    @\n    y = y - k\nelse:\n    y = y * 5\nreturn y, k",
    "tensor_if": "y = x - 1\nif x.sum() > 0:\n    @\n    y = y * 2\nelse:\n    y = y * 3\nreturn y + x",
    "tensor_else": "y = x - 1\nif x.sum() > 0:\n    y = y * 2\nelse:\n    @\n    y = y * 3\n    z = y\nreturn y + x",
    "both_arms": "y = x - 1\nif x.mean() > 0:\n    @\n    y = y * 2\nelse:\n    y = y / 2\n    @\nreturn y + x",
    "nested_ifs": "y = x - 1\nif x.mean() > 0:\n    if flag:\n        @\n    y = y * 2\nelif x.min() < -3:\n    @\nreturn y",
    "return_in_if": "y = x - 1\nif x.sum() > 0:\n    @\n    return y\n@\nreturn y * 2, x",
    "for_range": "y = x\nfor i in range(3):\n    y = y + i\n    @\nreturn y",
    "for_items": "y = x\nfor w in items:\n    y = y * w\n    @\nreturn y, len(items)",
    "for_enumerate": "y = x\nfor i, w in enumerate(items):\n    if i == 1:\n        @\n    y = y * w + i\nreturn y",
    "for_zip": "y = x\nfor v, w in zip(items, reversed(items)):\n    y = y * w - v\n@\nreturn y",
    "for_dict": "y = x\nfor key, w in table.items():\n    y = y + w\n    @\nreturn y, key",
    "for_else": "y = x\nfor w in items:\n    if k > 10:\n        break\n    y = y + w\nelse:\n    @\n    y = y * 2\nreturn y",
    "for_break": "y = x\nfor i in range(10):\n    y = y + i\n    if i == 2:\n        @\n        break\nreturn y",
    "for_continue": "y = x\nfor i in range(4):\n    if i % 2:\n        continue\n    @\n    y = y + i\nreturn y",
    "after_for": "y = x\nfor i in range(3):\n    y = y + i\n@\nreturn y * i",
    "before_for": "y = x + 1\n@\nfor i in range(3):\n    y = y + i\nreturn y * i",
    "nested_for": "y = x\nfor i in range(2):\n    for j in range(2):\n        y = y + i * j\n    @\nreturn y",
    "while": "y = x\nn = 0\nwhile n < 3:\n    y = y + n\n    n += 1\n    @\nreturn y",
    "after_while": "y = x\ni = k\nwhile i:\n    y = y * 2\n    i -= 1\n@\nreturn y, i",
    "while_else": "y = x\ni = 0\nwhile i < 2:\n    i += 1\nelse:\n    @\n    y = y + i\nreturn y",
    "try": "y = x\ntry:\n    y = y + 1\n    @\nexcept ValueError:\n    y = y - 1\nreturn y",
    "except": "y = x\ntry:\n    y = y + 1\n    raise ValueError\nexcept ValueError:\n    @\n    y = y - 1\nreturn y",
    "finally": "y = x\ntry:\n    y = y + 1\nfinally:\n    @\n    y = y * 2\nreturn y",
    "try_finally": "y = x\ntry:\n    y = y + 1\n    @\nfinally:\n    y = y * 2\nreturn y",
    "try_else": "y = x\ntry:\n    y = y + 1\nexcept KeyError as error:\n    y = error\nelse:\n    @\n    y = y * 2\nreturn y",
    "after_try": "y = x\ntry:\n    y = y + table['absent']\nexcept KeyError:\n    y = y - 2\n@\nreturn y * 3",
    "before_try": "y = x + 1\n@\ntry:\n    y = y + items[99]\nexcept (KeyError, IndexError) as error:\n    y = y - 2\nreturn y",
    "before_finally": "y = x + 1\n@\ntry:\n    return y * 2\nfinally:\n    items.append(y)",
    "with": "y = x + 1\nwith torch.no_grad():\n    @\n    y = y * 2\nreturn y + x",
    "before_with": "y = x + 1\n@\nwith torch.no_grad():\n    y = y * 2\nreturn y + x",
    "with_in_if": "y = x + 1\nif flag:\n    with torch.no_grad():\n        y = y * 2\n        @\nelse:\n    y = y * 5\nreturn y + x",
    "with_in_for": "y = x\nfor i in range(2):\n    with torch.no_grad():\n        y = y * 2\n    @\nreturn y + x",
    "for_in_with": "y = x\nwith torch.no_grad():\n    for i in range(2):\n        y = y * 2\n    @\nreturn y + x",
    "with_in_try": "y = x\ntry:\n    with torch.no_grad():\n        y = y * 2\n        @\nfinally:\n    y = y + 1\nreturn y",
    "comprehension": "y = x + 1\nz = [y * w for w in items]\n@\nreturn [v + k for v in z], y",
    "dict_comprehension": "y = x + 1\nz = {key: w * 2 for key, w in table.items()}\n@\nreturn {v: y for v in z}, z",
    "set_comprehension": "y = x + 1\nz = {i + k for i in range(3)}\n@\nreturn y, z, {i for i in z}",
    "generator": "y = x + 1\nz = sum(w * 2 for w in items)\n@\nreturn y * z, any(w is y for w in items)",
    "nested_function": "y = x + 1\ndef inner(v, w=2):\n    return v * y + w\n@\nreturn inner(x), inner(y, 3)",
    "nested_writes": "y = x + 1\ntotal = 0\ndef add(v):\n    nonlocal total\n    total += v\nadd(2)\n@\nadd(k)\nreturn y * total",
    "in_nested_function": "y = x\ndef inner(y):\n    y = y * 2\n    @\n    return y + x\nreturn inner(x + 1) - 1",
    "lambda": "y = x\ng = lambda v, *w, scale=k: (v + y) * scale\n@\nreturn g(x), g(y, 1, scale=5)",
    "method": "y = x * thing.scale\n@\nthing.scale = 3\nreturn thing.run(y)",
    "in_method": "class Local:\n    pass\ny = thing.run(x)\n@\nreturn thing.broken(y) + 1",
    "conditional": "y = x + 1 if flag else x\n@\nreturn y * 2 if k > 1 else (y, None)[0]",
    "and_or": "y = x + 1\nz = flag and k or y\n@\nreturn (y if z else x) if not flag or k else x - y",
    "unpacking": "(y, z), *rest = (x, k), 1, items\n@\n*front, last = items\nreturn y, z, rest, front, last",
    "deletion": "y = x + 1\nz = y * 2\nw = [y, z]\ndel z\n@\ndel w[0]\nreturn y, w",
    "format": "y = x + 1\nname = f'{k}:{flag!r:>5}'\n@\nreturn {name: y, f'{name}{k:03}': x}",
    "slices": "y = x[1:3]\ny = y + x[k - 3:, ...].sum()\n@\nreturn y[::2], items[:1], x[None, :-1]",
    "assertion": "y = x + 1\nassert flag, 'no'\n@\nassert k > 1\nreturn y",
    "globals": "global COUNT\nCOUNT = COUNT + 1\ny = x + COUNT\n@\nCOUNT += 2\nreturn y * COUNT",
    "augmented": "y = x + 1\ny += k\nitems[0] *= 2\ntable['a'] += y\n@\nthing.scale += 1\nitems[-1] -= y\nreturn y",
    "star_call": "y = x + 1\nargs, kwargs = (x, y), {'alpha': 2}\n@\nreturn torch.add(*args, **kwargs), max(*[1, k])",
    "chained": "y = x + 1\nz = 0 < k <= 3 < 7\n@\nreturn y if 1 <= k < 2 else y * z",
    "imports": "import math\ny = x + math.pi\n@\nfrom math import tau, e as base\nreturn y * tau - base",
    "class": "class Local:\n    scale = 2\n    def run(self, v):\n        return v * self.scale\ny = x\n@\nreturn Local().run(y)",
    "walrus": "y = x + 1\nif (z := k * 2) > 3:\n    y = y * z\n@\nreturn (w := y + z), w * z",
    "match": "y = x + 1\nmatch k:\n    case 1 | 2:\n        y = y * 2\n    case int(n) if n > 2:\n        @\n        y = y * n\nreturn y",
}  # fmt: skip
"""Bodies of ``f(x, items, table, thing, k=3, flag=True)``; @ is where the break goes."""

EXPRESSIONS = {
    "operand": "(x + 1) * @(x) - x",
    "second_operand": "x.sin() + (x.cos() * @(x))",
    "two": "@(x) * (x + 1) + @(x - 1)",
    "nested": "@(@(x + 1) * 2) + x",
    "argument": "torch.add(x + 1, @(x), alpha=2)",
    "keyword": "torch.add(x, x * 2, alpha=@(3))",
    "method": "x.mul(2).add(@(x)).relu()",
    "method_of_result": "@(x + 1).mul(x).sum()",
    "attribute": "(x * 3, @(x).shape, x.dtype)",
    "subscript": "items[@(0)] * (x + 2)",
    "tensor_subscript": "(x * 2)[@(1):@(3)] + 1",
    "slice": "items[@(0):2], x + 3",
    "list": "[x + 1, @(x), [x * 2, @(k)]]",
    "tuple": "(x + 1, k, @(x), flag)",
    "set": "{k, @(5), 7}, x * 2",
    "dict": "{'a': x + 1, @('b'): x * 2, 'c': @(x)}",
    "starred": "[*items, x + 1, *@(items)]",
    "star_call": "torch.stack(@([x, x * 2, *items]))",
    "double_star": "dict(a=x + 1, **@(table))",
    "comparison": "(x + 1 > @(x), k < @(5))",
    "chained": "1 < @(k) < 5, x + 2",
    "identity": "(x + 1, @(x) is x, @(k) in (1, 3), not @(flag))",
    "and": "flag and @(k) and x + 1",
    "or": "@(0) or x * 2",
    "conditional": "x * 3 if @(flag) else x - 1",
    "conditional_value": "(x * 2, @(x) if flag else x, k)",
    "tensor_condition": "(x + 1, x * 2 if x.sum() > 0 else @(x))",
    "format": "(x + 1, f'{@(k)}-{k!r}', 'b%s' % @(k))",
    "comprehension": "[@(x) * w for w in items]",
    "generator": "sum(@(w) for w in items) + x",
    "lambda": "(lambda v: @(v) * x)(x + 1)",
    "negated": "-@(x) + ~@(k)",
    "walrus": "((z := @(x + 1)) * 2, z)",
    "matmul": "x @@ @(x) + 1",
    "power": "(x ** @(2)) // 3 % 5",
    "in_place": "x.clone().add_(@(x)).mul_(2)",
    "builtin": "(max(k, @(9)), x + 1, len(@(items)))",
    "map": "(list(map(@, (1, 2))), x * 3)",
    "sorted": "(x + 2, sorted((3, 1, 2), key=@), x - 1)",
    "partial": "functools.partial(torch.add, x, alpha=@(2))(x + 1)",
    "deep": "torch.cat([x, torch.stack([x * 2, x + @(1)]).sum(0), (x + k).view(@(-1))])",
}  # fmt: skip
"""What such a function returns; @ is called, and breaks the graph."""

CALLS = {"outside": "outside", "callee": "broken"}

CONTEXTS = {
    "no_grad": "torch.no_grad()",
    "enable_grad": "torch.enable_grad()",
    "set_grad_enabled": "torch.set_grad_enabled(not flag)",
    "autocast": "torch.autocast('cpu', dtype=torch.bfloat16)",
    "autocast_off": "torch.autocast(device_type='cpu', enabled=False)",
    "inference_mode": "torch.inference_mode()",
    "nullcontext": "contextlib.nullcontext(k)",
    "user_class": "Manager(k)",
    "user_generator": "managed(k)",
    "record_function": "torch.profiler.record_function('name')",
    "saved_tensors_hooks": "torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t)",
    "device": "torch.device('cpu')",
    "suppress": "contextlib.suppress(ValueError)",
    "exit_stack": "contextlib.ExitStack()",
    "deterministic": "torch.backends.mkldnn.flags(enabled=False)",
    "attention": "torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH)",
}

BODIES = {
    "inside": "y = x + 1\nwith #:\n    y = y * 2\n    graph_break()\n    z = y - 1\nreturn y + z",
    "value": "with # as c:\n    y = x + 1\n    y = y * outside(y)\nreturn y, x",
    "stack": "with #:\n    y = (x + 1) * outside(x) - x\nreturn y * 2",
    "callee": "with #:\n    y = broken(x)\n    y = y * 2\nreturn y",
    "branch": "with #:\n    if x.sum() > 0:\n        y = x * 2\n    else:\n        y = x * 3\nreturn y + 1",
    "return": "with #:\n    graph_break()\n    return x * 2",
    "after": "with #:\n    y = x * 2\ngraph_break()\nreturn y + 1",
    "before": "graph_break()\nwith #:\n    y = x * 2\nreturn y + 1",
    "twice": "with #:\n    y = x * 2\n    graph_break()\n    y = y - k\nwith #:\n    graph_break()\n    z = y + 1\nreturn z",
    "inner": "with torch.no_grad():\n    y = x + 1\n    with #:\n        graph_break()\n        y = y * 2\n    z = y - 1\nreturn z",
    "outer": "with #:\n    y = x + 1\n    with torch.autocast('cpu', dtype=torch.bfloat16):\n        y = y * outside(y)\n    y = y + k\nreturn y",
    "two_items": "with #, torch.no_grad():\n    y = x + 1\n    print(end='')\n    y = y * 2\nreturn y",
    "if": "y = x + 1\nif flag:\n    with #:\n        graph_break()\n        y = y * 2\nelse:\n    y = y * 5\nreturn y + x",
    "for": "y = x\nfor i in range(2):\n    with #:\n        y = y * 2\n        graph_break()\nreturn y",
    "try": "y = x\ntry:\n    with #:\n        y = y * 2\n        graph_break()\nexcept ValueError:\n    y = y + 1\nreturn y",
    "held": "c = #\nwith c:\n    y = x * 2\n    graph_break()\n    y = y + 1\nreturn y",
    "closure": "with #:\n    y = x + 1\n    g = lambda v: v * y\n    graph_break()\n    return g(x), y",
    "method": "c = #\nc.__enter__()\ny = x * 2\ngraph_break()\nc.__exit__(None, None, None)\nreturn y + 1",
}  # fmt: skip
"""Bodies of the same function; # is the context manager."""


class Manager:
    def __init__(self, k: Any) -> None:
        self.k = k

    def __enter__(self) -> Any:
        self.k = self.k + 1
        return self

    def __exit__(self, *arguments: Any) -> None:
        self.k = self.k - 1


@contextlib.contextmanager
def managed(k: Any) -> Any:
    try:
        yield k
    finally:
        graph_break()


class Thing:
    def __init__(self) -> None:
        self.scale = 2
        self.seen: list[Any] = []

    def run(self, v: Any) -> Any:
        self.seen.append(v)
        return v * self.scale

    def broken(self, v: Any) -> Any:
        self.scale = self.scale + 1
        graph_break()
        return v - self.scale


def broken(y: Any) -> Any:
    y = y + 3
    graph_break()
    return y * 5 if isinstance(y, torch.Tensor) else y - 3


def scope() -> dict[str, Any]:
    return {
        "torch": torch, "contextlib": contextlib, "functools": functools, "graph_break": graph_break,
        "outside": outside, "broken": broken, "Manager": Manager, "managed": managed, "COUNT": 1,
    }  # fmt: skip


def defined(text: str, filename: str, names: dict[str, Any]) -> Any:
    """``f`` of ``text``, in a module that can be imported: Dynamo up to 2.9 imports the module that globals name."""
    module = sys.modules["made"] = types.ModuleType("made")
    vars(module).update(names, __name__="made")
    exec(compile(text, filename, "exec", dont_inherit=True), vars(module))
    return vars(module)["f"]


def add(name: str, body: str, names: Callable[[], dict[str, Any]] = scope) -> None:
    """The program that compiles and calls a function with this body, where these global names are."""
    lines = ["def f(x, items, table, thing, k=3, flag=True):", *["    " + line for line in body.splitlines()]]

    def run(compiled: Callable[..., Any]) -> None:
        text = "\n".join(lines) + "\n"
        filename = f"<{name}>"
        linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
        f = compiled(defined(text, filename, names()))
        reasons = []
        for sign in (1, -1):
            try:
                f(sign * T, [T, T * 2], {"a": T, "b": T}, Thing())
            except Exception as error:
                reasons.append(error)
        if reasons:
            raise reasons[0]

    PROGRAMS[name] = run


def filled(template: str, mark: str, text: str) -> str:
    """``template`` with ``text``, of one or more lines, in the place of the lines that are ``mark``."""
    found = []
    for line in template.splitlines():
        indent = line[: len(line) - len(line.lstrip())]
        found += [indent + part for part in text.splitlines()] if line.strip() == mark else [line]
    return "\n".join(found)


# Not all with all, which would say the same over and over: breaks and bodies take turns.
for _number, (_block, _template) in enumerate(BLOCKS.items()):
    _break = list(BREAKS)[_number % len(BREAKS)]
    add(f"block_{_block}_{_break}", filled(_template, "@", BREAKS[_break]))
for _number, (_place, _template) in enumerate(EXPRESSIONS.items()):
    _call = list(CALLS)[_number % 2]
    _expression = _template.replace("@@", "\0").replace("@", CALLS[_call]).replace("\0", "@")
    _whole = f"return {_expression}", f"y = x + k\nz = {_expression}\nitems.append(z)\nreturn y, z, thing"
    add(f"expression_{_place}_{_call}", _whole[_number % 3 == 0])
for _number, (_context, _text) in enumerate(CONTEXTS.items()):
    for _body in list(BODIES)[_number % 6 :: 6]:
        add(f"with_{_context}_{_body}", BODIES[_body].replace("#", _text))
