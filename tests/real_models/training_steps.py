"""Steps of training that people compile as a whole, on torch alone."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from .suite import model, numbers

__all__ = []


class Convolution(torch.nn.Module):
    """A layer of a graph convolution network: the mean over a node's neighbours."""

    def __init__(self, ins, outs):
        super().__init__()
        self.linear = torch.nn.Linear(ins, outs)

    def forward(self, x, edges):
        source, target = edges
        sums = torch.zeros_like(x).index_add_(0, target, x[source])
        degrees = torch.bincount(target, minlength=x.shape[0]).clamp(min=1)
        return self.linear(sums / degrees.unsqueeze(1))


@model()
def gcn(compiled):
    """A graph convolution network, on graphs of two sizes."""
    layers = torch.nn.ModuleList([Convolution(6, 6), Convolution(6, 3)])

    @compiled
    def network(x, edges):
        return layers[1](torch.relu(layers[0](x, edges)), edges).log_softmax(-1)

    def calls():
        found = []
        for nodes in (7, 9):
            result = network(torch.randn(nodes, 6), numbers(2, 3 * nodes, below=nodes))
            result[:, 0].sum().backward()
            found.append(result)
        return found, [one.grad for one in layers.parameters()]

    return calls


class Recommender(torch.nn.Module):
    """As DLRM: embedded categories, a network of numbers, and the products of all pairs."""

    def __init__(self):
        super().__init__()
        self.tables = torch.nn.ModuleList([torch.nn.EmbeddingBag(20, 4, mode="sum") for _ in range(3)])
        self.dense = torch.nn.Sequential(torch.nn.Linear(5, 4), torch.nn.ReLU())
        self.out = torch.nn.Linear(6 + 4, 1)

    def forward(self, x, bags, offsets):
        known = torch.stack([self.dense(x), *(table(bag, offsets) for table, bag in zip(self.tables, bags))], 1)
        row, column = torch.triu_indices(4, 4, 1)
        pairs = torch.bmm(known, known.transpose(1, 2))[:, row, column]
        return self.out(torch.cat([known[:, 0], pairs], 1)).squeeze(1)


@model()
def dlrm(compiled):
    """A recommendation model, two steps of training."""
    network = Recommender()
    adagrad = torch.optim.Adagrad(network.parameters(), lr=0.05)
    run = compiled(network)

    def calls():
        losses = []
        for size in (4, 6):
            bags = [numbers(2 * size, below=20) for _ in range(3)]
            result = run(torch.randn(size, 5), bags, torch.arange(0, 2 * size, 2))
            loss = F.binary_cross_entropy_with_logits(result, torch.ones(size))
            loss.backward()
            adagrad.step()
            adagrad.zero_grad()
            losses.append(loss.detach())
        return losses, list(network.parameters())

    return calls


@model()
def gan_step(compiled):
    """Two networks against each other: a step compiled as a whole, with both backwards in it."""
    maker = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.ReLU(), torch.nn.Linear(8, 4))
    judge = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.LeakyReLU(0.2), torch.nn.Linear(8, 1))
    makers, judges = (torch.optim.SGD(one.parameters(), lr=0.1) for one in (maker, judge))

    @compiled
    def step(real, noise):
        fake = maker(noise)
        loss = F.softplus(judge(fake.detach())).mean() + F.softplus(-judge(real)).mean()
        judges.zero_grad()
        loss.backward()
        judges.step()
        makers.zero_grad()
        made = F.softplus(-judge(fake)).mean()
        made.backward()
        makers.step()
        return loss.detach(), made.detach()

    def calls():
        losses = [step(torch.randn(5, 4), torch.randn(5, 3)) for _ in range(2)]
        return losses, list(maker.parameters()), list(judge.parameters())

    return calls


@model()
def policy_gradient(compiled):
    """A game that is played step by step with a compiled policy, and learned from."""
    policy = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))
    adam = torch.optim.Adam(policy.parameters(), lr=0.01)
    act = compiled(lambda state: policy(state).log_softmax(-1))

    def calls():
        rewards = []
        for length in (3, 4):
            state, kept = torch.zeros(2), []
            for _ in range(length):
                chances = act(state)
                action = int(chances.argmax())
                state = state + torch.tensor([1.0, -1.0]) * (1 if action else -1)
                kept.append(chances[action] * float(state.sum() + action))
            adam.zero_grad()
            (-torch.stack(kept).sum()).backward()
            adam.step()
            rewards.append(len(kept))
        return rewards, list(policy.parameters())

    return calls


class Block(torch.nn.Module):
    """A layer of a GPT, with attention as torch has it."""

    def __init__(self, size):
        super().__init__()
        self.norms = torch.nn.ModuleList([torch.nn.LayerNorm(size) for _ in range(2)])
        self.qkv, self.out = torch.nn.Linear(size, 3 * size), torch.nn.Linear(size, size)
        wide = 2 * size
        self.mlp = torch.nn.Sequential(torch.nn.Linear(size, wide), torch.nn.GELU(), torch.nn.Linear(wide, size))

    def forward(self, x):
        q, k, v = self.qkv(self.norms[0](x)).unflatten(-1, (3, 2, -1)).permute(2, 0, 3, 1, 4)
        x = x + self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))
        return x + self.mlp(self.norms[1](x))


@model()
def gpt_with_amp(compiled):
    """A GPT under autocast: gradients of two small batches are accumulated, then clipped, then a step of AdamW."""
    words = torch.nn.Embedding(30, 16)
    network = torch.nn.Sequential(words, Block(16), Block(16), torch.nn.LayerNorm(16), torch.nn.Linear(16, 30))
    adam = torch.optim.AdamW(network.parameters(), lr=1e-3)
    run = compiled(network)

    def calls():
        losses = []
        for length in (6, 8):
            for _ in range(2):
                text = numbers(2, length, below=30)
                with torch.autocast(text.device.type, dtype=torch.bfloat16):
                    loss = F.cross_entropy(run(text).flatten(0, 1), text.flatten()) / 2
                loss.backward()
                losses.append(loss.detach())
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            adam.step()
            adam.zero_grad()
        return losses, list(network.parameters())

    return calls
