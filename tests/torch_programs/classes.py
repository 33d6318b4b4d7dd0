"""nn.Module: hooks, buffers, inheritance, containers, lazy, shared and parametrized parameters; tensor subclasses."""

from __future__ import annotations

import torch
from torch import nn

from .suite import call, compiled, program

graph_break = torch._dynamo.graph_break


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(1))
        self.calls = 0

    def forward(self, x):
        self.count += 1
        self.calls += 1
        return x * self.count + self.calls


@program(repeatable=False)
def buffers_changed():
    "A buffer and an attribute change with each call."
    model = Counting()
    f = compiled(model)
    return call(f, torch.ones(2)), call(f, torch.ones(2)), model.count, model.calls


@program()
def hooks():
    "Forward hooks, before and behind, of the model and of a layer."
    model = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
    seen = []
    model.register_forward_hook(lambda module, inputs, output: output + 1)
    model[0].register_forward_pre_hook(lambda module, inputs: (inputs[0] * 2,))
    model[1].register_forward_hook(lambda module, inputs, output: seen.append(1))
    return compiled(model)(torch.ones(2, 3)), seen


@program(backend="aot_eager")
def backward_hooks():
    "Hooks on the gradients of a tensor and of a module."
    model = nn.Linear(3, 3)
    seen = []
    model.register_full_backward_hook(lambda module, inputs, outputs: seen.append(outputs[0].shape))
    x = torch.ones(2, 3, requires_grad=True)
    x.register_hook(lambda gradient: gradient * 2)
    compiled(lambda x: model(x).sum())(x).backward()
    return x.grad, seen


class Base(nn.Module):
    def forward(self, x):
        return x + 1


class Derived(Base):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2))

    def forward(self, x, *, scale=2.0):
        y = super().forward(x) * self.weight
        graph_break()
        return super().forward(y) * scale


@program()
def inherited_forward():
    "super().forward, before and behind a break."
    return call(compiled(Derived()), torch.ones(2), scale=3.0)


class Nested(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(2, 2) for _ in range(3)])
        self.kinds = nn.ModuleDict({"a": nn.Tanh(), "b": nn.Sigmoid()})
        self.scales = nn.ParameterList([nn.Parameter(torch.ones(1)) for _ in range(3)])

    def forward(self, x):
        for i, layer in enumerate(self.layers):
            x = self.kinds["ab"[i % 2]](layer(x)) * self.scales[i]
        return x


@program(backend="aot_eager")
def module_containers():
    "ModuleList, ModuleDict, ParameterList."
    model = Nested()
    loss = call(compiled(model), torch.ones(3, 2)).sum()
    loss.backward()
    return loss, [parameter.grad for parameter in model.parameters()]


@program()
def train_and_eval():
    "Dropout and batch normalisation, training and not: compiled for each."
    model = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3), nn.Dropout(0.5))
    f = compiled(model)
    found = [f(torch.ones(2, 3))]
    model.eval()
    return [*found, call(f, torch.ones(2, 3))], model[1].running_mean


@program(backend="aot_eager")
def shared_weights():
    "One parameter in two layers."
    one, other = nn.Linear(3, 3), nn.Linear(3, 3)
    other.weight = one.weight
    model = nn.Sequential(one, other)
    compiled(model)(torch.ones(2, 3)).sum().backward()
    return one.weight.grad, other.bias.grad


@program()
def attention():
    "MultiheadAttention, and a transformer's layer."
    layer = nn.TransformerEncoderLayer(4, 2, 8, 0.0, batch_first=True)
    return call(compiled(layer), torch.ones(1, 3, 4))


@program()
def recurrent():
    "An LSTM; torch leaves it to itself."
    return call(compiled(nn.LSTM(2, 3)), torch.ones(4, 1, 2))


@program()
def weight_norm():
    "A parametrization computes the weight."
    model = nn.utils.parametrizations.weight_norm(nn.Linear(3, 2))
    return compiled(model)(torch.ones(2, 3))


@program()
def tied_function_of_a_module():
    "A method other than forward."

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.Linear(2, 2)

        def encode(self, x, n=2):
            for _ in range(n):
                x = self.inner(x)
            return x

    model = Model()
    return compiled(model.encode)(torch.ones(2)), call(compiled(lambda x: model.encode(x, n=1)), torch.ones(2))


@program()
def attributes_of_the_compiled():
    "A compiled module looks like the module: parameters, attributes, len, training."
    model = compiled(nn.Sequential(nn.Linear(2, 2), nn.ReLU()))
    names = [name for name, _ in model.named_parameters()]
    return names, len(model), model.training, model.get_submodule("0").weight.shape, call(model, torch.ones(2))


class Tagged(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return super().__torch_function__(function, types, args, kwargs or {})


@program()
def tensor_subclass():
    "A subclass with __torch_function__ goes in and comes out."
    f = compiled(lambda x: x.sin() + 1)
    return f(torch.ones(2).as_subclass(Tagged)).as_subclass(torch.Tensor)
