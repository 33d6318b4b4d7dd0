"""The rest of depyf's side of torch: debug, install, inspect, dump_src, the dispatcher, options of prepare_debug."""

from __future__ import annotations

import torch
from torch import nn

from .suite import call, compiled, program, running

graph_break = torch._dynamo.graph_break


def toy(a, b):
    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 3)

    def forward(self, x):
        y = self.inner(x)
        graph_break()
        return y.relu()


@program(watch="debug", backend=("eager", "aot_eager"))
def debug():
    "depyf.debug() around further calls: what was compiled runs, nothing new is compiled."
    f = compiled(toy)
    return [call(f, torch.ones(10), sign * torch.ones(10)) for sign in (1, -1)]


@program(watch="debug")
def debug_a_module():
    "The same for a module."
    return call(compiled(Model()), torch.ones(2, 3))


@program(watch="debug", backend="aot_eager")
def debug_backward():
    "The same with gradients: breakpoints in forward and backward graphs are hit, one before a break included."
    f = compiled(Model())

    def step(x):
        result = f(x).sum()
        result.backward()
        return result, x.grad

    return call(step, torch.ones(2, 3, requires_grad=True))


@program(watch="debug", backend=("eager", "aot_eager"))
def debug_an_operator_that_fails():
    "The operator's error has the words that torch gives it, wherever it is raised."

    def f(x, index):
        return (x + 1)[index] * 2

    f = compiled(f)
    results = [call(f, torch.ones(3), torch.tensor([2]))]
    for index in 3, 2:
        try:
            results.append(call(f, torch.ones(3), torch.tensor([index])))
        except (IndexError, RuntimeError) as error:
            results.append(str(error).splitlines())
    return results


@program(watch="install", backend=("eager", "aot_eager"))
def install():
    "depyf.install() before, uninstall() behind."
    f = compiled(toy)
    return [call(f, torch.ones(10), sign * torch.ones(10)) for sign in (1, -1)]


@program(watch="inspect", backend=("eager", "aot_eager", "inductor"))
def inspect_function():
    "depyf.inspect and dump_src of a function, after the fact."
    f = compiled(toy)
    return [call(f, torch.ones(10), sign * torch.ones(10)) for sign in (1, -1)]


@program(watch="inspect")
def inspect_module():
    "The same of a compiled module."
    return call(compiled(Model()), torch.ones(2, 3))


@program(watch="inspect")
def inspect_closure():
    "The same of a closure with an entry for each shape."
    k = torch.ones(1)

    def f(x):
        y = x + k
        graph_break()
        return y * 2

    f = compiled(f)
    return [call(f, torch.ones(*shape)) for shape in ((2,), (2, 2))]


@program(watch="inspect")
def inspect_method():
    "The same of a bound method."

    class Holder:
        weight = torch.ones(2)

        def apply(self, x):
            return x * self.weight

    return call(compiled(Holder().apply), torch.ones(2))


@program(log_bytecode=True)
def bytecode_listed():
    "prepare_debug(log_bytecode=True)."
    return call(compiled(toy), torch.ones(10), -torch.ones(10))


@program(clean_wild_fx_code=False, backend="aot_eager")
def generated_code_kept():
    "prepare_debug(clean_wild_fx_code=False)."
    return call(compiled(toy), torch.ones(10), -torch.ones(10))


@program(watch="dispatcher")
def dispatcher():
    "depyf.optimization: compiled code chosen by hand; without depyf, the compiled method itself."

    class Plain:
        def __init__(self):
            self.scale = 2

        def forward(self, x):
            return x.abs() * self.scale

    if not running.watched:
        f = compiled(Plain().forward)
        return [f(-torch.ones(2)) for _ in range(3)]
    from depyf.optimization import TorchCompileWrapperWithCustomDispatcher

    class Dispatched(TorchCompileWrapperWithCustomDispatcher):
        def __init__(self):
            self.scale = 2
            super().__init__(compiled(self.forward))

        def forward(self, x):
            return x.abs() * self.scale

        def __call__(self, x):
            if not self.compiled_codes:
                return self.compiled_callable(x)
            with self.dispatch_to_code(0):
                return self.forward(x)

    model = Dispatched()
    return [model(-torch.ones(2)) for _ in range(3)]


@program(watch="install")
def decompiled_in_a_hook():
    "decompile(code) on each of Dynamo's codes, unguarded, in a hook as vLLM has it."
    texts = []

    def hook(code, new_code):
        if running.watched:
            import depyf

            texts.append(depyf.decompile(new_code))

    handle = torch._dynamo.convert_frame.register_bytecode_hook(hook)
    try:
        result = call(compiled(Model()), torch.ones(2, 3))
    finally:
        handle.remove()
    assert all(isinstance(text, str) and text for text in texts)
    return result
