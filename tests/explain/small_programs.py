"""Small programs, one per thing that torch.compile does, for a process of their own.

    small_programs.py BACKEND DIRECTORY [PROGRAM ...]

Prints a line of JSON per program: its name, its result (or its exception), the number of graphs, and, recorded,
how many compilations there were, how many run our code, and what failed. DIRECTORY ``-`` means without a recording.
"""

import dataclasses
import json
import os
import sys
import threading

import torch
from torch.utils.checkpoint import checkpoint as torch_checkpoint

PROGRAMS = {}
BACKEND = "eager"


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def compiled(function, **options):
    return torch.compile(function, backend=BACKEND, **options)


def ones(*shape, **options):
    return torch.ones(*shape, **options)


@program
def closure():
    k = ones(3)

    @compiled
    def f(x):
        y = x + k
        torch._dynamo.graph_break()
        return y * k

    return f(ones(3))


@program
def closure_which_is_assigned():
    n = 0

    @compiled
    def f(x):
        nonlocal n
        n += 1
        y = x + n
        torch._dynamo.graph_break()
        n += 1
        return y * n

    return f(ones(3)), f(ones(3)), n


@program
def inner_function():
    @compiled
    def f(x):
        y = x + 1

        def g():
            return y * 2

        torch._dynamo.graph_break()
        return g() + y

    return f(ones(3))


@program
def inner_generator():
    @compiled
    def f(x):
        def g():
            for i in range(3):
                yield x + i

        return [t * 2 for t in g()]

    return f(ones(2))


@program
def recompilations():
    @compiled
    def f(x, s):
        return x.sin() * s

    return [f(ones(i), s) for i in (2, 3, 4) for s in (1, 2)]


@program
def dynamic_shapes():
    f = compiled(lambda x: x.sum() * x.shape[0], dynamic=True)
    return [f(ones(i)) for i in (2, 3, 4)]


@program
def module_with_gradients():
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
    loss = compiled(model)(torch.randn(5, 3)).sum()
    loss.backward()
    return loss, [parameter.grad for parameter in model.parameters()]


@program
def break_in_with():
    @compiled
    def f(x):
        with torch.no_grad():
            y = x + 1
            torch._dynamo.graph_break()
            z = y * 2
        return z

    return f(ones(3, requires_grad=True))


@program
def item_and_data_dependent_return():
    @compiled
    def f(x):
        y = x + 1
        torch._dynamo.graph_break()
        return y.item() if y.numel() == 1 else y

    return f(ones(3)), f(ones(1))


@program
def side_effects():
    items, table = [], {}

    @compiled
    def f(x):
        items.append(x + 1)
        table["a"] = x * 2
        return x

    f(ones(3))
    return items, table


@program
def every_kind_of_argument():
    @compiled
    def f(x, /, y=2, *rest, z=3, **others):
        r = x * y + z + sum(rest) + others.get("w", 0)
        torch._dynamo.graph_break()
        return r - 1

    return f(ones(2)), f(ones(2), 3, 4, 5, z=6, w=7)


@program
def exception():
    @compiled
    def f(x):
        y = x + 1
        torch._dynamo.graph_break()
        raise ValueError("mine {}".format(y.shape[0]))

    f(ones(2))


@program
def conditional_operator():
    f = compiled(lambda x: torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 1, (x,)))
    return f(ones(3)), f(-ones(3))


@program
def break_in_a_callee():
    def h(x):
        x = x + 1
        torch._dynamo.graph_break()
        return x * 2

    def g(x):
        return h(x) + 3

    return compiled(lambda x: g(x) - 1)(ones(3))


@program
def loop_with_breaks():
    @compiled
    def f(x):
        s = 0
        for _ in range(3):
            s = s + x.sum().item()
        return x + s

    return f(ones(3))


@program
def loop_on_data():
    @compiled
    def f(x):
        n = 0
        while x.sum() < 10:
            x = x * 2
            n += 1
        return x, n

    return f(ones(2))


@program
def autograd_function():
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, gradient):
            return gradient * 3

    x = ones(3, requires_grad=True)
    compiled(lambda x: Twice.apply(x).sum())(x).backward()
    return x.grad


@program
def method_which_changes_self():
    class Counter:
        n = 1

        def step(self, x):
            self.n += 1
            y = x + self.n
            torch._dynamo.graph_break()
            self.n += 1
            return y * self.n

    counter = Counter()
    step = compiled(counter.step)
    return step(ones(2)), step(ones(2)), counter.n


@program
def checkpoint():
    @compiled
    def f(x):
        return torch_checkpoint(lambda y: torch.sin(y).cos(), x, use_reentrant=False).sum()

    x = ones(3, requires_grad=True)
    f(x).backward()
    return x.grad


@program
def autocast():
    @compiled
    def f(x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = x @ x
            torch._dynamo.graph_break()
            return (y @ x).float()

    return f(ones(3, 3))


@program
def comprehensions():
    @compiled
    def f(x):
        y = [x + i for i in range(3)]
        torch._dynamo.graph_break()
        return {str(i): t * 2 for i, t in enumerate(y)}

    return f(ones(2))


@program
def handler():
    @compiled
    def f(x):
        try:
            y = x + 1
            torch._dynamo.graph_break()
            raise KeyError
        except KeyError:
            return y * 2

    return f(ones(2))


@program
def stance():
    f = compiled(lambda x: x + 1)
    with torch.compiler.set_stance("force_eager"):
        before = f(ones(2))
    return before, f(ones(2))


@program
def compiled_autograd():
    x = ones(3, requires_grad=True)
    loss = compiled(lambda x: (x * 2).sum())(x)
    with torch._dynamo.compiled_autograd._enable(torch.compile(backend=BACKEND)):
        loss.backward()
    return x.grad


@program
def threads():
    results = {}
    functions = [lambda x: x + 1, lambda x: x * 2, lambda x: x - 3]  # of one function, who is first decides

    def work(i):
        results[str(i)] = compiled(functions[i])(ones(2))

    started = [threading.Thread(target=work, args=(i,)) for i in range(3)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    return dict(sorted(results.items()))


@program
def data_class():
    @dataclasses.dataclass
    class Pair:
        a: object
        b: object

    @compiled
    def f(x):
        pair = Pair(x + 1, x * 2)
        torch._dynamo.graph_break()
        return pair.a + pair.b

    return f(ones(2))


@program
def whole_graph():
    return compiled(lambda x, *, k=2: x * k, fullgraph=True)(ones(2), k=3)


@program
def whole_graph_refused():
    def f(x):
        torch._dynamo.graph_break()
        return x

    try:
        compiled(f, fullgraph=True)(ones(2))
    except torch._dynamo.exc.Unsupported as error:
        return str(error).splitlines()[0]


@program
def super_call():
    class Base(torch.nn.Module):
        def forward(self, x):
            return x + 1

    class Derived(Base):
        def forward(self, x):
            y = super().forward(x)
            torch._dynamo.graph_break()
            return super().forward(y)

    return compiled(Derived())(ones(2))


@program
def hooks_and_buffers():
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.zeros(1))

        def forward(self, x):
            self.count += 1
            return x * self.count

    model = Model()
    model.register_forward_hook(lambda module, inputs, output: output + 1)
    f = compiled(model)
    return f(ones(2)), f(ones(2)), model.count


@program
def export():
    class Model(torch.nn.Module):
        def forward(self, x):
            return x.sin() + 1

    return torch.export.export(Model(), (ones(2),)).module()(ones(2))


def plain(value):
    if isinstance(value, torch.Tensor):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    return value if isinstance(value, (int, float, str, bool, type(None))) else type(value).__name__


def report(name, directory):
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    torch.manual_seed(0)
    found = {"program": name}
    model = None
    try:
        if directory == "-":
            found["result"] = plain(PROGRAMS[name]())
        else:
            import depyf

            with depyf.prepare_debug(os.path.join(directory, name)) as model:
                found["result"] = plain(PROGRAMS[name]())
    except Exception as error:
        found["exception"] = [type(error).__name__, str(error)]
    found["graphs"] = torch._dynamo.utils.counters["stats"].get("unique_graphs", 0)
    if model is not None:
        entries = [entry for frame in model.frames for entry in frame.entries]
        found["compilations"] = len(entries)
        found["ours"] = sum(entry.runs_decompiled for entry in entries)
        found["failures"] = [[failure.what, failure.reason] for failure in model.failures]
    print(json.dumps(found), flush=True)


if __name__ == "__main__":
    BACKEND = sys.argv[1]
    for each in sys.argv[3:] or PROGRAMS:
        report(each, sys.argv[2])
