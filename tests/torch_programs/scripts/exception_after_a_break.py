"""An exception after a graph break, and a warning that names the caller's line."""

import warnings

import torch


def careful():
    warnings.warn("seen from here", stacklevel=2)


@torch.compile(backend="eager")
def f(x):
    y = x + 1
    torch._dynamo.graph_break()
    careful()
    if y.sum() > 0:
        raise ValueError("inside")
    return y


f(torch.ones(2))
