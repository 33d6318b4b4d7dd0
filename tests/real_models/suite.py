"""How a model of the benchmark is written down.

A model is a function with a name, a sentence, and the packages it needs. It gets `compiled`, which is torch.compile
with the backend that was asked for, builds the model with random weights, and returns what is to be run::

    @model("timm")
    def timm_resnet(compiled):
        "A ResNet of timm."
        import timm

        network = compiled(timm.create_model("resnet10t", num_classes=7).eval())
        return lambda: network(torch.randn(2, 3, 32, 32))

The function that it returns is what is measured and recorded; its result is what is compared, bit by bit.
"""

from __future__ import annotations

import importlib.util
from typing import Any, Callable, Dict, List, NamedTuple, Tuple

__all__ = ["MODELS", "Model", "lacking", "model", "numbers"]

Compiled = Callable[..., Any]


class Model(NamedTuple):
    """One model.

    Attributes:
        name: unique.
        make: builds it; gives what is to be run.
        says: what it is, for readers of the table.
        packages: what has to be installed besides torch.
        ranks: how many processes run it.
    """

    name: str
    make: Callable[[Compiled], Callable[[], Any]]
    says: str
    packages: Tuple[str, ...]
    ranks: int


MODELS: Dict[str, Model] = {}


def model(*packages: str, ranks: int = 1) -> Callable[[Any], Any]:
    """Adds a function to the suite."""

    def add(make: Any) -> Any:
        says = " ".join((make.__doc__ or "").split())
        assert make.__name__ not in MODELS and says, make.__name__
        MODELS[make.__name__] = Model(make.__name__, make, says, packages, ranks)
        return make

    return add


def lacking(one: Model) -> List[str]:
    """The packages that are not installed."""
    return [name for name in one.packages if importlib.util.find_spec(name) is None]


def numbers(*shape: int, below: int = 90) -> Any:
    """Token numbers, the same in every run."""
    import torch

    random = torch.Generator("cpu").manual_seed(7)
    return torch.randint(1, below, shape, generator=random, device="cpu").to(torch.empty(0).device)
