"""A training step with a compiled optimizer, and a compiled generator."""

import torch

net = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
history = []


@torch.compile
def loss_of(x, y):
    loss = torch.nn.functional.mse_loss(net(x), y)
    history.append(loss.item())
    return loss


@torch.compile
def update():
    optimizer.step()


@torch.compile
def batches(n):
    for _ in range(n):
        yield torch.randn(4, 8), torch.randn(4, 1)


for x, y in batches(3):
    optimizer.zero_grad()
    loss_of(x, y).backward()
    update()
# explain: print(torch._dynamo.explain(loss_of)(x, y))
