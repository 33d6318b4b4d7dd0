"""A compiled module that is saved whole, loaded and copied."""

import copy

import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(2, 2)

    def forward(self, x):
        return self.linear(x)


torch.manual_seed(0)
net = Net()
net.compile(backend="eager")
net(torch.ones(1, 2))
torch.save(net, "whole.pt")
again = torch.load("whole.pt", weights_only=False)
print(type(again) is Net, again(torch.ones(1, 2)), copy.deepcopy(net)(torch.ones(1, 2)))
