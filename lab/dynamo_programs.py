"""Small programs for torch.compile whose transformed code is recorded as test cases (see record_dynamo.py).

Each one is a function without arguments; ``compiled`` is what it compiles with. They are written to make Dynamo emit
one kind of code each: a break and its resume functions, cells, side effects replayed, many outputs, and so on.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import functools
from typing import Any, Callable

import torch

PROGRAMS: dict[str, Callable[[Callable[..., Any]], None]] = {}
GLOBAL_COUNT = 0
GLOBAL_LIST: list[Any] = []
T = torch.ones(4)


def program(function: Callable[..., None]) -> Callable[..., None]:
    PROGRAMS[function.__name__] = function
    return function


def graph_break() -> None:
    torch._dynamo.graph_break()


@torch._dynamo.disable
def outside(*args: Any, **kwargs: Any) -> Any:
    return args[0] if args else None


@program
def toy(compiled):
    @compiled
    def toy_example(a, b):
        x = a / (torch.abs(a) + 1)
        if b.sum() < 0:
            b = b * -1
        return x * b

    toy_example(torch.randn(10), torch.ones(10))
    toy_example(torch.randn(10), -torch.ones(10))


@program
def no_break(compiled):
    compiled(lambda x: (x + 1).relu())(T)


@program
def returns_many_things(compiled):
    @compiled
    def f(x, n):
        y = x + n
        return {"y": y, "pair": (y, x), "list": [y, 1, None], "n": n}

    f(T, 3)


@program
def returns_none(compiled):
    @compiled
    def f(x):
        x + 1

    f(T)


@program
def returns_constant(compiled):
    @compiled
    def f(x):
        x.add_(1)
        return 7

    f(T.clone())


@program
def returns_same_twice(compiled):
    @compiled
    def f(x):
        y = x * 2
        return [y, y, [y], x]

    f(T)


@program
def print_in_the_middle(compiled):
    @compiled
    def f(x):
        y = x + 1
        print(end="")
        return y * 2

    f(T)


@program
def several_breaks(compiled):
    @compiled
    def f(x):
        y = x + 1
        graph_break()
        z = y * 2
        graph_break()
        return z - y + x

    f(T)


@program
def break_in_expression(compiled):
    @compiled
    def f(x):
        return torch.sin(x) + outside(x) * torch.cos(x)

    f(T)


@program
def break_in_call_arguments(compiled):
    @compiled
    def f(x):
        return max((x.sum().item(), outside(2), 3), key=lambda v: -v)

    f(T)


@program
def break_with_keywords(compiled):
    @compiled
    def f(x):
        return outside(x + 1, key=x * 2, other=[x, 3])

    f(T)


@program
def break_with_stars(compiled):
    @compiled
    def f(x, *args, **kwargs):
        return outside(x + 1, *args, **kwargs)

    f(T, 1, T, a=2, b=T)


@program
def star_arguments(compiled):
    @compiled
    def f(*args, scale=2, **kwargs):
        y = args[0] + args[1]
        graph_break()
        return y * scale + kwargs["z"]

    f(T, T, z=T)


@program
def default_arguments(compiled):
    @compiled
    def f(x, n=2, *, m=3, flag=True):
        y = x * n
        graph_break()
        return y + m if flag else y

    f(T)
    f(T, flag=False)


@program
def positional_only(compiled):
    @compiled
    def f(x, /, y, *, z):
        a = x + y
        graph_break()
        return a * z

    f(T, T, z=T)


@program
def no_grad(compiled):
    @compiled
    def f(x):
        with torch.no_grad():
            y = x + 1
            graph_break()
            z = y * 2
        return z + x

    f(T.clone().requires_grad_())


@program
def no_grad_call_at_break(compiled):
    @compiled
    def f(x):
        with torch.no_grad():
            y = outside(x + 1)
        return y * 2

    f(T)


@program
def nested_context_managers(compiled):
    @compiled
    def f(x):
        with torch.no_grad():
            with torch.autocast("cpu", dtype=torch.bfloat16):
                y = x @ x.T
                graph_break()
                z = y @ y
        return z

    f(torch.ones(4, 4))


@program
def enable_grad(compiled):
    @compiled
    def f(x):
        with torch.enable_grad():
            y = x * 2
        graph_break()
        with torch.set_grad_enabled(False):
            return y + 1

    f(T.clone().requires_grad_())


@program
def autocast(compiled):
    @compiled
    def f(x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return x @ x

    f(torch.ones(4, 4))


@program
def dtype_constant(compiled):
    @compiled
    def f(x):
        y = x.to(torch.float64)
        graph_break()
        return y.to(torch.float32), torch.int64

    f(T)


@program
def closure_read(compiled):
    k = torch.ones(4)

    @compiled
    def f(x):
        y = x + k
        graph_break()
        return y * k

    f(T)


@program
def closure_written(compiled):
    count = 0

    @compiled
    def f(x):
        nonlocal count
        count += 1
        y = x + count
        graph_break()
        count += 1
        return y

    f(T)
    f(T)


@program
def inner_function_across_break(compiled):
    @compiled
    def f(x):
        k = x + 1

        def inner(y):
            return y + k

        graph_break()
        return inner(x)

    f(T)


@program
def inner_function_returned(compiled):
    @compiled
    def f(x):
        k = x + 1

        def inner(y, z=3):
            return y + k + z

        return inner

    f(T)(T)


@program
def inner_function_changes_cell(compiled):
    @compiled
    def f(x):
        total = x

        def add(y):
            nonlocal total
            total = total + y

        add(x)
        graph_break()
        add(x * 2)
        return total

    f(T)


@program
def cell_with_default(compiled):
    @compiled
    def f(x, scale=1.0):
        def inner(y=x):
            return y * scale

        graph_break()
        return inner()

    f(T)


@program
def lambda_across_break(compiled):
    @compiled
    def f(x):
        g = lambda y: y * x  # noqa: E731
        graph_break()
        return g(x)

    f(T)


@program
def functools_partial(compiled):
    @compiled
    def f(x):
        g = functools.partial(torch.add, x, alpha=2)
        graph_break()
        return g(x)

    f(T)


@program
def decorated(compiled):
    def twice(g):
        @functools.wraps(g)
        def wrapper(*args, **kwargs):
            return g(*args, **kwargs) * 2

        return wrapper

    @compiled
    @twice
    def f(x):
        y = x + 1
        graph_break()
        return y

    f(T)


@program
def global_store(compiled):
    @compiled
    def f(x):
        global GLOBAL_COUNT
        GLOBAL_COUNT += 1
        y = x + GLOBAL_COUNT
        graph_break()
        GLOBAL_COUNT = 5
        return y

    f(T)


@program
def global_list(compiled):
    @compiled
    def f(x):
        GLOBAL_LIST.append(x + 1)
        graph_break()
        GLOBAL_LIST.append(len(GLOBAL_LIST))
        return x

    f(T)


@program
def list_side_effects(compiled):
    @compiled
    def f(x, items):
        items.append(x + 1)
        items[0] = x * 2
        graph_break()
        items.extend([x, 2])
        return items.pop()

    f(T, [T, T])


@program
def dict_side_effects(compiled):
    @compiled
    def f(x, d):
        d["new"] = x + 1
        d["old"] = 3
        graph_break()
        del d["old"]
        d.update(a=x, b=2)
        return d["new"]

    f(T, {"old": T})


@program
def set_and_deque(compiled):
    @compiled
    def f(x, q, s):
        q.append(x + 1)
        s.add(3)
        return x * 2

    f(T, collections.deque([1]), {1})


@program
def attribute_mutated(compiled):
    class Counter:
        def __init__(self):
            self.count = 0
            self.last = None

    @compiled
    def f(x, c):
        c.count += 1
        c.last = x + 1
        graph_break()
        c.count += 2
        return x * c.count

    f(T, Counter())


@program
def class_instance_made(compiled):
    class Point:
        def __init__(self, x, y):
            self.x = x
            self.y = y

    @compiled
    def f(x):
        p = Point(x + 1, x * 2)
        graph_break()
        p.x = p.x + p.y
        return p

    f(T)


@program
def dataclass_made(compiled):
    @dataclasses.dataclass
    class Pair:
        a: Any
        b: Any = 2

    @compiled
    def f(x):
        p = Pair(x + 1)
        graph_break()
        return p, p.a * p.b

    f(T)


@program
def namedtuple_made(compiled):
    Pair = collections.namedtuple("Pair", "a b")

    @compiled
    def f(x):
        p = Pair(x + 1, x)
        graph_break()
        return p, p.a * 2

    f(T)


@program
def super_call(compiled):
    class Base(torch.nn.Module):
        def forward(self, x):
            return x + 1

    class Derived(Base):
        def forward(self, x):
            y = super().forward(x)
            graph_break()
            return super().forward(y)

    compiled(Derived())(T)


@program
def linear(compiled):
    compiled(torch.nn.Linear(4, 3))(torch.ones(2, 4))


@program
def module_with_break(compiled):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.a = torch.nn.Linear(4, 4)
            self.b = torch.nn.Linear(4, 2)
            self.calls = 0

        def forward(self, x):
            self.calls += 1
            y = self.a(x)
            if y.sum() > 0:
                y = y.relu()
            return self.b(y)

    net = compiled(Net())
    net(torch.ones(2, 4)).sum().backward()
    net(-torch.ones(2, 4)).sum().backward()


@program
def sequential(compiled):
    net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.Sequential(torch.nn.Linear(4, 4)))
    compiled(net)(torch.ones(2, 4)).sum().backward()


@program
def module_hooks(compiled):
    net = torch.nn.Linear(4, 4)
    net.register_forward_hook(lambda module, args, out: out * 2)
    net.register_forward_pre_hook(lambda module, args: (args[0] + 1,))
    compiled(net)(torch.ones(2, 4))


@program
def hook_with_break(compiled):
    net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU())

    def hook(module, args, out):
        graph_break()
        return out + 1

    net[0].register_forward_hook(hook)
    compiled(net)(torch.ones(2, 4))


@program
def tensor_hook(compiled):
    @compiled
    def f(x):
        y = x * 2
        y.register_hook(lambda g: g * 2)
        return y.sum()

    f(T.clone().requires_grad_()).backward()


@program
def transformer_layer(compiled):
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, dropout=0.0)
    compiled(layer)(torch.ones(2, 3, 8)).sum().backward()


@program
def transformer_eval(compiled):
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()
    with torch.no_grad():
        compiled(layer)(torch.ones(2, 3, 8))


@program
def lstm(compiled):
    compiled(torch.nn.LSTM(4, 3, 2))(torch.ones(5, 1, 4))


@program
def batch_norm(compiled):
    compiled(torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.BatchNorm2d(2)))(torch.ones(1, 1, 5, 5))


@program
def optimizer_step(compiled):
    net = torch.nn.Linear(4, 4)
    sgd = torch.optim.SGD(net.parameters(), lr=0.1)
    net(torch.ones(2, 4)).sum().backward()

    @compiled
    def f():
        sgd.step()

    f()


@program
def training_step(compiled):
    net = torch.nn.Linear(4, 4)
    adam = torch.optim.Adam(net.parameters())

    @compiled
    def f(x):
        adam.zero_grad()
        loss = net(x).sum()
        loss.backward()
        adam.step()
        return loss

    f(torch.ones(2, 4))


@program
def checkpoint(compiled):
    from torch.utils.checkpoint import checkpoint as torch_checkpoint

    @compiled
    def f(x):
        return torch_checkpoint(lambda y: y.sin().cos(), x, use_reentrant=False) + 1

    f(T.clone().requires_grad_()).sum().backward()


@program
def custom_autograd_function(compiled):
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    @compiled
    def f(x):
        return Double.apply(x) + 1

    f(T.clone().requires_grad_()).sum().backward()


@program
def dynamic_shapes(compiled):
    @compiled
    def f(x):
        return x * x.shape[0], x.size(0) + 1

    for n in (3, 4, 5):
        f(torch.ones(n))


@program
def dynamic_with_break(compiled):
    @compiled
    def f(x, n):
        y = x.reshape(n, -1)
        graph_break()
        return y.sum(0) * n, y.shape

    f(torch.ones(6), 2)
    f(torch.ones(6), 3)
    f(torch.ones(8), 4)


@program
def item_and_branch(compiled):
    @compiled
    def f(x):
        n = x.sum().item()
        if n > 3:
            return x * n
        return x - n

    f(T)
    f(-T)


@program
def recompilation(compiled):
    @compiled
    def f(x, flag):
        return x + 1 if flag else x - 1

    f(T, True)
    f(T, False)
    f(T.double(), True)


@program
def branches(compiled):
    @compiled
    def f(x):
        y = x + 1
        if y.sum() > 0:
            y = y * 2
        else:
            y = y * 3
        if y.mean() > 100:
            return y
        return x - y

    f(T)
    f(-T * 3)


@program
def branch_and_or(compiled):
    @compiled
    def f(x, y):
        if x.sum() > 0 and y.sum() > 0 or x.min() < -5:
            return x + y
        return x - y

    f(T, T)
    f(-T, T)
    f(T, -T)


@program
def branch_value(compiled):
    @compiled
    def f(x, y):
        z = x.sum() or y
        return (z * 2, not (x.sum() > 0), x.sum() > 0 or y.sum())

    f(T, T)


@program
def branch_in_nested_call(compiled):
    def inner(x, k):
        y = x + k
        if y.sum() > 0:
            return y * 2
        return y

    def middle(x):
        return inner(x, 1) + inner(x, 2)

    @compiled
    def f(x):
        return middle(x) + 1

    f(T)


@program
def deep_nested_break(compiled):
    def level3(x):
        y = x * 3
        graph_break()
        return y + 1

    def level2(x):
        return level3(x + 2) * 2

    def level1(x):
        z = level2(x)
        return z, level2(x - 1)

    @compiled
    def f(x):
        a, b = level1(x)
        return a + b

    f(T)


@program
def branch_on_none_and_is(compiled):
    @compiled
    def f(x, y=None):
        z = outside(y)
        if z is None:
            return x + 1
        return x + z

    f(T)
    f(T, T)


@program
def assertion(compiled):
    @compiled
    def f(x):
        assert x.sum() > 0, "negative"
        return x * 2

    f(T)


@program
def loop_unrolled(compiled):
    @compiled
    def f(x):
        out = []
        for i in range(5):
            out.append(x * i)
        graph_break()
        return sum(out)

    f(T)


@program
def loop_in_callee_with_break(compiled):
    @compiled
    def f(x):
        for i in range(3):
            x = x + i
            if i == 1:
                graph_break()
        return x

    f(T)


@program
def generator_callee(compiled):
    def numbers(x):
        for i in range(3):
            yield x + i

    @compiled
    def f(x):
        return sum(numbers(x))

    f(T)


@program
def comprehension(compiled):
    @compiled
    def f(x):
        parts = [x * i for i in range(3)]
        graph_break()
        return {i: part + 1 for i, part in enumerate(parts)}

    f(T)


@program
def try_except(compiled):
    @compiled
    def f(x):
        try:
            y = x + 1
            raise ValueError("no")
        except ValueError:
            y = x - 1
        graph_break()
        return y

    f(T)


@program
def many_graph_parameters(compiled):
    weights = [torch.ones(3) * i for i in range(40)]

    @compiled
    def f(ws):
        total = ws[0]
        for w in ws[1:]:
            total = total + w
        graph_break()
        return total

    f(weights)


@program
def many_parameters_module(compiled):
    net = torch.nn.Sequential(*[torch.nn.Linear(2, 2) for _ in range(20)])
    compiled(net)(torch.ones(1, 2)).sum().backward()


@program
def many_outputs(compiled):
    @compiled
    def f(x):
        return [x * i for i in range(40)], tuple(x + i for i in range(35)), {str(i): x - i for i in range(20)}

    f(T)


@program
def many_live_locals(compiled):
    @compiled
    def f(a, b, c):
        d, e, g = a + b, b + c, c + a
        h, i, j = d * 2, e * 2, g * 2
        graph_break()
        return a + b + c + d + e + g + h + i + j

    f(T, T, T)


@program
def in_place(compiled):
    @compiled
    def f(x, y):
        x += y
        x.mul_(2)
        x[0] = 5
        graph_break()
        x[1:3] = y[1:3]
        return x

    f(T.clone(), T)


@program
def slices(compiled):
    @compiled
    def f(x, items):
        part = items[1:3]
        s = slice(1, 3)
        graph_break()
        return x[s], part, x[::2], s

    f(T, [1, 2, 3, 4])


@program
def strings(compiled):
    @compiled
    def f(x, name):
        label = f"{name}:{x.shape[0]}"
        graph_break()
        return {label: x + 1}

    f(T, "n")


@program
def torch_cond(compiled):
    @compiled
    def f(x):
        return torch.cond(x.sum() > 0, lambda y: y + 1, lambda y: y - 1, (x,))

    f(T)


@program
def view_and_detach(compiled):
    @compiled
    def f(x):
        y = x.view(2, 2)
        z = y.detach()
        graph_break()
        return y + z, x.is_contiguous()

    f(T)


@program
def numpy_function(compiled):
    import numpy as np

    @compiled
    def f(x):
        return np.sin(x) + 1

    f(np.ones(3))


@program
def random_numbers(compiled):
    import random

    @compiled
    def f(x):
        return x * random.random() + torch.rand(4)

    f(T)


@program
def disabled_callee(compiled):
    @compiled
    def f(x):
        a = outside(x + 1)
        b = outside(a * 2)
        return a + b

    f(T)


@program
def method_of_object(compiled):
    class Worker:
        scale = 3

        def run(self, x):
            y = x * self.scale
            graph_break()
            return self.finish(y)

        def finish(self, y):
            return y - self.scale

    compiled(Worker().run)(T)


@program
def static_and_class_methods(compiled):
    class Tools:
        @staticmethod
        def double(x):
            return x * 2

        @classmethod
        def made(cls, x):
            graph_break()
            return cls.double(x)

    compiled(Tools.made)(T)


@program
def user_context_manager(compiled):
    @contextlib.contextmanager
    def scaled():
        yield 2

    @compiled
    def f(x):
        with scaled() as k:
            y = x * k
        return y

    f(T)


@program
def stack_values_at_break(compiled):
    @compiled
    def f(x):
        return (x + 1, outside(x), [x * 2, outside(x), {"k": outside(x), "l": x - 1}])

    f(T)


@program
def method_on_stack_at_break(compiled):
    @compiled
    def f(x):
        return x.add(outside(x)).mul(outside(2))

    f(T)


@program
def unpacking(compiled):
    @compiled
    def f(pairs):
        (a, b), *rest = pairs
        graph_break()
        c, d = rest[0]
        return a + b * c - d

    f([(T, T), (T, T)])


@program
def aliases(compiled):
    @compiled
    def f(x):
        a = [x]
        b = a
        graph_break()
        b.append(x + 1)
        return a, b, a is b

    f(T)


@program
def deleted_variable(compiled):
    @compiled
    def f(x):
        y = x + 1
        z = y * 2
        del y
        graph_break()
        return z

    f(T)


@program
def is_compiling(compiled):
    @compiled
    def f(x):
        if torch.compiler.is_compiling():
            x = x + 1
        graph_break()
        return x

    f(T)


@program
def keyword_named_attributes(compiled):
    net = torch.nn.ModuleDict({"3": torch.nn.Linear(4, 4), "class": torch.nn.Linear(4, 4)})

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.parts = net

        def forward(self, x):
            y = self.parts["3"](x)
            graph_break()
            return self.parts["class"](y)

    compiled(Net())(torch.ones(2, 4))


@program
def grad_of_loss(compiled):
    @compiled
    def f(x):
        y = (x * x).sum()
        return torch.autograd.grad(y, x)[0]

    f(T.clone().requires_grad_())


@program
def vmap_and_grad(compiled):
    @compiled
    def f(x):
        return torch.func.vmap(torch.func.grad(lambda v: (v * v).sum()))(x)

    f(torch.ones(2, 3))


@program
def docstring(compiled):
    @compiled
    def f(x):
        """Adds."""
        y = x + 1
        graph_break()
        return y

    f(T)
