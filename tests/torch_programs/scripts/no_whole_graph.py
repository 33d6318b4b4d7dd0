"""A branch on data under fullgraph=True: the call raises."""

import torch


@torch.compile(backend="eager", fullgraph=True)
def f(x):
    if x.sum() > 0:
        return x + 1
    return x


f(torch.ones(2))
