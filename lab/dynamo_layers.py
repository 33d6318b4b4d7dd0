"""Programs for record_dynamo.py from torch's own modules: layers, losses, transformers built of them, optimizers."""

from __future__ import annotations

from typing import Any, Callable

import torch
from dynamo_programs import PROGRAMS, T, graph_break, program
from torch import nn

F = nn.functional

LAYERS: dict[str, tuple[Callable[[], nn.Module], Callable[[], Any]]] = {
    "Linear": (lambda: nn.Linear(4, 3), lambda: torch.ones(2, 4)),
    "Linear_no_bias": (lambda: nn.Linear(4, 3, bias=False), lambda: torch.ones(2, 4)),
    "Bilinear": (lambda: nn.Bilinear(4, 4, 3), lambda: (torch.ones(2, 4), torch.ones(2, 4))),
    "LazyLinear": (lambda: nn.LazyLinear(3), lambda: torch.ones(2, 4)),
    "Conv1d": (lambda: nn.Conv1d(2, 3, 2), lambda: torch.ones(1, 2, 6)),
    "Conv2d_circular": (lambda: nn.Conv2d(1, 2, 3, padding=1, padding_mode="circular"), lambda: torch.ones(1, 1, 5, 5)),
    "ConvTranspose2d": (lambda: nn.ConvTranspose2d(1, 2, 3), lambda: torch.ones(1, 1, 5, 5)),
    "BatchNorm1d": (lambda: nn.BatchNorm1d(4), lambda: torch.randn(3, 4)),
    "BatchNorm_no_stats": (lambda: nn.BatchNorm1d(4, track_running_stats=False), lambda: torch.randn(3, 4)),
    "InstanceNorm1d": (lambda: nn.InstanceNorm1d(2, affine=True), lambda: torch.randn(1, 2, 4)),
    "GroupNorm": (lambda: nn.GroupNorm(2, 4), lambda: torch.randn(2, 4)),
    "LayerNorm": (lambda: nn.LayerNorm(4), lambda: torch.randn(2, 4)),
    "Embedding": (lambda: nn.Embedding(5, 3, max_norm=1.0), lambda: torch.tensor([1, 2])),
    "EmbeddingBag": (lambda: nn.EmbeddingBag(5, 3), lambda: torch.tensor([[1, 2]])),
    "Dropout": (lambda: nn.Dropout(0.5), lambda: torch.ones(4)),
    "PReLU": (lambda: nn.PReLU(), lambda: torch.randn(4)),
    "RReLU": (lambda: nn.RReLU(), lambda: torch.randn(4)),
    "MaxPool2d": (lambda: nn.MaxPool2d(2, return_indices=True), lambda: torch.ones(1, 1, 4, 4)),
    "AdaptiveAvgPool2d": (lambda: nn.AdaptiveAvgPool2d((2, None)), lambda: torch.ones(1, 1, 4, 4)),
    "Upsample": (lambda: nn.Upsample(scale_factor=2), lambda: torch.ones(1, 1, 4, 4)),
    "Unfold": (lambda: nn.Unfold(2), lambda: torch.ones(1, 1, 4, 4)),
    "RNN": (lambda: nn.RNN(4, 3), lambda: torch.ones(5, 1, 4)),
    "GRU": (lambda: nn.GRU(4, 3, bidirectional=True), lambda: torch.ones(5, 1, 4)),
    "LSTM": (lambda: nn.LSTM(4, 3, proj_size=2), lambda: torch.ones(5, 1, 4)),
    "LSTM_state": (lambda: nn.LSTM(4, 3), lambda: (torch.ones(5, 1, 4), (torch.ones(1, 1, 3), torch.ones(1, 1, 3)))),
    "RNNCell": (lambda: nn.RNNCell(4, 3), lambda: torch.ones(1, 4)),
    "GRUCell": (lambda: nn.GRUCell(4, 3), lambda: torch.ones(1, 4)),
    "LSTMCell": (lambda: nn.LSTMCell(4, 3), lambda: torch.ones(1, 4)),
    "MultiheadAttention": (lambda: nn.MultiheadAttention(4, 2), lambda: (torch.ones(3, 1, 4),) * 3),
    "MultiheadAttention_kdim": (
        lambda: nn.MultiheadAttention(4, 2, kdim=3, vdim=5, add_bias_kv=True),
        lambda: (torch.ones(3, 1, 4), torch.ones(3, 1, 3), torch.ones(3, 1, 5)),
    ),
    "TransformerEncoder": (
        lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, 0.0, norm_first=True), 2, nn.LayerNorm(4)),
        lambda: torch.ones(3, 1, 4),
    ),
    "TransformerDecoderLayer": (lambda: nn.TransformerDecoderLayer(4, 2, 8, 0.0), lambda: (torch.ones(3, 1, 4),) * 2),
    "TransformerDecoder": (
        lambda: nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 8, 0.0, "gelu"), 2),
        lambda: (torch.ones(3, 1, 4),) * 2,
    ),
    "Transformer": (lambda: nn.Transformer(4, 2, 1, 1, 8, 0.0), lambda: (torch.ones(3, 1, 4),) * 2),
    "weight_norm": (lambda: nn.utils.weight_norm(nn.Linear(4, 3)), lambda: torch.ones(2, 4)),
    "parametrized": (lambda: nn.utils.parametrizations.weight_norm(nn.Linear(4, 3)), lambda: torch.ones(2, 4)),
    "spectral_norm": (lambda: nn.utils.parametrizations.spectral_norm(nn.Linear(4, 3)), lambda: torch.ones(2, 4)),
    "AdaptiveLogSoftmax": (
        lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 6, [2]),
        lambda: (torch.ones(3, 4), torch.tensor([0, 3, 5])),
    ),
    "CosineSimilarity": (lambda: nn.CosineSimilarity(), lambda: (torch.ones(2, 3), torch.ones(2, 3))),
    "CrossEntropyLoss": (lambda: nn.CrossEntropyLoss(torch.ones(3)), lambda: (torch.ones(2, 3), torch.tensor([0, 2]))),
    "CTCLoss": (
        lambda: nn.CTCLoss(),
        lambda: (torch.zeros(4, 1, 3), torch.tensor([[1]]), torch.tensor([4]), torch.tensor([1])),
    ),
    "TripletMarginLoss": (lambda: nn.TripletMarginLoss(), lambda: (torch.ones(2, 3),) * 3),
    "MLP": (
        lambda: nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.LayerNorm(8), nn.Dropout(0.1), nn.Linear(8, 4)),
        lambda: torch.ones(2, 4),
    ),
    "ResidualNet": (lambda: Residual(nn.Conv2d(2, 2, 3, padding=1), nn.BatchNorm2d(2)), lambda: torch.ones(1, 2, 4, 4)),
    "LanguageModel": (lambda: LanguageModel(), lambda: torch.tensor([[1, 2, 3]])),
    "Vision": (lambda: VisionTransformer(), lambda: torch.ones(1, 1, 4, 4)),
    "Mixture": (lambda: Mixture(), lambda: torch.ones(2, 4)),
    "AutoEncoder": (lambda: AutoEncoder(), lambda: torch.ones(2, 4)),
}


class Residual(nn.Module):
    def __init__(self, *layers: nn.Module) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, x: Any) -> Any:
        y = x
        for layer in self.layers:
            y = layer(y).relu()
        return x + y


class SelfAttention(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.joined = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width)
        self.register_buffer("mask", torch.ones(8, 8).tril().bool())

    def forward(self, x: Any, cache: Any = None) -> Any:
        batch, length, width = x.shape
        q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2) for part in self.joined(x).chunk(3, -1))
        if cache is not None:
            k, v = torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)
            cache[:] = [k, v]
        scores = (q @ k.transpose(-2, -1)).masked_fill(~self.mask[:length, : k.shape[2]], -1e9)
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, length, width))


class Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.attention, self.first = SelfAttention(width, heads), nn.LayerNorm(width)
        self.feed = nn.ModuleDict({"up": nn.Linear(width, 2 * width), "down": nn.Linear(2 * width, width)})
        self.second = nn.LayerNorm(width)

    def forward(self, x: Any, cache: Any = None) -> Any:
        x = x + self.attention(self.first(x), cache)
        return x + self.feed["down"](F.gelu(self.feed["up"](self.second(x))))


class LanguageModel(nn.Module):
    def __init__(self, layers: int = 2, breaks: bool = False) -> None:
        super().__init__()
        self.tokens, self.places = nn.Embedding(10, 8), nn.Parameter(torch.zeros(8, 8))
        self.blocks = nn.ModuleList([Block(8, 2) for _ in range(layers)])
        self.norm, self.breaks, self.seen = nn.LayerNorm(8), breaks, 0

    def forward(self, tokens: Any, caches: Any = None) -> Any:
        self.seen += tokens.shape[1]
        x = self.tokens(tokens) + self.places[: tokens.shape[1]]
        if self.breaks:
            graph_break()
        for number, block in enumerate(self.blocks):
            x = block(x, None if caches is None else caches[number])
        return self.norm(x) @ self.tokens.weight.T


class VisionTransformer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(1, 8, 2, 2)
        self.start = nn.Parameter(torch.zeros(1, 1, 8))
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, 0.0, batch_first=True), 1)
        self.head = nn.Linear(8, 3)

    def forward(self, image: Any) -> Any:
        x = self.patches(image).flatten(2).transpose(1, 2)
        return self.head(self.encoder(torch.cat([self.start.expand(len(x), -1, -1), x], 1))[:, 0])


class Mixture(nn.Module):
    """Experts chosen by data: a break for each choice."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Linear(4, 2)
        self.experts = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])
        self.load = [0, 0]

    def forward(self, x: Any) -> Any:
        choice = self.gate(x).sum(0).argmax().item()
        self.load[choice] += 1
        return self.experts[choice](x) + x


class AutoEncoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.down, self.up = nn.Linear(4, 2), nn.Linear(2, 4)

    def forward(self, x: Any) -> Any:
        mean, spread = self.down(x).chunk(2, -1)
        if spread.mean() > 10:
            spread = spread.clamp(max=10)
        z = mean + torch.randn_like(mean) * spread.exp()
        return {"out": self.up(z.repeat(1, 2)), "mean": mean, "loss": (mean * spread).sum()}


class Wrapped(nn.Module):
    """A layer with a break before and after it."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer, self.calls = layer, 0

    def forward(self, *inputs: Any) -> Any:
        first = inputs[0] + 0
        graph_break()
        out = self.layer(first, *inputs[1:])
        self.calls += 1
        graph_break()
        return out, first


def total(value: Any) -> Any:
    """The sum of all tensors with a gradient in it."""
    if isinstance(value, torch.Tensor):
        return value.float().sum() if value.requires_grad else 0
    if isinstance(value, dict):
        value = list(value.values())
    return sum(map(total, value), 0 * T.sum()) if isinstance(value, (tuple, list)) else 0


def add_layer(name: str, make: Callable[[], nn.Module], inputs: Callable[[], Any]) -> None:
    def arguments() -> Any:
        values = inputs()
        return values if isinstance(values, tuple) else (values,)

    def train(compiled: Callable[..., Any]) -> None:
        loss = total(compiled(make())(*arguments()))
        if isinstance(loss, torch.Tensor) and loss.requires_grad:
            loss.backward()

    def infer(compiled: Callable[..., Any]) -> None:
        layer = compiled(make().eval(), dynamic=True)
        with torch.no_grad():
            layer(*arguments())

    def broken(compiled: Callable[..., Any]) -> None:
        compiled(Wrapped(make()))(*arguments())

    PROGRAMS[f"layer_{name}"] = infer if len(PROGRAMS) % 4 == 0 else train
    PROGRAMS[f"broken_{name}"] = broken


for _name, (_make, _inputs) in LAYERS.items():
    add_layer(_name, _make, _inputs)


@program
def model_with_caches(compiled):
    model = compiled(LanguageModel(2, True))
    empty = [[torch.ones(1, 2, 0, 4), torch.ones(1, 2, 0, 4)] for _ in range(2)]
    for token in (1, 2):
        model(torch.tensor([[token]]), empty)


@program
def model_sampling(compiled):
    model = LanguageModel(1)

    @compiled
    def step(tokens, temperature=1.0):
        logits = model(tokens)[:, -1] / temperature
        chosen = int(torch.multinomial(logits.softmax(-1), 1).item())
        return torch.cat([tokens, torch.tensor([[chosen]])], 1), chosen

    tokens = torch.tensor([[1, 2]])
    for _ in range(2):
        tokens, _ = step(tokens)


@program
def model_training(compiled):
    model = LanguageModel(1, True)
    optimizer = torch.optim.AdamW(model.parameters())
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)

    @compiled
    def step(tokens, clip=1.0):
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = F.cross_entropy(model(tokens)[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        schedule.step()
        return loss.item(), norm

    step(torch.tensor([[1, 2, 3]]))


OPTIMIZERS: dict[str, dict[str, Any]] = {
    "SGD": {"lr": 0.1, "momentum": 0.9}, "Adam": {"amsgrad": True}, "AdamW": {"foreach": False}, "Adagrad": {},
    "Adadelta": {}, "Adamax": {}, "ASGD": {}, "NAdam": {}, "RAdam": {}, "RMSprop": {"momentum": 0.5, "centered": True},
    "Rprop": {}, "SparseAdam": {}, "LBFGS": {}, "Adafactor": {}, "Muon": {},
}  # fmt: skip


def add_optimizer(name: str, options: dict[str, Any]) -> None:
    def run(compiled: Callable[..., Any]) -> None:
        net = nn.Sequential(nn.Linear(4, 3, bias=False), nn.Linear(3, 2, bias=name != "Muon"))
        optimizer = getattr(torch.optim, name)(net.parameters(), **options)

        def closure() -> Any:
            optimizer.zero_grad()
            loss = net(torch.ones(2, 4)).sum()
            loss.backward()
            return loss

        closure()
        step = compiled(lambda: optimizer.step(closure) if name == "LBFGS" else optimizer.step())
        step()
        step()

    def inside(compiled: Callable[..., Any]) -> None:
        net = nn.Linear(4, 3, bias=name != "Muon")
        optimizer = getattr(torch.optim, name)([{"params": [p], **options} for p in net.parameters()])

        def closure() -> Any:
            return net(torch.ones(2, 4)).sum()

        @compiled
        def train(x):
            optimizer.zero_grad()
            loss = (net(x) ** 2).mean()
            loss.backward()
            optimizer.step(*[closure][: name == "LBFGS"])
            return loss.detach(), len(optimizer.param_groups)

        train(torch.ones(2, 4))

    PROGRAMS[f"optimizer_{name}"], PROGRAMS[f"training_{name}"] = run, inside


for _name, _options in OPTIMIZERS.items():
    add_optimizer(_name, _options)
