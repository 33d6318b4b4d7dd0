"""What the index must say: why something was compiled again or not at all, or goes on without a compilation."""

from __future__ import annotations

import torch
from torch import nn

from .suite import call, compiled, program

graph_break = torch._dynamo.graph_break
SCALE = 3


def plain(x):
    return x.sin() + 1


@program(index=(r"x\.shape\[0\] == 2; it is 3 now", "each size is compiled by itself, as dynamic=False asks"))
def again_for_a_size():
    "Another size."
    f = compiled(plain, dynamic=False)
    return [call(f, torch.ones(n)) for n in (2, 3)]


@program(index=(r"x\.shape\[0\] == 3; it is 4 now", "What to do: each size is compiled by itself: Dynamo takes"))
def size_that_is_a_constant():
    "A loop over a size is unrolled: no mark makes it dynamic."

    def f(x):
        found = 0
        for row in range(x.shape[0]):
            found = found + x[row]
        return found

    f = compiled(f)
    return [call(f, torch.ones(n)) for n in (3, 4)]


@program(index=("0/1", "n == 1; it is 2 now", "0/0 did not fit: n == 1; it is 3 now", "each number is compiled by"))
def again_for_a_number():
    "A number, twice: both compilations did not fit the third call."
    f = compiled(lambda x, n: x * n, dynamic=False)
    return [call(f, torch.ones(2), n) for n in (1, 2, 3)]


@program(index=("grad mode was on and is off now", r"self\.training was True and is False now"))
def again_for_eval_without_gradients():
    "eval() behind no_grad: torch names the grad mode alone."
    model = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5))

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = model

        def forward(self, x):
            return self.inner(x).sin()

    model = Model()
    f = compiled(model)
    f(torch.ones(1, 2))
    model.eval()
    with torch.no_grad():
        return f(torch.ones(1, 2))


@program(index="grad mode was on and is off now")
def again_for_the_grad_mode():
    "The same function, without gradients."
    f = compiled(plain)
    first = f(torch.ones(2))
    with torch.no_grad():
        return first, f(torch.ones(2))


@program(index=(r"x\.dtype == float32; it is float64 now", "convert x before the call"))
def again_for_a_dtype():
    "Another dtype."
    f = compiled(plain)
    return [call(f, torch.ones(2, dtype=dtype)) for dtype in (torch.float32, torch.float64)]


@program(index=r"c\.width == 1; it is 2 now")
def again_for_an_attribute():
    "An attribute of an object."

    class Config:
        def __init__(self, width):
            self.width = width

    f = compiled(lambda x, c: x * c.width, dynamic=False)
    return [f(torch.ones(2), Config(width)) for width in (1, 2)]


@program()
def again_for_a_modules_attribute():
    "An integer of a module, which some versions of torch make part of the graph and do not check."

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.times = 1

        def forward(self, x):
            return x * self.times + 1

    model = Model()
    f = compiled(model, dynamic=False)
    first = f(torch.ones(2))
    model.times = 2
    return first, f(torch.ones(2))


@program(index=(r"len\(xs\) == 2; it is 3 now", "each length is compiled by itself"))
def again_for_the_length_of_a_list():
    "A longer list."
    f = compiled(lambda x, xs: x + sum(xs))
    return [call(f, torch.ones(2), list(range(n))) for n in (2, 3)]


@program(index="m is a tensor; it is None now")
def again_for_none():
    "None where a tensor was."
    f = compiled(lambda x, m=None: x.sin() if m is None else x + m)
    return call(f, torch.ones(2), torch.ones(2)), call(f, torch.ones(2), None)


@program(index="SCALE == 3; it is 4 now", repeatable=False)
def again_for_a_global():
    "Another value of a global."
    global SCALE
    SCALE = 3
    f = compiled(lambda x: x * SCALE, dynamic=False)
    first = f(torch.ones(2))
    SCALE = 4
    return first, f(torch.ones(2))


@program(index="each device is compiled by itself")
def again_for_a_device():
    "Another device."
    f = compiled(plain)
    return [f(torch.ones(2)), f(torch.ones(2, device="meta")).shape]


@program(index=(r"x\.stride\(0\) == 3; it is 1 now", r"\.contiguous\(\)"))
def again_for_a_stride():
    "Another layout of the same shape."
    f = compiled(plain, dynamic=False)
    return call(f, torch.ones(2, 3)), call(f, torch.ones(3, 2).t())


@program(index=r"x\.requires_grad is False; it is True now")
def again_for_gradients():
    "The same, with requires_grad."
    f = compiled(plain)
    return call(f, torch.ones(2)), f(torch.ones(2, requires_grad=True))


# ---- resume functions that have no compilation


@program(index="called; nothing to compile in it")
def resume_with_nothing_in_it():
    "Behind the break there is no operation."

    def f(x):
        y = x.sin()
        graph_break()
        return [y.shape[0]]

    return call(compiled(f), torch.ones(2))


@program(index="Dynamo has seen no call of it")
def resume_never_called():
    "One side of a branch, and what comes behind an exception."

    def branch(x):
        y = x.sin()
        if y.sum() > 0:
            return y * 2
        return y * 3

    @torch._dynamo.disable
    def fails(x):
        raise ValueError("no")

    def raises(x):
        y = x.sin()
        fails(y)
        return y.cos()

    first = call(compiled(branch), torch.ones(2))
    try:
        compiled(raises)(torch.ones(2))
    except ValueError as error:
        return first, str(error)
    return None


@program(index="Dynamo gave it up|left it to Python")
def resume_given_up():
    "A break in a loop behind the break."

    def f(x):
        y = x.sin()
        graph_break()
        for _ in range(3):
            y = y + 1
            graph_break()
        return y

    return call(compiled(f), torch.ones(2))


@program(index=("what other inputs need is not compiled any more", "compilations, the first whose guard holds is used"))
def resume_beyond_the_limit():
    "A resume function is compiled up to the limit."

    def f(x, n):
        y = x.sin()
        graph_break()
        return y * n

    f = compiled(f, dynamic=False)
    return [f(torch.ones(2), n) for n in range(2, 14)]


# ---- what was not compiled


@program(index="Constraints violated|specialized|[Cc]onstraint", needs="torch._dynamo.mark_dynamic")
def marked_dynamic_in_vain():
    "mark_dynamic on a dimension that the function compares with a number: torch's error, and no compilation."

    def f(x):
        return x + 1 if x.shape[0] == 4 else x * 2

    x = torch.ones(4, 2)
    torch._dynamo.mark_dynamic(x, 0)
    try:
        return compiled(f)(x)
    except Exception as error:
        return type(error).__name__


@program(index="raised: RuntimeError: planted|RuntimeError: planted", raises="BackendCompilerFailed")
def backends_own_words():
    "The backend's error is the reason."

    def backend(gm, inputs):
        raise RuntimeError("planted")

    return torch.compile(plain, backend=backend)(torch.ones(2))


# ---- calls behind a break


@program()
def arguments_in_every_mixture():
    "A call that breaks before any operation, with positional arguments, keywords, * and ** in every order."

    @torch._dynamo.disable
    def g(x, a=0, b=0, c=0, *more, **kw):
        kw["mutated"] = 1
        return x + a + b * 2 + c * 3 + sum(more) + sum(kw.values())

    class Holder:
        @torch._dynamo.disable
        def f(self, x=None, **kw):
            kw.pop("a", None)
            return x + sum(kw.values())

        def both(self, x, a, b):
            return self.f(x, **a, **b) * 2

        def between(self, x, a, b):
            y = self.f(x=x, q=4, **a, r=5, **b)
            return y.sin()

        def passed_on(self, *args, **kwargs):
            return self.f(*args, **kwargs) + 1

    def keyword_first(x, **k):
        return g(x, a=1, **k) + 1

    def star_first(x, *args, **k):
        return g(x, *args, c=1, **k) + 1

    def keyword_last(x, **k):
        return g(x, **k, z=1) + len(k)

    def named(x, *args, **k):
        return g(*args, x=x, **k) + 1

    def stars(x, k):
        return g(*[x, 1], *[2], c=4, **k) + 1

    def mutated(x, k):
        y = g(x, a=1, **k)
        k["new"] = 5
        return g(y, **k, z=1) + len(k)

    def inside(x, k):
        return g(g(x, **k), b=3, **k)

    def under_no_grad(x, k):
        with torch.no_grad():
            y = g(x, a=1, **k)
        return y + 1

    x, h = torch.ones(2), Holder()
    results = [call(compiled(f), x, q=1, w=2) for f in (keyword_first, star_first, keyword_last, named)]
    results.append(call(compiled(star_first), x, 1, 2, q=1))
    results += [call(compiled(f), x, {"k": 1}) for f in (stars, mutated, inside, under_no_grad)]
    results += [call(compiled(f), x, {"a": 1}, {"b": 2}) for f in (h.both, h.between)]
    return [*results, call(compiled(h.passed_on), x, b=2)]


@program(repeatable=False)
def context_manager_that_swallows():
    "A break inside the program's own context manager, which swallows an exception on its second exit."

    class Swallows:
        exits = 0

        def __enter__(self):
            return self

        def __exit__(self, kind, error, traceback):
            self.exits += 1
            return self.exits == 2

    swallows = Swallows()

    def inner(x, flag):
        y = x.cos()
        with swallows:
            y = y + 1
            graph_break()
            if flag:
                raise ValueError("swallowed")
        return y + 1

    def f(x, flag):
        y = x.sin()
        return inner(y, flag).sin()

    f = compiled(f)
    return [f(torch.ones(2), flag) for flag in (False, True, False)]


@program()
def super_around_breaks():
    "super() in a method before and behind a break, in one with a break itself, and in a module's forward."

    class Base:
        def go(self, x):
            y = x + 1
            graph_break()
            return y * 2

    class Derived(Base):
        def go(self, x):
            y = super().go(x)
            graph_break()
            return super().go(y) * 3

    class Model(nn.Linear):
        def forward(self, x):
            print("before")
            y = super().forward(x)
            print("behind")
            return super().forward(y).relu()

    model = Model(2, 2)
    return call(compiled(Derived().go), torch.ones(2)), call(compiled(model), torch.ones(1, 2))
