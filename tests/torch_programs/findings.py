"""What must be found, at which line and in which words, in each of the six forms in which a finding is printed.

`finding` of a program is the kind, the text of the line, and regular expressions. What raised comes from issues of
pytorch/pytorch: 93720, 117758, 124900, 126360, 137504, 142358, 143163, 146797, 147115, 149767, 152918, 163329, 166943.
"""

from __future__ import annotations

import functools

import torch
from torch import nn

from .suite import call, compiled, program

graph_break = torch._dynamo.graph_break


def limited(most):
    """The limit of compilations, by whichever name."""
    name = "recompile_limit" if hasattr(torch._dynamo.config, "recompile_limit") else "cache_size_limit"
    return torch._dynamo.config.patch(**{name: most})


@program(raises="Unsupported|UserError",
         finding=("raised", "if y.sum() > 0:", "Unsupported|UserError", r"torch\.cond|control_flow"))  # fmt: skip
def whole_graph_with_a_branch():
    "fullgraph=True, and a branch on data."

    def f(x):
        y = x.sin()
        if y.sum() > 0:
            return y + 1
        return y

    return call(compiled(f, fullgraph=True), torch.ones(3))


@program(raises="Unsupported", finding=("raised", "graph_break()", "Unsupported", "graph_break"))
def whole_graph_with_a_break():
    "fullgraph=True, and a break."

    def f(x):
        y = x.sin()
        graph_break()
        return y + 1

    return call(compiled(f, fullgraph=True), torch.ones(3))


@program(needs="torch._dynamo.error_on_graph_break", raises="Unsupported",
         finding=("raised", "graph_break()", "Unsupported", "User-inserted graph break"))  # fmt: skip
def break_under_error_on_graph_break():
    "A break where the program has asked for an error, without fullgraph."

    def f(x):
        y = x.sin()
        graph_break()
        return y + 1

    f = compiled(f)
    with torch._dynamo.error_on_graph_break(True):
        return call(f, torch.ones(3))


@program(raises="ConstraintViolationError",
         finding=("raised", "", "ConstraintViolationError", r"x\.shape\[0\]", r"constant \(5\)",
                  "maybe_mark_dynamic"))  # fmt: skip
def marked_and_used_as_a_constant():
    "mark_dynamic on a size that a branch makes a constant."

    def f(x):
        if x.shape[0] == 5:
            return x.sin()
        return x.cos()

    x = torch.ones(5, 3)
    torch._dynamo.mark_dynamic(x, 0)
    return call(compiled(f), x)


@program(raises="TorchRuntimeError",
         finding=("raised", "return (x @ w).relu()", "TorchRuntimeError", r"got \[2, 3\] X \[4, 5\]"))  # fmt: skip
def shapes_that_do_not_fit():
    "An operation that fails on fake tensors."

    def f(x, w):
        return (x @ w).relu()

    return call(compiled(f), torch.ones(2, 3), torch.ones(4, 5))


def no_backend(graph, inputs):
    raise ValueError("no kernel for sin in this build")


@program(raises="BackendCompilerFailed",
         finding=("raised", "def f(x):", "BackendCompilerFailed", "no kernel for sin in this build",
                  r"suite\.py:\d+"))  # fmt: skip
def backend_that_raises():
    "A backend that raises."

    def f(x):
        return x.sin() + 1

    return call(compiled(f, backend=no_backend), torch.ones(3))


@program(finding=("uncompiled", "def f(x):", "no kernel for sin in this build", "runs as it is written"))
def backend_that_raises_and_is_passed_over():
    "The same with suppress_errors: the function runs as it is written."

    def f(x):
        return x.sin() + 1

    with torch._dynamo.config.patch(suppress_errors=True):
        return call(compiled(f, backend=no_backend), torch.ones(3))


@program(finding=("raised", "def f(x):", "BackendCompilerFailed", "out of workspace", "a later one was compiled"))
def backend_that_raises_once():
    "The first call raises, the second is compiled."
    calls = []

    def backend(graph, inputs):
        calls.append(1)
        if len(calls) == 1:
            raise RuntimeError("out of workspace")
        return graph.forward

    def f(x):
        return x.sin() + 1

    f = compiled(f, backend=backend)
    try:
        f(torch.ones(3))
    except Exception as error:
        return type(error).__name__, f(torch.ones(3))


@program(needs="torch.cond", raises="UncapturedHigherOrderOpError",
         finding=("raised", "graph_break()", "UncapturedHigherOrderOpError", r"\bf \(findings\.py:\d+\)"))  # fmt: skip
def break_in_a_branch_of_cond():
    "torch.cond with a branch that can't be traced."

    def broken(x):
        graph_break()
        return x.cos()

    def f(x):
        return torch.cond(x.sum() > 0, lambda x: x.sin(), broken, (x,))

    return call(compiled(f), torch.ones(3))


@program(raises="Unsupported|FailOnRecompileLimitHit|RecompileLimitExceeded",
         finding=("raised", "def f(x):", r"Unsupported|RecompileLimit\w+", "limit"))  # fmt: skip
def too_many_compilations_of_a_whole_graph():
    "The limit of compilations under fullgraph."

    def f(x):
        return x.sin() + 1

    f = compiled(f, fullgraph=True, dynamic=False)
    with limited(2):
        return [f(torch.ones(n)) for n in (2, 3, 4)]


@program(finding=("uncompiled", "def f(x):", "limit", "not compiled any more"))
def too_many_compilations():
    "The same without fullgraph."

    def f(x):
        return x.sin() + 1

    f = compiled(f, dynamic=False)
    with limited(2):
        return [f(torch.ones(n)) for n in (2, 3, 4)]


@program(needs="torch.compiler.set_stance", raises="Unsupported",
         finding=("raised", "def f(x):", "Unsupported", "generator"))  # fmt: skip
def generator_as_a_whole_graph():
    "A generator under fullgraph."

    def f(x):
        for number in range(3):
            yield x + number

    return list(compiled(f, fullgraph=True)(torch.ones(2)))


def lookup(x):
    return x + 1


@program(needs="torch._dynamo.graph_break_hints",
         finding=("break", "z = lookup(y)", "lookup", "talks to the database", "GB0098"))  # fmt: skip
def disabled_with_a_reason():
    "torch.compiler.disable(reason=...)."
    disabled = torch.compiler.disable(lookup, reason="talks to the database")

    def f(x, lookup):
        y = x.sin()
        z = lookup(y)
        return z * 2

    return call(compiled(f), torch.ones(3), disabled)


class Box:
    @torch.compiler.disable
    def __init__(self, x):
        self.x = x


@program(finding=("break", "b = Box(y)", "disable|Box"))
def break_inside_torch():
    "A disabled constructor, which torch calls in a file of its own."

    def f(x):
        y = x.sin()
        b = Box(y)
        return b.x * 2

    return call(compiled(f), torch.ones(3))


@program(backend="aot_eager", needs="torch._dynamo.graph_break_hints",
         finding=("break", "optimizer.step()", r"torch/optim/optimizer\.py:\d+", "by design"))  # fmt: skip
def step_of_an_optimizer():
    "torch breaks the graph in the step of an optimizer by itself."
    model = nn.Linear(3, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def f(x):
        loss = model(x).sum()
        loss.backward()
        optimizer.step()
        return loss

    return compiled(f)(torch.ones(2, 3))


@program(finding=("break", 'print("loss")', "print"), needs="torch._dynamo.graph_break_hints")
def print_between():
    "print, which can be called after the graph."

    def f(x):
        y = x.sin()
        print("loss")
        return y + 1

    return call(compiled(f), torch.ones(3))


@program(finding=("break", "if y.max() > 1:", "branch depends on a tensor's value", r"torch\.cond"))
def branch_that_could_be_an_operation():
    "The usual clamp under a condition."

    def f(x):
        y = x.sin()
        if y.max() > 1:
            y = y.clamp(max=1)
        return y * 2

    return call(compiled(f), torch.ones(3))


@program(finding=("uncompiled", "def f(x):"))
def break_in_a_loop():
    "A break where Dynamo can't stop: the function is left to Python, and no break of it is counted."

    def f(x):
        for number in range(2):
            x = x + number
            graph_break()
        return x

    return call(compiled(f), torch.ones(3))


@program(needs="numpy", finding=("uncompiled", "def f(x):"))
def numpy_in_a_function_that_is_left_to_python():
    "Functions of numpy that are called then are no findings."
    import numpy

    def f(x):
        for _ in range(2):
            graph_break()
        text = numpy.array2string(numpy.linspace(0, 1, 3))
        return x + len(text)

    return call(compiled(f), torch.ones(3))


@program(raises="ValueError")
def exception_of_the_program():
    "What the program itself raises is no finding of ours that raised."

    def f(x, n):
        if n > 2:
            raise ValueError("n is too large")
        return x + n

    return call(compiled(f), torch.ones(3), 3)


class Layer:
    scale = 2.0

    def __init__(self, weight):
        self.weight = weight

    def run(self, x):
        return x * self.weight * self.scale


@program(finding=("recompile", "return x * self.weight * self.scale", r"self\)?\.scale (was|==) 2\.0", r"3\.0"))
def attribute_of_a_class():
    "A class attribute changes."
    layer = Layer(torch.ones(2))
    f = compiled(layer.run)
    first = f(torch.ones(2))
    try:
        Layer.scale = 3.0
        return first, f(torch.ones(2))
    finally:
        Layer.scale = 2.0


@program(finding=("recompile", "f(torch.ones(2, 2)),", "grad mode was on"))
def library_module_without_gradients():
    "A module of torch's own: the line is that of the call for which it was compiled again."
    f = compiled(nn.Sequential(nn.Linear(2, 2), nn.ReLU()))
    f(torch.ones(2, 2))
    with torch.no_grad():
        return (
            f(torch.ones(2, 2)),
        )


@program(finding=("uncompiled", "def f(x, *others):", "nothing to compile in it", "its later calls to Python too"))
def nothing_in_the_first_call():
    "The first call has nothing to compile, so no later one is compiled."

    def f(x, *others):
        for other in others:
            x = x + other
        return x

    f = compiled(f)
    one = torch.ones(2)
    return f(one), f(one, one), f(one, one, one)


@program(finding=("raised", "f(torch.ones(3), 7)", "RecompileError", "error_on_recompile forbids",
                  r"n == 2; it is 7 now"))  # fmt: skip
def recompile_that_the_settings_forbid():
    "error_on_recompile, and another number: at the call, with what came."
    f = compiled(lambda x, n: x * n)
    f(torch.ones(3), 2)
    with torch._dynamo.config.patch(error_on_recompile=True):
        try:
            f(torch.ones(3), 7)
        except Exception as error:  # with the lines that asked for guards in its text, under a recording
            return type(error).__name__


@program(finding=("recompile", "", r"x\.shape\[0\]", "as mark_static asks"))
def sizes_marked_as_static():
    "mark_static: each size is compiled by itself, as the program asks."
    f = compiled(lambda x: x.sin(), dynamic=True)
    found = []
    for size in (3, 4):
        x = torch.ones(size, 2)
        torch._dynamo.mark_static(x, 0)
        found.append(call(f, x))
    return found


@program(finding=("recompile", "", r"dtype (?:was|==) torch\.bfloat16[;,] (?:then|it is) torch\.float16"))
def dtype_as_an_argument():
    "A dtype that is passed, and another one."
    f = compiled(lambda x, dtype: x.to(dtype) * 2)
    return [call(f, torch.ones(3), dtype) for dtype in (torch.bfloat16, torch.float16)]


@program(finding=("recompile", "", "fn (?:was|is) (?:a|one|the) function", "of type partial"))
def partial_for_a_function():
    "A function as an argument, then a functools.partial."

    def double(x):
        return x * 2

    f = compiled(lambda x, fn: fn(x) + 1)
    return [call(f, torch.ones(3), fn) for fn in (double, functools.partial(torch.mul, other=3))]
