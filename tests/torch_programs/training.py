"""Training: steps, optimizers, compiled autograd, gradients of gradients."""

from __future__ import annotations

import torch
from torch import nn

from .suite import call, compiled, program, running

graph_break = torch._dynamo.graph_break


def model_and_data():
    return nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)), torch.randn(5, 3), torch.randn(5, 1)


@program(backend=("eager", "aot_eager"))
def training_steps():
    "Three steps of SGD on a compiled model."
    model, x, y = model_and_data()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    f = compiled(model)
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(f(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return losses, model


@program(backend="aot_eager")
def training_step_compiled():
    "The whole step compiled, backward and optimizer in it."
    model, x, y = model_and_data()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def step(x, y):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    f = compiled(step)
    return [f(x, y).detach() for _ in range(2)], model


@program()
def optimizer_compiled():
    "The optimizer's step compiled."
    model, x, y = model_and_data()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    step = compiled(optimizer.step)
    for _ in range(2):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        step()
    return model


@program(backend="aot_eager")
def gradients_accumulated():
    "Two backward passes, one step; gradients clipped."
    model, x, y = model_and_data()
    f = compiled(model)
    for part in (slice(0, 2), slice(2, 5)):
        nn.functional.mse_loss(f(x[part]), y[part]).backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 0.1)
    return norm, [parameter.grad for parameter in model.parameters()]


@program()
def gradient_of_a_gradient():
    "create_graph=True behind a compiled function."
    x = torch.ones(3, requires_grad=True)
    (first,) = torch.autograd.grad(call(compiled(lambda x: (x**3).sum()), x), x, create_graph=True)
    first.sum().backward()
    return first, x.grad


@program(needs="torch._dynamo.compiled_autograd")
def compiled_autograd():
    "The backward pass is captured too."
    from torch._dynamo import compiled_autograd as module

    x = torch.ones(3, requires_grad=True)
    loss = compiled(lambda x: (x * 2).sin().sum())(x)
    enable = module._enable if hasattr(module, "_enable") else module.enable
    with enable(torch.compile(backend=running.backend)):
        loss.backward()
    return x.grad


@program(backend="aot_eager")
def backward_within():
    "autograd.grad inside the compiled function."

    def f(x):
        y = (x**2).sum()
        return torch.autograd.grad(y, x)[0] + 1

    return compiled(f)(torch.ones(3, requires_grad=True))


@program(backend="aot_eager")
def detached_and_mixed():
    "detach, requires_grad_ of inputs, outputs which are inputs."

    def f(x, w):
        y = x * w
        return y.detach(), x, (y + x).sum(), w

    x, w = torch.ones(2, requires_grad=True), torch.ones(2)
    results = call(compiled(f), x, w)
    results[2].backward()
    return results, x.grad, results[1] is x, results[3] is w
