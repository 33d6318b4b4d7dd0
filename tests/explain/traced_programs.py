"""Programs that are compiled once under TORCH_TRACE and once under a recorder. Prints nothing; errors are expected."""

import contextlib
import sys

import torch

BACKEND = sys.argv[1] if len(sys.argv) > 1 else "eager"
PROGRAMS = []


def program(function):
    PROGRAMS.append(function)
    return function


def compiled(function=None, **options):
    return torch.compile(function, backend=BACKEND, **options)


def helper(x):
    y = x.cos()
    torch._dynamo.graph_break()
    return y + 1


@program
def breaks():
    @compiled
    def f(x):
        y = x.sin()
        print(end="")
        z = y * 2
        torch._dynamo.graph_break()
        return z - 1

    f(torch.ones(3))


@program
def a_break_in_a_callee():
    @compiled
    def f(x):
        y = x.sin()
        z = helper(y)
        return z * 2

    f(torch.ones(3))


@program
def a_branch_on_data():
    @compiled
    def f(x):
        y = x * 2
        if y.sum() > 0:
            return y + 1
        return y.relu()

    f(torch.ones(3))
    f(-torch.ones(3))


@program
def an_item():
    @compiled
    def f(x):
        n = x.sum().item()
        return x * n

    f(torch.ones(3))


@program
def a_break_in_a_loop():
    @compiled
    def f(x):
        for _ in range(3):
            x = x.sin()
            torch._dynamo.graph_break()
        return x

    f(torch.ones(3))


@program
def a_break_in_a_with_statement():
    @compiled
    def f(x):
        with torch.no_grad():
            y = x.sin()
            torch._dynamo.graph_break()
            y = y + 1
        return y

    f(torch.ones(3))


@program
def a_break_in_a_context_of_its_own():
    @contextlib.contextmanager
    def context():
        yield

    @compiled
    def f(x):
        y = x.sin()
        with context():
            y = y + 1
            torch._dynamo.graph_break()
            y = y * 2
        return y

    f(torch.ones(3))


@program
def a_break_in_a_try_statement():
    @compiled
    def f(x):
        try:
            y = x.sin()
            torch._dynamo.graph_break()
            y = y + 1
        finally:
            x = x * 2
        return y + x

    f(torch.ones(3))


class Holder:
    @property
    def value(self):
        return 1

    @value.setter
    def value(self, new):
        torch._dynamo.graph_break()


@program
def a_break_at_an_attribute():
    holder = Holder()

    @compiled
    def f(x):
        y = x.sin()
        holder.value = y
        return y + 1

    f(torch.ones(3))


@program
def sizes():
    @compiled
    def f(x, y):
        z = x.sin()
        return z.sum() + y

    for n in (3, 4, 5):
        f(torch.ones(n), torch.ones(2))


@program
def kinds():
    @compiled
    def f(x):
        return x + 1

    f(torch.ones(3))
    f(torch.ones(3, dtype=torch.float64))
    f(torch.ones(3, requires_grad=True))
    f(torch.ones(3, 3))
    f(torch.ones(3, 4).t())
    with torch.no_grad():
        f(torch.ones(3))


@program
def values():
    @compiled
    def f(x, k, items=(), name="a", other=None):
        y = x * k
        if other is not None:
            y = y + other
        for item in items:
            y = y + item
        return y if name == "a" else -y

    f(torch.ones(3), 1.0)
    f(torch.ones(3), 2.0)
    f(torch.ones(3), 2.0, [1])
    f(torch.ones(3), 2.0, [1, 2])
    f(torch.ones(3), 2.0, name="b")
    f(torch.ones(3), 2.0, other=torch.ones(3))


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(4, 4), torch.nn.Linear(4, 2)
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        h = self.first(x).relu()
        if self.training:
            h = torch.nn.functional.dropout(h, 0.5)
        return self.second(h)


@program
def a_model():
    model = Model()
    run = compiled(model)
    run(torch.ones(2, 4)).sum().backward()
    model.eval()
    run(torch.ones(2, 4))
    run(torch.ones(3, 4))


@program
def the_limit():
    @compiled
    def f(x, k):
        return x * k

    torch._dynamo.config.cache_size_limit, before = 3, torch._dynamo.config.cache_size_limit
    for k in range(6):
        f(torch.ones(3), float(k) + 0.5)
    torch._dynamo.config.cache_size_limit = before


@program
def a_whole_graph_that_is_none():
    @compiled(fullgraph=True)
    def f(x):
        y = x.sin()
        torch._dynamo.graph_break()
        return y

    with contextlib.suppress(Exception):
        f(torch.ones(3))


@program
def an_exception():
    @compiled
    def f(x):
        x.sin()
        torch._dynamo.graph_break()
        raise ValueError("mine")

    with contextlib.suppress(ValueError):
        f(torch.ones(3))


@program
def a_backend_that_raises():
    def backend(graph, inputs):
        raise RuntimeError("no such backend")

    @torch.compile(backend=backend)
    def f(x):
        return x.sin() + 1

    with contextlib.suppress(Exception):
        f(torch.ones(3))


@program
def a_generator():
    @compiled
    def f(x):
        yield x.sin()

    list(f(torch.ones(3)))


@program
def nothing_in_it():
    @compiled
    def f(x):
        return 5

    f(torch.ones(3))
    f(3)


@program
def operators():
    @compiled
    def f(x, y):
        a = x @ y
        a += 1
        a *= x
        b = -a ** 2 // 3
        c = (b > 1) & (x != y) | ~(x <= y)
        d = x[0], x[1:, None], x.T, x.shape[0]
        e = torch.cat([a, b]).view(-1)[:2]
        x[0] = 3
        return c, d, e, abs(x), max(d[3], 2), torch.add(x, y, alpha=2), x.to(torch.float64), y.is_contiguous()

    f(torch.ones(3, 3), torch.ones(3, 3))


@program
def higher_orders():
    @compiled
    def f(x):
        return torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,))

    f(torch.ones(3))

    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, gradient):
            return gradient * 2

    @compiled
    def g(x):
        y = Double.apply(x)
        return torch.utils.checkpoint.checkpoint(torch.sin, y, use_reentrant=False) + 1

    g(torch.ones(3, requires_grad=True))


@program
def an_optimizer():
    weight = torch.nn.Parameter(torch.ones(3))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    weight.grad = torch.ones(3)

    @compiled
    def step():
        optimizer.step()

    step()


@program
def any_size():
    @compiled(dynamic=True)
    def f(x):
        y = x * x.shape[0]
        return y.nonzero()

    f(torch.ones(3))
    f(torch.ones(4))
    f(torch.ones(1))


@program
def many_functions():
    def made(k):
        @compiled
        def f(x):
            return x + k

        return f

    for k in (1.0, 2.0):
        made(k)(torch.ones(3))
    compiled(lambda x: x + 1)(torch.ones(3)), compiled(lambda x: x + 2)(torch.ones(3))


@program
def a_disabled_function():
    @torch._dynamo.disable
    def no(x):
        return x + 1

    @compiled
    def f(x):
        return no(x.sin()) * 2

    f(torch.ones(3))


for one in PROGRAMS:
    torch._dynamo.reset()
    one()
