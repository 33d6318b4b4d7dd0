"""Models that need no package but torch."""

from __future__ import annotations

import os

import torch

from .suite import model

__all__ = []


@model()
def transformer_masked(compiled):
    """nn.Transformer with a causal mask and a padding mask, in training and in evaluation."""
    network = torch.nn.Transformer(16, 2, 1, 1, 32, dropout=0.0, batch_first=True)
    run = compiled(network)

    def calls():
        source, target = torch.randn(2, 5, 16), torch.randn(2, 4, 16)
        mask = torch.nn.Transformer.generate_square_subsequent_mask(4)
        padding = torch.zeros(2, 5, dtype=torch.bool)
        padding[0, 3:] = True
        first = run(source, target, tgt_mask=mask, src_key_padding_mask=padding, tgt_is_causal=True)
        first.sum().backward()
        network.eval()
        with torch.no_grad():
            second = run(source, target, tgt_mask=mask, src_key_padding_mask=padding, tgt_is_causal=True)
        return first, second, [parameter.grad for parameter in network.parameters()]

    return calls


class Tagger(torch.nn.Module):
    """An LSTM over words, with a print for those who look on."""

    def __init__(self) -> None:
        super().__init__()
        self.words = torch.nn.Embedding(50, 8)
        self.lstm = torch.nn.LSTM(8, 8, num_layers=2, batch_first=True, bidirectional=True)
        self.out = torch.nn.Linear(16, 4)

    def forward(self, words, state=None):
        hidden, state = self.lstm(self.words(words), state)
        scores = self.out(hidden)
        if scores.abs().max().item() > 100:
            print("scores have exploded")
        return scores.log_softmax(-1), state


@model()
def lstm_tagger(compiled):
    """A bidirectional LSTM that looks at a number; sentences of three lengths, the state carried on."""
    network = compiled(Tagger())

    def calls():
        found, state = [], None
        for length in (5, 5, 7, 3):
            scores, state = network(torch.arange(2 * length).view(2, length), state)
            found.append(scores)
            state = tuple(one.detach() for one in state)
        return found, state

    return calls


@model()
def compiled_adam(compiled):
    """Three training steps: the model's forward and backward, and Adam's step, compiled each by itself."""
    network = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.GELU(), torch.nn.LayerNorm(8), torch.nn.Linear(8, 2))
    adam = torch.optim.Adam(network.parameters(), lr=0.01)
    run = compiled(network)

    @compiled
    def step():
        adam.step()

    def calls():
        losses = []
        for _ in range(3):
            adam.zero_grad()
            loss = torch.nn.functional.cross_entropy(run(torch.randn(5, 6)), torch.tensor([0, 1, 1, 0, 1]))
            loss.backward()
            step()
            losses.append(loss.detach())
        return losses, list(network.parameters())

    return calls


class Mixer(torch.nn.Module):
    """Large enough for DDP to cut its graph into buckets of 1 MiB."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks = torch.nn.ModuleList([torch.nn.Linear(512, 512) for _ in range(3)])

    def forward(self, x):
        for block in self.blocks:
            x = torch.relu(block(x)) + x
        return x


@model(ranks=2)
def ddp_gloo(compiled):
    """DistributedDataParallel on two ranks over gloo: two training steps, their gradients averaged."""
    import torch.distributed as dist

    dist.init_process_group("gloo", init_method=os.environ["MODELS_STORE"], rank=int(os.environ["RANK"]),
                            world_size=int(os.environ["WORLD_SIZE"]))  # fmt: skip
    network = torch.nn.parallel.DistributedDataParallel(Mixer(), bucket_cap_mb=1)
    run = compiled(network)

    def calls():
        for _ in range(2):
            run(torch.randn(2, 512) + dist.get_rank()).sum().backward()
        return [parameter.grad for parameter in network.parameters()]

    return calls
