"""A function with a branch on a tensor, forward and backward."""

import torch


@torch.compile
def toy_example(a, b):
    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b


for _ in range(8):
    a = torch.randn(10, requires_grad=True)
    toy_example(a, torch.randn(10)).sum().backward()
# explain: print(torch._dynamo.explain(toy_example)(torch.randn(10), torch.randn(10)))
