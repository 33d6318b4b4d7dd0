"""Graph breaks, wherever they can stand, and branches on data."""

from __future__ import annotations

import zlib

import torch

from .suite import call, compiled, program

graph_break = torch._dynamo.graph_break


@program()
def one_break():
    "A break between two graphs."

    def f(x):
        y = x + 1
        graph_break()
        return y * x

    return call(compiled(f), torch.arange(3.0))


@program(backend="aot_eager")
def breaks_with_gradients():
    "Two breaks, backward through three graphs."

    def f(x, w):
        y = x @ w
        graph_break()
        y = y.relu()
        print("", end="")
        return (y * 2).sum()

    x, w = torch.ones(2, 3), torch.ones(3, 2, requires_grad=True)
    loss = call(compiled(f), x, w)
    loss.backward()
    return loss, w.grad


@program()
def break_in_with():
    "A break under a context manager of torch, which is left and entered again."

    def f(x):
        with torch.no_grad():
            y = x + 1
            graph_break()
            z = y * 2
        return z + x

    return call(compiled(f), torch.ones(3, requires_grad=True))


@program()
def break_in_two_withs():
    "The same, two deep."

    def f(x):
        with torch.no_grad():
            y = x + 1
            with torch.autocast("cpu", dtype=torch.bfloat16):
                z = y @ y
                graph_break()
                z = z @ y
            return z.float() + y

    return call(compiled(f), torch.ones(3, 3))


@program()
def break_in_try():
    "A break in a try statement whose handler is not needed."

    def f(x):
        try:
            y = x + 1
            graph_break()
        except ValueError:
            y = x - 1
        finally:
            x = x * 2
        return y + x

    return call(compiled(f), torch.ones(3))


@program()
def break_and_handler():
    "A break, then an exception which is caught in the same function."

    def f(x):
        try:
            y = x + 1
            graph_break()
            raise KeyError("mine")
        except KeyError:
            return y * 2

    return call(compiled(f), torch.ones(2))


@program()
def break_in_loop():
    "A break in a for loop: torch skips the frame, callees are compiled."

    def part(x, i):
        return x.sin() + i

    def f(x):
        for i in range(3):
            x = part(x, i)
            graph_break()
        return x

    return call(compiled(f), torch.ones(3))


@program()
def breaks_in_callees():
    "A break two functions down."

    def innermost(x):
        x = x + 1
        graph_break()
        return x * 2

    def inner(x):
        return innermost(x) + 3

    return call(compiled(lambda x: inner(x) - 1), torch.ones(3))


@program(needs="torch._dynamo.config.nested_graph_breaks")
def nested_graph_breaks():
    "The same with nested_graph_breaks: the callers' rest is compiled too."

    def innermost(x):
        x = x + 1
        graph_break()
        return x * 2

    def inner(x):
        return innermost(x) + 3

    torch._dynamo.config.nested_graph_breaks = True
    try:
        return call(compiled(lambda x: inner(x) - 1), torch.ones(3))
    finally:
        torch._dynamo.config.nested_graph_breaks = False


@program()
def item_and_branch():
    "item(), and a branch on it."

    def f(x):
        n = x.sum().item()
        if n > 2:
            return x * n
        return x - n

    f = compiled(f)
    return call(f, torch.ones(3)), call(f, torch.zeros(3))


@program(needs="torch._dynamo.config.capture_scalar_outputs")
def item_captured():
    "item() in the graph, capture_scalar_outputs."
    torch._dynamo.config.capture_scalar_outputs = True
    try:
        return call(compiled(lambda x: x + x.sum().item()), torch.ones(3))
    finally:
        torch._dynamo.config.capture_scalar_outputs = False


@program()
def branches_on_data():
    "Three branches on data, all ways that there are."

    def f(x):
        if x.sum() > 0:
            x = x + 1
        if x.mean() > 1:
            x = x * 2
        elif x.max() < 0:
            return -x
        return x

    f = compiled(f)
    return [call(f, value * torch.ones(2)) for value in (1.0, -1.0, 0.0, 3.0)]


@program()
def conditional_expressions():
    "and, or, not, conditional expressions on tensors."

    def f(x, y):
        return (x if x.sum() > 0 and not y.sum() > 3 else y) * (1 if y.any() or x.any() else 2)

    f = compiled(f)
    return [call(f, a * torch.ones(2), b * torch.ones(2)) for a in (1, -1) for b in (0, 2)]


@program()
def while_on_data():
    "A while loop on data."

    def f(x):
        n = 0
        while x.sum() < 10:
            x = x * 2
            n += 1
        return x, n

    return call(compiled(f), torch.ones(2))


@program()
def break_with_values_on_the_stack():
    "A breaking call as one of several operands."

    def opaque(x):
        graph_break()
        return x.clone()

    def f(x, y):
        return [x + 1, (y * 2 + opaque(x)) / 3, {"k": opaque(y), "j": y}], x - y

    return call(compiled(f), torch.ones(2), torch.arange(2.0))


@program()
def break_in_comprehension():
    "A comprehension before a break, and one after."

    def f(x):
        y = [x + i for i in range(3)]
        graph_break()
        return {str(i): t * 2 for i, t in enumerate(y)}

    return call(compiled(f), torch.ones(2))


@program()
def breaks_behind_comprehensions():
    "A break in a try statement, where Dynamo can't stop: from 2.11 on it stops at the comprehension before it."

    def f(x, names, scale):
        found = {k.upper(): [] for k, v in names.items() if v}
        lengths = [len([c + c for c in name]) for name in names]

        def g():
            graph_break()
            return x + scale

        try:
            y = g()
        finally:
            x = x * 2
        return y, x, found, lengths

    def h(x, sizes):
        y = x + 1

        def g(n):
            graph_break()
            return y + n

        return [g(n) for n in sizes], y

    names = {"a": 1, "bc": 0}
    return call(compiled(f), torch.ones(2), names, 3), call(compiled(h), torch.ones(2), [1, 2])


@program()
def unsupported_builtin():
    "A call into another library, which Dynamo does not trace."

    def f(x):
        y = x + 1
        known = zlib.crc32(b"known") % 7
        return y * known, str(type(y))

    return call(compiled(f), torch.ones(2))


@program()
def no_graph_at_all():
    "A function without a tensor operation."

    def f(x, n):
        return [x] * n

    return call(compiled(f), torch.ones(2), 2)


@program()
def assertion():
    "assert on data, with a message."

    def f(x):
        assert x.sum() > 0, "must be positive"
        return x + 1

    f = compiled(f)
    found = [call(f, torch.ones(2))]
    try:
        f(-torch.ones(2))
    except Exception as error:  # its type differs between versions of torch
        found.append(type(error).__name__)
    return found
