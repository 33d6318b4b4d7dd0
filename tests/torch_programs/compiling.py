"""Ways to compile: backends, shapes, recompilation, whole graphs, modes, stances, caches, export."""

from __future__ import annotations

import os
import tempfile

import torch
from torch import nn

from .suite import call, compiled, program

EVERY_BACKEND = ("eager", "aot_eager", "inductor")


def toy(a, b):
    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b


@program(backend=EVERY_BACKEND)
def toy_example():
    "The example of the documentation: a branch on data, both ways."
    f = compiled(toy)
    return [call(f, torch.arange(10.0), sign * torch.ones(10)) for sign in (1, -1)]


@program(backend=EVERY_BACKEND)
def toy_with_gradients():
    "The same, backward too."
    a, b = torch.arange(10.0, requires_grad=True), -torch.ones(10, requires_grad=True)
    b.retain_grad()
    result = call(compiled(toy), a, b)
    result.sum().backward()
    return result, a.grad, b.grad


@program(backend=("eager", "inductor"))
def dynamic_shapes():
    "dynamic=True: one graph for all lengths."
    f = compiled(lambda x: x.sum() * x.shape[0] + x, dynamic=True)
    return [call(f, torch.ones(n)) for n in (3, 4, 7)]


@program()
def shapes_become_dynamic():
    "The second length makes the size a symbol (automatic dynamic)."
    f = compiled(lambda x: x.view(-1) * x.size(0))
    return [call(f, torch.ones(n, 2)) for n in (3, 4, 5, 6)]


@program(needs="torch._dynamo.mark_dynamic")
def marked_dynamic():
    "mark_dynamic on one dimension."
    x = torch.ones(4, 3)
    torch._dynamo.mark_dynamic(x, 0)
    f = compiled(lambda x: x.relu().sum(0) + x.shape[0])
    return call(f, x), call(f, torch.ones(9, 3))


@program()
def recompile():
    "Another dtype, rank, number, type: compiled again each time; earlier entries stay."

    def scaled(x, s):
        return x.sin() * s

    f = compiled(scaled)
    inputs = [(torch.ones(3), 1), (torch.ones(3, dtype=torch.float64), 1), (torch.ones(3, 1), 1), (torch.ones(3), 2.5)]
    return [call(f, *each) for each in [*inputs, *inputs]]


@program(index="what other inputs need is not compiled any more")
def recompile_up_to_the_limit():
    "More variants than Dynamo keeps: it gives up and runs the function as it is."
    settings = torch._dynamo.config
    name = "recompile_limit" if hasattr(settings, "recompile_limit") else "cache_size_limit"
    before = getattr(settings, name)
    setattr(settings, name, 3)
    try:
        f = compiled(lambda x, s: x + len(s))
        return [call(f, torch.ones(2), "s" * n) for n in range(6)]
    finally:
        setattr(settings, name, before)


@program()
def whole_graph():
    "fullgraph=True."
    return call(compiled(lambda x, *, k=2: x * k, fullgraph=True), torch.ones(2), k=3)


@program(raises="Unsupported", index="Calls that raised: 1")
def whole_graph_refused():
    "fullgraph=True and a graph break: torch's own error."

    def f(x):
        torch._dynamo.graph_break()
        return x

    return compiled(f, fullgraph=True)(torch.ones(2))


@program(backend="inductor")
def mode_reduce_overhead():
    "mode=reduce-overhead, which has a backend of its own."
    return call(torch.compile(lambda x: x.exp() - 1, mode="reduce-overhead"), torch.ones(3))


@program(backend="inductor")
def options_of_inductor():
    "options= for Inductor."
    f = torch.compile(lambda x: (x * 2).relu(), options={"epilogue_fusion": True})
    return call(f, torch.ones(3))


@program()
def backend_of_ones_own():
    "A function as backend, which returns a bound method."

    def backend(graph_module, example_inputs):
        return graph_module.forward

    return call(torch.compile(lambda x: x + 1, backend=backend), torch.ones(3))


@program(raises="BackendCompilerFailed")
def backend_that_fails():
    "A backend which raises."

    def backend(graph_module, example_inputs):
        raise RuntimeError("no such device")

    return torch.compile(lambda x: x + 1, backend=backend)(torch.ones(3))


@program()
def suppressed_errors():
    "A backend which raises, and suppress_errors: the function runs as it is."

    def backend(graph_module, example_inputs):
        raise RuntimeError("no such device")

    torch._dynamo.config.suppress_errors = True
    return torch.compile(lambda x: x + 1, backend=backend)(torch.ones(3))


@program(needs="torch.compiler.disable")
def disabled_function():
    "torch.compiler.disable on a callee: a graph break on both sides of it."

    @torch.compiler.disable
    def secret(x):
        return x.flip(0)

    def f(x):
        return secret(x + 1) * 2

    return call(compiled(f), torch.arange(3.0))


@program(needs="torch.compiler.disable")
def disabled_and_not_recursive():
    "disable(recursive=False): callees are compiled again."

    def inner(x):
        return x.sin() + 1

    @torch.compiler.disable(recursive=False)
    def outer(x):
        return inner(x) * 2

    return call(compiled(lambda x: outer(x) + 1), torch.arange(3.0))


@program(needs="torch.compiler.set_stance")
def stances():
    "set_stance: force_eager, fail_on_recompile, eager_on_recompile."
    f = compiled(lambda x: x + 1)
    with torch.compiler.set_stance("force_eager"):
        found = [f(torch.ones(2))]
    found.append(f(torch.ones(2)))
    with torch.compiler.set_stance("eager_on_recompile"):
        found.append(f(torch.ones(2, dtype=torch.float64)))
    with torch.compiler.set_stance("fail_on_recompile"):
        try:
            f(torch.ones(2, dtype=torch.int32))
        except RuntimeError as error:
            found.append(type(error).__name__)
    return found


@program(needs="torch.compiler.is_compiling")
def asks_whether_it_is_compiled():
    "is_compiling() within."

    def f(x):
        return x + 1 if torch.compiler.is_compiling() else x - 1

    return call(compiled(f), torch.ones(2)), f(torch.ones(2))


class Block(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.inner = nn.Linear(width, width)

    def forward(self, x):
        return x + self.inner(x).relu()


@program(backend="aot_eager")
def regional_compilation():
    "Each layer of a model compiled by itself: one code, one compilation for all."
    layers = nn.Sequential(*[Block() for _ in range(3)])
    for layer in layers:
        layer.compile(backend="aot_eager")
    x = torch.ones(2, 4, requires_grad=True)
    loss = layers(x).sum()
    loss.backward()
    return loss, x.grad


@program()
def module_compiled_in_place():
    "nn.Module.compile()."
    model = Block()
    model.compile(backend="eager")
    return call(model, torch.ones(2, 4)), list(model.state_dict())


@program(needs="torch.export.export")
def export():
    "torch.export, and the exported program run."
    exported = torch.export.export(Block(), (torch.ones(2, 4),))
    module = exported.module() if hasattr(exported, "module") else exported
    return module(torch.ones(2, 4)), [str(node.op) for node in exported.graph.nodes]


@program(needs=("torch.export.export", "torch.export.Dim"))
def export_with_dynamic_shapes():
    "torch.export with a batch dimension of any size."
    exported = torch.export.export(Block(), (torch.ones(3, 4),), dynamic_shapes=({0: torch.export.Dim("batch")},))
    return exported.module()(torch.ones(5, 4))


@program(needs="torch._dynamo.aot_compile", backend="inductor")
def compiled_ahead_of_time():
    "torch.compile(f, fullgraph=True).aot_compile(inputs)."
    f = compiled(lambda x: x.sin() + 1, fullgraph=True).aot_compile(((torch.ones(3),), {}))
    return f(torch.ones(3))


@program(backend="inductor", new_process=True)
def cache_of_graphs_hit():
    "The FX graph cache and AOTAutograd's: the second compilation of the same is a hit, where torch has them."
    from torch._dynamo.utils import counters

    os.environ["TORCHINDUCTOR_CACHE_DIR"] = tempfile.mkdtemp(dir=os.getcwd())
    torch._inductor.config.fx_graph_cache = True
    if hasattr(torch._functorch.config, "enable_autograd_cache"):
        torch._functorch.config.enable_autograd_cache = True
    found = []
    for _ in range(2):
        torch._dynamo.reset()
        found.append(torch.compile(lambda x: x.cos() * 3)(torch.ones(4)))
    hits = {key: n for part in ("inductor", "aot_autograd") for key, n in counters[part].items() if "cache" in key}
    return found, sorted(hits.items())


@program(backend="inductor")
def inductor_model():
    "A model with normalisation, forward and backward."
    model = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.LayerNorm(8), nn.Linear(8, 1))
    loss = call(compiled(model), torch.randn(3, 4)).sum()
    loss.backward()
    return loss, [parameter.grad for parameter in model.parameters()]


@program(backend="inductor")
def inductor_in_place():
    "Inputs changed in place, views of them returned."

    def f(x, y):
        x.mul_(2)
        y[0] = x.sum()
        return x[1:], y + 1

    x, y = torch.arange(4.0), torch.zeros(3)
    return call(compiled(f), x, y), x, y


@program()
def state_dict_of_the_compiled():
    "A compiled module's state is saved and loaded into another."
    one, other = compiled(Block()), compiled(Block())
    path = os.path.join(tempfile.mkdtemp(dir=os.getcwd()), "state")
    torch.save(one.state_dict(), path)
    other.load_state_dict(torch.load(path))
    return call(one, torch.ones(2, 4)), call(other, torch.ones(2, 4))


@program(index=r"0/0 \(dropped by torch\._dynamo\.reset\(\)\)")
def reset_in_between():
    "torch._dynamo.reset() drops what was compiled; the next call compiles anew."
    f = compiled(lambda x: x * 2)
    first = f(torch.ones(2))
    torch._dynamo.reset()
    return first, call(f, torch.ones(2))


@program()
def compiled_twice():
    "The same function compiled with two backends: two entries, each its own."

    def f(x):
        return x.sigmoid()

    return torch.compile(f, backend="eager")(torch.ones(2)), torch.compile(f, backend="aot_eager")(torch.ones(2))
