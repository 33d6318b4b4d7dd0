"""Operators that take functions, own operators, own gradients, and what wraps a computation."""

from __future__ import annotations

import torch
from torch.utils.checkpoint import checkpoint

from .suite import call, compiled, program

graph_break = torch._dynamo.graph_break
libraries = []


@program(needs="torch.cond")
def conditional_operator():
    "torch.cond, both ways."
    f = compiled(lambda x: torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 1, (x,)))
    return call(f, torch.ones(3)), call(f, -torch.ones(3))


@program(needs="torch._higher_order_ops.while_loop.while_loop")
def while_operator():
    "while_loop."
    from torch._higher_order_ops.while_loop import while_loop

    def f(x):
        return while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (torch.tensor(0), x))

    return call(compiled(f), torch.ones(2))


@program(needs="torch._higher_order_ops.scan.scan")
def scan_operator():
    "scan."
    from torch._higher_order_ops.scan import scan

    def step(carry, x):
        return carry + x, carry * x

    return call(compiled(lambda x: scan(step, torch.zeros(2), x)), torch.ones(3, 2))


@program(needs="torch._higher_order_ops.map.map")
def map_operator():
    "map over the first dimension."
    from torch._higher_order_ops.map import map as map_over

    return call(compiled(lambda xs, y: map_over(lambda x, y: x + y, xs, y)), torch.ones(3, 2), torch.ones(2))


@program(needs="torch.library.custom_op", backend="aot_eager")
def own_operator():
    "torch.library.custom_op with a fake and a gradient."

    @torch.library.custom_op("matrix::thrice", mutates_args=())
    def thrice(x: torch.Tensor) -> torch.Tensor:
        return x * 3

    @thrice.register_fake
    def _(x):
        return torch.empty_like(x)

    thrice.register_autograd(lambda ctx, gradient: gradient * 3)
    x = torch.ones(2, requires_grad=True)
    result = call(compiled(lambda x: thrice(x) + 1), x)
    result.sum().backward()
    return result, x.grad


@program(backend="aot_eager")
def older_own_operator():
    "torch.library.Library with a schema."
    library = torch.library.Library("matrix_old", "DEF")
    libraries.append(library)  # the operator goes with it
    library.define("add_two(Tensor x) -> Tensor")
    library.impl("add_two", lambda x: x + 2, "CompositeExplicitAutograd")
    library.impl("add_two", lambda x: torch.empty_like(x), "Meta")
    return call(compiled(lambda x: torch.ops.matrix_old.add_two(x) * 2), torch.ones(2))


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 3 + ctx.saved_tensors[0]


@program(backend=("eager", "aot_eager"))
def autograd_function():
    "torch.autograd.Function."
    x = torch.ones(3, requires_grad=True)
    result = call(compiled(lambda x: Twice.apply(x).sum()), x)
    result.backward()
    return result, x.grad


@program(backend=("eager", "aot_eager"))
def checkpointed():
    "Activation checkpointing."
    x = torch.ones(3, requires_grad=True)
    f = compiled(lambda x: checkpoint(lambda y: torch.sin(y).cos(), x, use_reentrant=False).sum())
    result = call(f, x)
    result.backward()
    return result, x.grad


@program()
def autocast():
    "autocast around a break, and inside."

    def f(x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = x @ x
            graph_break()
            y = y @ x
        return y.float()

    f = compiled(f)
    found = [call(f, torch.ones(3, 3))]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return [*found, f(torch.ones(3, 3))]


@program()
def without_gradients():
    "no_grad, inference_mode, enable_grad: within, around, as a decorator."

    @torch.no_grad()
    def f(x):
        y = x * 2
        with torch.enable_grad():
            return y, x * 3

    f = compiled(f)
    x = torch.ones(2, requires_grad=True)
    found = [f(x)]
    with torch.inference_mode():
        found.append([one.clone() for one in compiled(lambda x: (x * 2, x + 1))(torch.ones(2))])
    return found


@program(needs="torch.func.vmap")
def vmap():
    "torch.func.vmap."
    return call(compiled(lambda x: torch.func.vmap(lambda row: row.sum() * row)(x)), torch.ones(3, 2))


@program(needs="torch.func.grad")
def function_gradient():
    "torch.func.grad, and vmap of it."

    def f(x):
        one = torch.func.grad(lambda y: (y.sin() ** 2).sum())(x)
        return one, torch.func.vmap(torch.func.grad(lambda y: y * y))(x)

    return call(compiled(f), torch.ones(3))


@program(needs="torch.nn.attention.flex_attention.flex_attention")
def flex_attention():
    "flex_attention with a score of one's own."
    from torch.nn.attention.flex_attention import flex_attention as attend

    def score(s, batch, head, q, k):
        return s + (q - k)

    x = torch.ones(1, 1, 16, 16)
    return call(compiled(lambda q: attend(q, q, q, score_mod=score)), x)


def opaque(x):
    return x.flip(0) + 1


@program(needs="torch.compiler.allow_in_graph")
def allowed_in_graph():
    "allow_in_graph: a function that is not looked into."

    torch.compiler.allow_in_graph(opaque)
    return call(compiled(lambda x: opaque(x * 2)), torch.arange(3.0))


@program()
def complex_and_integers():
    "Other dtypes: complex, integers, booleans."

    def f(x, n, b):
        return torch.view_as_real(x * 1j), (n // 2) % 3, b ^ (n > 1)

    return call(compiled(f), torch.ones(2, dtype=torch.complex64), torch.arange(2), torch.tensor([True, False]))


@program()
def numpy_inside():
    "numpy operations traced as torch's."
    try:
        import numpy
    except ImportError:  # where there is no numpy, torch has nothing to trace
        return "no numpy"

    def f(x):
        return torch.from_numpy(numpy.sin(x.numpy()) + 1)

    return call(compiled(f), torch.ones(3))


@program()
def sparse_shapes():
    "Indexing, slices, Ellipsis, None, boolean masks."

    def f(x, mask):
        return x[..., None][:, 1:], x[mask], x[[0, 1]].transpose(0, 1), torch.where(mask, x, -x)

    return call(compiled(f), torch.arange(4.0).view(2, 2), torch.tensor([[True, False], [False, True]]))
