"""Programs for record_dynamo.py: side effects that are replayed, what is returned, signatures, cells, many variables."""

# ruff: noqa: E501 (the texts of programs)
from __future__ import annotations

import collections
import dataclasses
import enum
import functools
import itertools
import types
from typing import Any, Callable, NamedTuple

import torch
from dynamo_blocks import Thing, add, defined
from dynamo_programs import PROGRAMS, T, graph_break, outside, program

EFFECTS = {
    "list_methods": "items.insert(0, x)\nitems.reverse()\n@\nitems.remove(items[1])\nitems.clear()\nitems += [x, k]",
    "list_slices": "items[1:] = [x, k]\n@\ndel items[0]\nitems[:0] = [x * 2]\nitems *= 2",
    "list_sort": "n = [3, 1, k]\nn.sort(reverse=True)\n@\nn.append(n.index(3))\nitems.extend(n)",
    "new_list": "n = [x]\nn.append(n)\n@\nn[0] = x + 1\nitems.append(n)",
    "list_of_lists": "rows = [[x], [k]]\nrows[0].append(rows[1])\n@\nrows[1].append(x * 2)\nitems.append(rows)",
    "dict_methods": "table.setdefault('c', x)\ntable.pop('a')\n@\ntable.update({'d': x + 1}, e=k)\ntable.popitem()",
    "dict_keys": "table[(1, 'a')] = x\ntable[torch.float32] = k\n@\ntable.clear()\ntable[None] = x - 1",
    "ordered": "d = collections.OrderedDict(a=x, b=k)\nd.move_to_end('a')\n@\nd['c'] = x * 2\nitems.append(d)",
    "default_dict": "d = collections.defaultdict(list)\nd['a'].append(x)\n@\nd['b'].append(k)\nitems.append(d)",
    "counter": "d = collections.Counter('aab')\n@\nd['a'] += 1\nitems.append(d)\nx = x * d['a']",
    "set_methods": "s = {1, k}\ns.add(5)\n@\ns.discard(1)\ns |= {7}\nitems.append(s)",
    "deque": "d = collections.deque([x], maxlen=2)\nd.append(k)\n@\nd.appendleft(x + 1)\nd.popleft()\nitems.append(d)",
    "attributes": "thing.new = x\nthing.scale += 1\n@\ndel thing.new\nsetattr(thing, 'other', x * 2)",
    "nested_attributes": "thing.inner = Thing()\nthing.inner.scale = x\n@\nthing.inner.seen.append(k)",
    "class_attribute": "Thing.shared = k\n@\nThing.shared = thing.shared + 1\nx = x * Thing.shared",
    "new_object": "t = Thing()\nt.scale = x\n@\nt.seen.append(t)\nitems.append(t)",
    "two_objects": "a, b = Thing(), Thing()\na.other, b.other = b, a\n@\nb.scale = x + 1\nitems.append(a)",
    "property": "p = Guarded()\np.value = k\n@\np.value = p.value + 1\nx = x * p.value\nitems.append(p)",
    "slots": "p = Slotted()\np.a = x\n@\np.b = p.a + 1\nitems.append(p)",
    "dict_subclass": "d = Table()\nd['a'] = x\n@\nd.extra = k\nd['b'] = x + 1\nitems.append(d)",
    "list_subclass": "n = Row([x])\nn.append(k)\n@\nn.extra = x * 2\nitems.append(n)",
    "dataclass": "p = Pair(x, b=k)\np.a = p.a + 1\n@\np.b = [p.a]\nitems.append(p)",
    "frozen": "p = Frozen(x, k)\n@\nitems.append(dataclasses.replace(p, b=p.b + 1))",
    "named_tuple": "p = Named(x, k)\n@\np = p._replace(b=x * 2)\nitems.append(p)\nx = p.a",
    "globals": "global COUNT, SEEN\nCOUNT += k\nSEEN = [x]\n@\nSEEN.append(COUNT)\nCOUNT = -1",
    "tensor_attribute": "x.note = k\n@\nx.other = [x * 2]\nitems.append(x.note)",
    "gradient": "w = x.clone().requires_grad_()\n(w * 2).sum().backward()\n@\nitems.append(w.grad)",
    "in_place": "w = x.clone()\nw += 1\nw[0], w[1:3] = 5, w[:2]\n@\nw.t_()\nw.data = x\nitems.append(w)",
    "out": "w = torch.empty(4)\ntorch.add(x, 1, out=w)\n@\ntorch.mul(x, 2, out=w)\nitems.append(w)",
    "resize": "w = x.clone()\nw.resize_(2, 2)\n@\nw.unsqueeze_(0)\nitems.append(w)",
    "enumeration": "c = Color.RED\n@\nx = x * c.value if c is Color.RED else x\nitems.append(Color(2))",
    "iterators": "it = iter(items)\nw = next(it)\n@\nx = x + w + next(it, k)",
    "zip": "it = zip(items, range(5))\nw = next(it)\n@\nx = x * w[1]\nitems.append(list(it))",
    "itertools": "p = list(itertools.product([1, k], 'ab'))\nq = list(itertools.chain(items, [x]))\n@\nx = x * len(p)\nitems = q",
    "map_filter": "p = list(map(lambda v: v * 2, items))\n@\nx = x + sum(filter(lambda v: v is not x, p))",
    "reduce": "y = functools.reduce(lambda a, b: a * b, items, x)\n@\nx = functools.reduce(torch.add, [x, y, k])",
    "partial": "g = functools.partial(outside, x, key=k)\n@\nitems.append(g)\nx = g() + 1",
    "bound_method": "g = thing.run\nh = items.append\n@\nx = g(x)\nh(g)",
    "closure_list": "hooks = [lambda v, i=i: v * i + k for i in range(2)]\n@\nx = hooks[0](x) + hooks[1](x)\nitems.append(hooks)",
    "function_attribute": "def g(v):\n    return v * g.scale\ng.scale = k\n@\nx = g(x)\nitems.append(g)",
    "decorator": "@functools.lru_cache(None)\ndef g(n):\n    return n + k\n@\nx = x * g(2)",
    "recursion": "def power(v, n):\n    return v if n == 0 else power(v * 2, n - 1)\n@\nx = power(x, 3)",
    "generator": "def numbers(n):\n    for i in range(n):\n        yield i\n        items.append(i)\nx = x + sum(numbers(2))\n@\nx = x * list(numbers(k))[-1]",
    "generator_object": "def numbers():\n    yield x\n    yield x + 1\ng = numbers()\ny = next(g)\n@\nx = y + next(g)",
    "yield_from": "def inner():\n    got = yield 1\n    return got\ndef outer():\n    y = yield from inner()\n    yield y\nx = x * len(list(outer()))\n@\nitems.append(x)",
    "random": "n = random.random()\nrandom.seed(k)\n@\nx = x * random.randint(1, 5) + n",
    "strings": "s = 'a,b'.split(',')\nt = '-'.join(s).upper()\n@\nitems.append(t.replace('A', str(k)) + '%d' % k)",
    "types": "c = type(x)\n@\nitems.append((c, isinstance(x, c), issubclass(c, object), callable(c), hasattr(x, 'k')))",
    "size": "s = x.shape\nn, = s\n@\nx = x.reshape(*s[:-1], -1, n // 2)\nitems.append(s + (1,))",
    "constants": "c = (torch.float16, torch.device('cpu'), torch.strided, torch.Size([2]), ..., 1e300 * 1e10, -0.0, 2j)\n@\nitems.append(c)",
    "long": "n = 10 ** 30\ns = slice(None, k)\n@\nx = x[s]\nitems.append((n + 1, s, b'bytes', frozenset({1})))",
    "module": "m = torch.nn.Linear(4, 4)\n@\nx = m(x)\nm.extra = k\nitems.append(m)",
    "module_buffer": "net.steps.add_(1)\nnet.steps = net.steps + k\n@\nx = x * net.steps\nnet.training = False",
    "module_parameters": "for name, p in net.named_parameters():\n    x = x + p.sum()\n@\nitems.append([len(p) for p in net.parameters()])",
    "warning": "warnings.warn('text')\n@\nlogging.getLogger('a').debug('text %s', k)",
    "exception_object": "e = ValueError('no', k)\n@\nitems.append(e.args)\nx = x + len(e.args)",
    "raised": "try:\n    thing.broken(x)\n    raise KeyError(k)\nexcept (KeyError, ValueError) as e:\n    items.append(e)\n@",
    "raises": "@\nif k == 3:\n    raise ValueError(f'{k}')",
    "simple_namespace": "s = types.SimpleNamespace(a=x)\ns.b = k\n@\nx = s.a * s.b",
    "mapping_proxy": "m = types.MappingProxyType(table)\n@\nx = x + m['a']",
    "object_dict": "d = vars(thing)\nd['scale'] = 4\n@\nx = x * thing.scale",
    "super": "c = Child()\nx = c.run(x)\n@\nx = c.run(x) + c.scale\nitems.append(c)",
    "call_object": "c = Child()\nx = c(x)\n@\nx = c(x, extra=k)",
    "operators": "c = Child()\nx = (c + x)[0] * x\n@\nx = x + len(c) + (x in c)",
    "detached": "y = x.detach().requires_grad_()\ny.register_hook(lambda g: g * 2)\n@\nx = (y * y).sum()\nx.backward()",
    "vmap": "x = torch.func.vmap(lambda v: v * k)(x)\n@\nx = torch.func.jvp(torch.sin, (x,), (x,))[1]",
    "grad": "g = torch.func.grad(lambda v: (v * v).sum())\nx = g(x)\n@\nx = torch.func.vjp(torch.sin, x)[1](x)[0]",
    "checkpoint": "x = checkpoint(lambda v: v.sin().cos(), x, use_reentrant=False)\n@\nx = checkpoint(torch.sin, x, use_reentrant=False)",
    "cond": "x = torch.cond(x.sum() > 0, lambda v: v + k, lambda v: v - k, (x,))\n@\nx = torch.where(x > 0, x, -x)",
    "autograd_function": "x = Double.apply(x)\n@\nx = Double.apply(x.clone().requires_grad_(), k)\nx.sum().backward()",
    "stances": "x = torch.compiler.disable(thing.run)(x)\n@\nx = torch._dynamo.disable(outside)(x) + 1",
    "nonzero": "n = torch.nonzero(x)\nx = x[n].sum() + n.shape[0]\n@\nm = x.unique()\nx = x + m.numel()",
    "tolist": "n = x.tolist()\n@\nx = x * n[0] + sum(n)\nx = torch.tensor(n) + x.sum()",
    "numpy": "n = x.numpy() + 1\n@\nx = torch.from_numpy(n) * 2",
    "copy": "c = copy.copy(thing)\nd = copy.deepcopy(items)\n@\nx = x + d[0]\nc.scale = k",
    "unknown_function": "y = x + 1\nn = hash('a') % 2\ni = id(thing)\n@\nx = y * (n + 1)\nitems.append(i == id(thing))",
}  # fmt: skip
"""Statements that end with a new ``x``; @ is where the graph breaks."""


Pair = dataclasses.make_dataclass("Pair", ["a", ("b", object, 2)])
Frozen = dataclasses.make_dataclass("Frozen", ["a", "b"], frozen=True)


class Named(NamedTuple):
    a: Any
    b: Any


class Slotted:
    __slots__ = ("a", "b")


class Table(dict):  # type: ignore[type-arg]
    pass


class Row(list):  # type: ignore[type-arg]
    pass


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Guarded:
    @property
    def value(self) -> Any:
        return self._value

    @value.setter
    def value(self, value: Any) -> None:
        self._value = value


class Child(Thing):
    def run(self, v: Any) -> Any:
        v = super().run(v)
        graph_break()
        self.seen.append(super().run(v))
        return v

    def __call__(self, v: Any, *, extra: Any = 1) -> Any:
        return v * self.scale + extra

    def __add__(self, other: Any) -> Any:
        return [other, self.scale]

    def __len__(self) -> int:
        return self.scale

    def __contains__(self, other: Any) -> bool:
        return other is self


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any, k: Any = 2) -> Any:
        ctx.save_for_backward(x)
        ctx.k = k
        return x * k

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return ctx.saved_tensors[0] * grads[0] * ctx.k, None


def scope() -> dict[str, Any]:
    import copy
    import logging
    import random
    import warnings

    from torch.utils.checkpoint import checkpoint

    net = torch.nn.Linear(4, 4)
    net.register_buffer("steps", torch.zeros(1))
    return {
        **globals(), "copy": copy, "logging": logging, "random": random, "warnings": warnings, "net": net,
        "checkpoint": checkpoint, "SEEN": [], "COUNT": 1,
    }  # fmt: skip


BREAK = "y = x * 2\ngraph_break()\nx = x + y"
for _effect, _template in EFFECTS.items():
    _broken = "\n".join(BREAK if line == "@" else line for line in _template.splitlines())
    add(f"effect_{_effect}_broken", f"{_broken}\nreturn x, items", scope)

RETURNED = {
    "same_twice": "y, y, [y], x", "nested": "[y, (x, [k, {'a': y}])], None", "dict": "{'a': y, k: x, (1, 2): [y]}",
    "sets": "{k, 1}, frozenset((k, 2)), y", "slice": "slice(k, None), slice(1, 2, k), y", "range": "range(k), y",
    "size": "x.shape, x.stride(), x.size(0), y", "dtype": "x.dtype, x.device, y.layout, torch.int8",
    "constants": "(1, 'a', None, 2.5, b'b', ..., True), y", "function": "lambda v: v + y",
    "bound_method": "y.add, items.append, thing.run", "class": "Thing, torch.Tensor, type(x)", "module": "torch.nn, y",
    "object": "thing, y", "iterator": "iter([x, y]), enumerate(items)", "map": "map(len, [[1], [y]]), zip(items, [y])",
    "generator": "(v + y for v in items)", "partial": "functools.partial(torch.add, y, alpha=k)",
    "views": "y.view(2, 2), y[1:], y.T, x.expand(2, 4)", "inputs": "x, items, table, thing, k",
    "symbolic": "y * x.shape[0], x.shape[0] + k, x.numel() // 2", "strings": "f'{k}', 'a' + str(k), y",
    "ordered": "collections.OrderedDict(a=y, b=x), collections.deque([y, k])", "named": "Named(y, k), Pair(x, y)",
    "exception": "ValueError(y), KeyError('a', k)", "comparison": "y > x, (y == x).all(), k == 3, y is x",
    "many": "[y * i for i in range(40)], tuple(x + i for i in range(3))", "item_list": "[w + y for w in items], items",
}  # fmt: skip
for _name, _value in RETURNED.items():
    add(f"return_{_name}_broken", f"y = x * k\nz = {_value}\ngraph_break()\nw = y - 1\nreturn z, w", scope)


def made(name: str, text: str, run: Callable[[Any], None]) -> None:
    """A program whose whole text is given; it defines ``f``."""

    def start(compiled: Callable[..., Any]) -> None:
        run(compiled(defined(text, f"<{name}>", scope())))

    PROGRAMS[name] = start


def letters(count: int) -> list[str]:
    return [f"v{number}" for number in range(count)]


for _count in (1, 3, 9, 35):
    _names = letters(_count)
    _sum = " + ".join(_names)
    made(
        f"parameters_{_count}", f"def f({', '.join(_names)}):\n    y = {_sum}\n    graph_break()\n    return y * v0\n",
        lambda f, n=_count: f(*[T] * n),
    )  # fmt: skip
    made(
        f"keywords_{_count}",
        f"def f(x, *, {', '.join(n + '=2' for n in _names)}):\n    y = x * ({_sum})\n    graph_break()\n    return y * v0\n",
        lambda f, n=_count: f(T, **dict.fromkeys(letters(n), T)),
    )  # fmt: skip
    made(
        f"live_{_count}",
        "def f(x):\n" + "".join(f"    {n} = x * {i}\n" for i, n in enumerate(_names)) + f"    graph_break()\n    return {_sum}\n",
        lambda f: f(T),
    )  # fmt: skip
    made(
        f"cells_{_count}",
        "def f(x):\n" + "".join(f"    {n} = x * {i}\n" for i, n in enumerate(_names))
        + f"    def g(v):\n        nonlocal v0\n        v0 = v\n        return {_sum}\n    graph_break()\n    return g(x), v0\n",
        lambda f: f(T),
    )  # fmt: skip
    made(
        f"free_{_count}",
        f"def outer({', '.join(_names)}):\n    def f(x):\n        nonlocal v0\n        y = x * ({_sum})\n        graph_break()\n"
        f"        v0 = y\n        return y\n    return f\nf = outer(*[torch.ones(4)] * {_count})\n",
        lambda f: f(T),
    )  # fmt: skip
    made(
        f"stack_{_count}",
        f"def f(x):\n    return [{', '.join(f'x * {i}' for i in range(_count))}, outside(x), x]\n",
        lambda f: f(T),
    )
    made(
        f"breaks_{_count}",
        "def f(x):\n" + "".join(f"    {n} = x * {i}\n    graph_break()\n" for i, n in enumerate(_names[:9]))
        + f"    return {' + '.join(_names[:9])}\n",
        lambda f: f(T),
    )  # fmt: skip

SIGNATURES = {
    "a, /, b, *, c": ((T, T), {"c": T}), "a=1, *args": ((T, T, 2), {}), "a, **kw": ((T,), {"b": T, "c": 2}),
    "*args, **kw": ((T, 3), {"b": T}), "a, /, **kw": ((T,), {"a": T}), "a, b=T, *, c=3, d=T": ((T,), {"d": 4}),
    "*, a, b=2": ((), {"a": T}), "a, b=(1, 2), *args, c=None, **kw": ((T, T, T), {"c": T, "e": 1}),
    "self, a, *rest": ((Thing(), T, T, T), {}), "a: 'int' = 2, *b: int, c: Any = T": ((T, T), {}),
}  # fmt: skip
for _number, (_signature, (_args, _kwargs)) in enumerate(SIGNATURES.items()):
    _words = [part.strip(" */").split("=")[0].split(":")[0].strip() for part in _signature.split(",")]
    _words = [word for word in dict.fromkeys(_words) if word.isidentifier()]
    for _kind, _last in (
        ("", f"return {', '.join(_words)}, n"),
        ("_captured", f"return lambda: ({', '.join(_words)}, n)"),
    ):
        made(
            f"signature_{_number}{_kind}",
            f"def f({_signature}):\n    n = torch.ones(4) * 2\n    graph_break()\n    n = n + 1\n    {_last}\n",
            lambda f, args=_args, kwargs=_kwargs: f(*args, **kwargs),
        )


@program
def hooks_of_every_kind(compiled):
    net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Tanh())
    seen: list[Any] = []
    net[0].register_forward_pre_hook(lambda module, args, kwargs: (args, kwargs), with_kwargs=True)
    net[0].register_forward_hook(lambda module, args, kwargs, out: seen.append(out), with_kwargs=True)
    net[1].register_full_backward_hook(lambda module, before, after: None)
    net[1].register_full_backward_pre_hook(lambda module, after: None)
    compiled(net)(torch.ones(2, 4)).sum().backward()


@program
def compiled_in_compiled(compiled):
    inner = compiled(lambda v: v * 2)

    @compiled
    def f(x):
        y = inner(x + 1)
        graph_break()
        return inner(y) - 1

    f(T)


@program
def coroutine_function(compiled):
    async def inner(x):
        return x + 1

    @compiled
    def f(x):
        y = x * 2
        c = inner(y)
        graph_break()
        try:
            c.send(None)
        except StopIteration as stop:
            return stop.value

    f(T)


@program
def generator_function(compiled):
    @compiled
    def f(x):
        y = x + 1
        yield y
        yield y * 2

    list(f(T))


@program
def shapes_of_many_sizes(compiled):
    @compiled
    def f(x, y):
        n, m = x.shape
        z = x.reshape(m, n) @ y
        graph_break()
        return z.new_zeros(n * m, z.shape[1]), z[: n - 1], n % 2

    for n, m in ((2, 3), (3, 4), (5, 4)):
        f(torch.ones(n, m), torch.ones(n, 2))


@program
def marked_dynamic(compiled):
    @compiled
    def f(x, scale):
        y = x * scale
        graph_break()
        return y.flatten()[: x.shape[0] * 2], scale + 1, float(scale)

    for n in (3, 4):
        x = torch.ones(n, 4)
        torch._dynamo.mark_dynamic(x, 0)
        f(x, n + 0.5)
        f(x, n)


@program
def module_of_modules(compiled):
    class Leaf(torch.nn.Module):
        def __init__(self, k: int) -> None:
            super().__init__()
            self.k, self.w = k, torch.nn.Parameter(torch.ones(4))

        def forward(self, x, *, twice=False):
            if x.sum() > self.k:
                x = x - self.k
            return x * self.w * (2 if twice else 1)

    class Tree(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.parts = torch.nn.ModuleDict({"a": Leaf(1), "b": Leaf(2)})
            self.extra = torch.nn.ParameterList([torch.nn.Parameter(torch.ones(4)) for _ in range(2)])

        def forward(self, x):
            for number, (name, part) in enumerate(self.parts.items()):
                x = part(x, twice=name == "b") + self.extra[number]
            return {"out": x, "count": number}

    compiled(Tree())(T)["out"].sum().backward()


@program
def disabled_method(compiled):
    class Net(torch.nn.Module):
        @torch._dynamo.disable
        def outer(self, x, *args, **kwargs):
            return x * 2

        def forward(self, x, *args, **kwargs):
            y = self.outer(x + 1, *args, **kwargs)
            return self.outer(y, y, key=x) + outside(1)

    compiled(Net())(T, 2, z=3)


@program
def cached_and_wrapped(compiled):
    @functools.lru_cache(maxsize=None)
    def size(n):
        return n + 1

    @functools.singledispatch
    def shown(v):
        return v

    @compiled
    def f(x):
        y = x * size(3)
        graph_break()
        return shown(y) + next(itertools.count(2))

    f(T)


@program
def bound_to_class(compiled):
    f = types.MethodType(compiled(lambda self, x: x * self.scale), Thing())
    f(T)


@program
def ordered_outputs(compiled):
    @compiled
    def f(x):
        out = collections.OrderedDict()
        for i in range(3):
            out[f"k{i}"] = x * i
        graph_break()
        out.move_to_end("k0")
        return out

    f(T)
