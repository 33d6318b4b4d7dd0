"""Graphs which call the program's own modules, as those of torch up to 2.5 do: on a page they run all the same."""

import types

import torch

from depyf.explain.graphs.capture import graph_from_module
from depyf.explain.report.page.helpers import HELPERS


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList([torch.nn.Linear(2, 2), torch.nn.ReLU()])
        self.weight = torch.nn.Parameter(torch.full((2,), 3.0))
        self.register_buffer("shift", torch.ones(2))

    def forward(self, x):
        return self.layers[1](self.layers[0](x)) * self.weight + self.shift


class Captured(torch.nn.Module):
    """What torch 2.2 and 2.4 capture of it: the parts under names made of where they are."""

    def __init__(self, model):
        super().__init__()
        self.L__self___layers_0, self.L__self___layers_1 = model.layers
        self.L__self___weight, self.L__self___shift = model.weight, torch.nn.Parameter(model.shift)

    def forward(self, L_x_):
        return (self.L__self___layers_1(self.L__self___layers_0(L_x_)) * self.L__self___weight + self.L__self___shift,)


def test_a_graph_finds_the_modules_of_the_program():
    model, x = Model(), torch.randn(3, 2)
    graph = graph_from_module(torch.fx.symbolic_trace(Captured(model)), "__compiled_fn_0")
    targets = [node.target.rsplit(".", 1)[-1] for node in graph.nodes if node.op.startswith("call_")]
    assert targets == ["Linear", "ReLU", "mul", "add"]
    page = {"torch": torch, "types": types}
    exec(HELPERS["of_program"], page)
    exec(graph.source, page)
    page["of_program"].L = {"x": x, "self": model}
    assert torch.equal(page["__compiled_fn_0"](x)[0], model(x))
