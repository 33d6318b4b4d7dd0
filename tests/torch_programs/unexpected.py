"""What strangers write around a compiled function, and what goes wrong there: refusals that the program passes over,
objects of every kind as inputs, settings, and what is not asked about until it is compiled again.
"""

from __future__ import annotations

import contextvars
import dataclasses
import enum
import functools
import weakref
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.nn.utils import parametrize

from .findings import limited
from .suite import call, compiled, program

graph_break = torch._dynamo.graph_break


# ---- what raised, and went no further


@program(finding=("raised", "if y.sum() > 0:", "Unsupported|UserError", "and the program went on"))
def refusal_that_is_passed_over():
    "As a whole graph where that works, else with breaks."

    def f(x):
        y = x.sin()
        if y.sum() > 0:
            return y + 1
        return y

    whole, broken = compiled(f, fullgraph=True), compiled(f)
    try:
        return whole(torch.ones(3))
    except Exception:
        return call(broken, torch.ones(3))


@program(needs="torch.cond",
         finding=("raised", "return torch.cond(flag, sine, summed, (x,))", "and the program went on"))  # fmt: skip
def branches_that_do_not_fit():
    "torch.cond with results of two shapes."

    def f(x, flag):
        def sine(x):
            return x.sin()

        def summed(x):
            return x.cos().sum()

        return torch.cond(flag, sine, summed, (x,))

    try:
        return compiled(f)(torch.ones(3), torch.tensor(True))
    except Exception:
        return "refused"


def backend_without_an_operation(module: Any, inputs: Any) -> Any:
    raise NotImplementedError("no such operation here")


@program(finding=("raised", "compiled_one = compiled(", "BackendCompilerFailed", "no such operation",
                  "return compiled_one", "and the program went on"))  # fmt: skip
def backend_that_raises_for_each_call():
    "Each call raises, and is passed over."
    compiled_one = compiled(lambda x: x.cos() + 1, backend=backend_without_an_operation)

    def run(x):
        try:
            return compiled_one(x)
        except Exception as error:
            return type(error).__name__

    return run(torch.ones(2)), run(torch.ones(2))


@program(raises="ConstraintViolationError|", finding=("raised?", "", "ConstraintViolationError", "constant"))
def second_refusal_ends_the_program():
    "The first is passed over, the second of the same kind is not."

    def f(x):
        return x.sin() if x.shape[0] == 5 else x.cos()

    def g(x):
        return x.cos() if x.shape[0] == 5 else x.sin()

    def marked():
        x = torch.ones(5, 3)
        torch._dynamo.mark_dynamic(x, 0)
        return x

    try:
        compiled(f)(marked())
    except Exception:
        return compiled(g)(marked())


# ---- objects as inputs


class Mode(enum.Enum):
    SINE = 1
    COSINE = 2


@dataclasses.dataclass
class Batch:
    x: torch.Tensor
    mode: Mode = Mode.SINE


class Pair(NamedTuple):
    x: torch.Tensor
    count: int


@program(finding=("recompile", "y = b.x.sin() if b.mode is Mode.SINE else b.x.cos()", r"b\.mode\b.*Mode\.COSINE"))
def member_of_an_enumeration():
    "A member of an enumeration, in a dataclass."

    def f(b):
        y = b.x.sin() if b.mode is Mode.SINE else b.x.cos()
        return Pair(y, 1)

    f = compiled(f)
    return f(Batch(torch.ones(2))), f(Batch(torch.ones(2), Mode.COSINE))


scale = contextvars.ContextVar("scale", default=1)


@program(finding=("break|recompile?", "return y * scale.get()", r"ContextVar|scale"))
def context_variable():
    "A context variable, which changes."

    def f(x):
        y = x.sin()
        return y * scale.get()

    f = compiled(f)
    first = f(torch.ones(2))
    token = scale.set(3)
    try:
        return first, f(torch.ones(2))
    finally:
        scale.reset(token)


@program(finding=("recompile|break|uncompiled?", "", "table|items"))
def dictionary_with_tensors_as_keys():
    "A table by tensors, as optimizers have, with another key."

    def f(grads, table):
        total = 0
        for one, factor in table.items():
            total = total + grads[one] * factor
        return total

    f, first, second = compiled(f), torch.ones(2), torch.zeros(2)
    return [f({one: torch.ones(2)}, {one: 2}) for one in (first, second)]


class Owner:
    def __init__(self):
        self.weight = torch.ones(2)


class Child:
    def __init__(self, owner):
        self.owner = weakref.ref(owner)


@program(finding=("recompile|break|uncompiled?", "", "owner|weakref|nothing to compile"))
def weak_reference():
    "An object behind a weak reference, which is gone."

    def f(child, x):
        owner = child.owner()
        if owner is None:
            return x * 3
        return x * owner.weight

    f, owner = compiled(f), Owner()
    child = Child(owner)
    first = f(child, torch.ones(2))
    del owner
    return first, f(child, torch.ones(2))


class Wrap(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self.inner, name)

    def forward(self, x):
        return self.inner(x) * self.factor


@program(finding=("recompile|uncompiled?", "", r"inner\)?\.factor\b.* 2\.0\b.* 3\.0|__getattr__"))
def attribute_of_a_wrapped_module():
    "A wrapper that hands on attributes of the module in it."
    model = nn.Linear(2, 2)
    model.factor = 2.0
    f, found = compiled(Wrap(model)), []
    with torch.no_grad():
        for factor in (2.0, 3.0):
            model.factor = factor
            found.append(f(torch.ones(1, 2)))
    return found


class Counting:
    def __init__(self):
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        return x * self.calls


@program(finding=("recompile?", "", r"self\.calls (was|==) 0"), repeatable=False)
def object_that_counts_its_calls():
    "An object that is called, and has a counter."
    f = compiled(Counting(), dynamic=False)
    return [f(torch.ones(2)) for _ in range(3)]


class Symmetric(nn.Module):
    def forward(self, w):
        return w.triu() + w.triu(1).t()


@program(raises="|AttributeError",  # 2.4 without depyf too
         finding=("recompile?", "", r"\bLinear\b.*ParametrizedLinear|parametriz|training"))  # fmt: skip
def parametrized_after_it_was_compiled():
    "A parametrization is registered behind the first call."
    layer = nn.Linear(3, 3)
    f = compiled(layer)
    with torch.no_grad():
        first = f(torch.ones(1, 3))
        parametrize.register_parametrization(layer, "weight", Symmetric())
        return first, f(torch.ones(1, 3))


# ---- settings and counters


@program(needs="torch.compiler.set_stance",  # up to 2.3 or so torch.compile has the last word
         finding=("recompile", "", "automatic_dynamic_shapes = False asks", r"x\.shape\[0\] (was|==) 2"))  # fmt: skip
def sizes_by_a_setting():
    "Each size is compiled by itself, as a setting asks, not dynamic=False."
    f = compiled(lambda x: x.reshape(-1, 2).sum(0))
    with torch._dynamo.config.patch(automatic_dynamic_shapes=False):
        return [call(f, torch.ones(size, 2)) for size in (2, 3, 4)]


class Average(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = 0
        self.register_buffer("average", torch.zeros(2))

    def forward(self, x):
        self.step += 1
        if self.step < 3:
            return x
        self.average.mul_(0.5).add_(x)
        return self.average.clone()


@program(finding=("uncompiled|recompile", "", r"nothing to compile|step"), repeatable=False)
def first_steps_do_nothing():
    "A module that counts its steps, and does nothing in the first two."
    model = Average()
    f = compiled(model)
    return [f(torch.ones(2)) for _ in range(5)]


class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleList([nn.Linear(2, 2) for _ in range(3)])
        self.task = 0

    def forward(self, x):
        return self.heads[self.task](x)


@program(finding=("recompile?", "", r"self\.task (was|==) 0"))
def heads_by_a_number():
    "One of several heads, by a number that the module keeps."
    model = Heads()
    f, found = compiled(model), []
    for task in range(3):
        model.task = task
        found.append(f(torch.ones(1, 2)))
    return found


@functools.lru_cache(maxsize=None)
def table(n):
    return torch.arange(n).float()


@program(finding=("recompile|break?", "", r"\bn\b|x\.shape|lru_cache"))
def table_from_a_cache():
    "A function with a cache that gives a tensor for a size."
    table.cache_clear()
    f = compiled(lambda x: x * table(x.shape[0]))
    return [f(torch.ones(size)) for size in (3, 3, 4)]


@program(finding=("uncompiled", "def f(x):", "limit"))
def settings_hold_no_longer_than_the_limit():
    "The limit is reached with sizes that a setting makes constants."

    def f(x):
        return x.reshape(-1, 2).sum(0)

    with torch._dynamo.config.patch(automatic_dynamic_shapes=False), limited(2):
        f = compiled(f)  # 2.2 keeps the settings of this moment
        return [f(torch.ones(size, 2)) for size in (2, 3, 4, 5)]


# ---- what torch says of it


@program(needs="torch.library.custom_op",
         finding=("break|raised", "return torch.ops.depyf_unexpected.price(x, 3) + 1", r"depyf_unexpected\.price"),
         raises="|Unsupported")  # fmt: skip
def operator_without_a_fake():
    "An operator that can't run with fake tensors: which one it is."
    library = torch.library.Library("depyf_unexpected", "FRAGMENT")
    library.define("price(Tensor x, int n) -> Tensor")
    library.impl("price", lambda x, n: x * n, "CPU")

    def f(x):
        return torch.ops.depyf_unexpected.price(x, 3) + 1

    try:
        return compiled(f)(torch.ones(2))
    finally:
        library._destroy()


class WithDisabledPart(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.compiler.disable(nn.Linear(2, 2))
        self.head = nn.Linear(2, 2)

    def forward(self, x):
        return self.head(self.body(x))


@program(finding=("break|uncompiled?", "return self.head(self.body(x))", r"self\.body\b|disable|DelayGraphBreak"))
def disabled_part():
    "A module in a module, for which the compiler is switched off."
    return compiled(WithDisabledPart())(torch.ones(1, 2))


@program(raises="|RuntimeError",  # up to 2.11 or so nothing of torch's checks the parameters of a module
         finding=("recompile?", "", r"layer\.(bias|weight)\.dtype (was|==) (torch\.)?float32"))  # fmt: skip
def parameters_of_another_dtype():
    "The parameters of a layer get another dtype."
    layer = nn.Linear(2, 2)
    f = compiled(lambda x: layer(x.to(layer.weight.dtype)))
    first = f(torch.ones(1, 2))
    layer.to(torch.float64)
    return first, f(torch.ones(1, 2))
