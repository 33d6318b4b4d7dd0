"""Ordinary ways to train, all of whose calls are compared: the results are the same, and nothing is wrong."""

from __future__ import annotations

import contextlib

import pytest

torch = pytest.importorskip("torch")

import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402
from torch.utils.checkpoint import checkpoint  # noqa: E402

import depyf  # noqa: E402

PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def layers():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 6), nn.GELU(), nn.LayerNorm(6), nn.Linear(6, 3))


def gradients(module):
    return [one.grad for one in module.parameters()]


@program
def cell_in_a_loop():
    cell, h, means = nn.GRUCell(4, 6), torch.zeros(3, 6), []
    compiled = torch.compile(cell)
    for _ in range(3):
        h = compiled(torch.randn(3, 4), h)
        means.append(h.mean())
    torch.stack(means).sum().backward()
    return gradients(cell)


@program
def two_inputs_of_one_model():
    model = layers()
    compiled = torch.compile(model)
    F.cosine_similarity(compiled(torch.randn(5, 4)), compiled(torch.randn(5, 4))).mean().backward()
    return gradients(model)


@program
def accumulated_gradients():
    model = layers()
    compiled, optimizer = torch.compile(model), torch.optim.AdamW(model.parameters())
    for _ in range(2):
        for _ in range(2):
            compiled(torch.randn(5, 4)).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    return list(model.parameters())


@program
def autocast_outside():
    """The backward is outside of it."""
    model = layers()
    compiled = torch.compile(model)
    for _ in range(2):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = compiled(torch.randn(5, 4)).float().square().mean()
        loss.backward()
    return gradients(model)


@program
def checkpoints():
    """The forward is called again in the backward."""
    x, compiled = torch.randn(5, 4, requires_grad=True), torch.compile(layers())
    checkpoint(compiled, x, use_reentrant=False).sum().backward()
    return [x.grad]


@program
def a_gradient_that_a_hook_changes():
    x, compiled = torch.randn(5, 4, requires_grad=True), torch.compile(layers())
    x.register_hook(lambda gradient: gradient * 2)
    compiled(x).sum().backward()
    return [x.grad]


@program
def views_of_one_input():
    x, compiled = torch.randn(6, 4, requires_grad=True), torch.compile(lambda a, b: a * b.sin())
    compiled(x[:3], x[3:]).sum().backward()
    return [x.grad]


@program
def a_leaf_that_is_a_view():
    x = torch.randn(9)[:5].requires_grad_()
    torch.compile(lambda a: a.sin() * a)(x).sum().backward()
    return [x.grad]


@program
def a_loss_of_one_result():
    x, compiled = torch.randn(5, requires_grad=True), torch.compile(lambda a: (a.sin(), a.cos(), a))
    compiled(x)[1].sum().backward()
    return [x.grad]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_training_loop_is_no_alarm(tmp_path, name):
    results = []
    for watched in (contextlib.nullcontext(), depyf.compare(tmp_path, every=1)):
        torch._dynamo.reset()
        torch.manual_seed(1)
        with watched as report:
            results.append(PROGRAMS[name]())
    assert all(torch.equal(*pair) for pair in zip(*results))
    assert report.findings == []
    compared = [one.outputs for one in report.verdicts if one.graph.endswith(" gradients") and "call" not in one.graph]
    assert compared and all(done for done, _ in compared)
    assert not any("Error" in reason for one in report.verdicts for reason in one.unchecked)
