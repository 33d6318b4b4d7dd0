"""A function that is called with other sizes, numbers, flags and globals."""

import torch

FACTOR = 2


@torch.compile
def scale(x, power, training):
    y = x.sin() * FACTOR
    y = y**power
    return y.sum(0) if training else y


for size in (4, 5, 6):
    scale(torch.randn(size, 8), 2, True)
for power in (3, 4):
    scale(torch.randn(6, 8), power, True)
scale(torch.randn(6, 8), 4, False)
FACTOR = 3
scale(torch.randn(6, 8), 4, False)
# explain: print(torch._dynamo.explain(scale)(torch.randn(6, 8), 4, False))
