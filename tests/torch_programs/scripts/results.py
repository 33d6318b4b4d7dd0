"""Training on three sizes, with dropout, gradients and a saved state."""

import hashlib
import random

import torch

torch.manual_seed(0)
random.seed(0)
net = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Dropout(0.5), torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)


@torch.compile(backend="aot_eager")
def step(x):
    loss = net(x).square().mean()
    if loss > 100:
        loss = loss / 2
    return loss


for size in (4, 5, 6):
    loss = step(torch.randn(size, 8))
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(loss.item().hex())
torch.save(net.state_dict(), "net.pt")
with open("net.pt", "rb") as file:
    print(random.random(), torch.rand(1).item().hex(), hashlib.md5(file.read()).hexdigest())
