"""sys.exit in a compiled function."""

import sys

import torch


@torch.compile(backend="eager")
def f(x):
    y = x + 1
    sys.exit(6)
    return y


f(torch.ones(2))
