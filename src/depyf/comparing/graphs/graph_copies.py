"""A copy of a graph, and the values of its operations in fp64."""

from __future__ import annotations

from typing import Any, Iterable, Mapping, Sequence

from ..rounding import random_numbers
from .evaluable import RANDOM, STALE, is_overwritten, number_of, why_not
from .evaluate import Cannot, Exact, closure, evaluate, evaluate_in_memory, wide_dtype

__all__ = ["GraphCopy", "is_in_memory", "is_tangent", "ordinals", "random_like", "values_of"]

class GraphCopy:
    """A copy of a graph, as it is now.

    Args:
        attributes: the values of the nodes that are attributes of the graph's module.
        given: nodes that are inputs of the copy, and their names there.

    Attributes:
        attributes: what a call is not given: those values, and inputs that are frozen.
    """

    def __init__(
        self, graph: Any, attributes: Mapping[Any, Any], given: Mapping[Any, str] | None = None
    ) -> None:  # fmt: skip
        import torch
        from torch.fx.node import map_arg

        copied = torch.fx.Graph()
        known: dict[Any, Any] = {}
        inputs: dict[str, Any] = {}
        for node in graph.nodes:
            if node.op == "output":
                self.result = map_arg(node.args[0], known.__getitem__)
            elif given and node in given:
                name = given[node]
                if name not in inputs:
                    inputs[name] = copied.placeholder(name)
                    inputs[name].meta = dict(node.meta)
                known[node] = inputs[name]
            else:
                known[node] = copied.node_copy(node, known.__getitem__)
        copied.output(self.result)
        self.graph, self.nodes, self.copies = copied, list(copied.nodes), known
        self.attributes = {known[node]: value for node, value in attributes.items()}
        self.placeholders = [node for node in self.nodes if node.op == "placeholder"]

    @property
    def results(self) -> dict[str, Any]:
        """What the graph gives: its outputs by number, and what it writes into its inputs by their names."""
        result = self.result if isinstance(self.result, (list, tuple)) else [self.result]
        found = {str(at): node for at, node in enumerate(result) if hasattr(node, "op")}
        for node in self.nodes:
            if "copy_.default" in str(node.target) and getattr(node.args[0], "op", "") == "placeholder":
                found[node.args[0].name] = node
        return found


def is_tangent(node: Any) -> bool:
    """Whether an input of a joint graph is a gradient that comes in."""
    return "tangents" in node.name


def is_in_memory(graph: GraphCopy, wanted: Sequence[Any]) -> bool:
    """Whether what leads to some nodes writes into memory that others read."""
    order, _ = closure(wanted, lambda node: node.op == "placeholder")
    in_the_end = any(node.op == "placeholder" or is_overwritten(node) for node in wanted)
    return in_the_end or any(why_not(node) == STALE for node in order)


def values_of(
    graph: GraphCopy, wanted: Sequence[Any], inputs: Mapping[str, Any], made: Mapping[Any, Any] | None = None
) -> tuple[Any, Any]:
    """The values of nodes as they were made, and as they are in the end; those of some are `made` already."""
    made = made or {}
    order, sources = closure(wanted, lambda node: node.op in ("placeholder", "get_attr") or node in made)
    in_memory = is_in_memory(graph, wanted)
    used = {node for node in graph.nodes if node.users or node in wanted} if in_memory else {*sources}
    known = {node: value for node, value in graph.attributes.items() if node in used}
    known.update((node, inputs[node.name] if node.name in inputs else _made(node, at))
                 for at, node in enumerate(graph.placeholders) if node in used and node not in known)  # fmt: skip
    known.update(made)
    places = ordinals(graph.nodes)

    def random(node: Any) -> Any:
        return _made(node, places[node][1])

    if in_memory:
        return evaluate_in_memory(graph.nodes, known, wanted, Exact(), random)
    found = evaluate(order, known, wanted, Exact(), random)
    return found, found


def ordinals(nodes: Iterable[Any]) -> dict[Any, tuple[str, int]]:
    """Of operations that are not evaluated: the kind, and which one of that kind in its graph. Two graphs are to have
    equal values for those of a kind: passes replace random numbers by those of Inductor's generator, in order.
    """
    found: dict[Any, tuple[str, int]] = {}
    numbers: dict[str, int] = {}
    for node in nodes:
        reason = why_not(node) if node.op == "call_function" else ""
        if reason:
            kind = reason if reason in (STALE, RANDOM) and "seed" not in str(node.target) else str(node.target)
            numbers[kind] = numbers.get(kind, 0) + 1
            found[node] = kind, numbers[kind]
    return found


def random_like(like: Any, numbers: Any, draw: Any = None) -> Any:
    """Random numbers in fp64, of the shape of a tensor with floating-point numbers."""
    import torch

    return random_numbers(draw or torch.rand, list(map(number_of, like.shape)), numbers, wide_dtype(like.dtype))


def _made(node: Any, seed: int) -> Any:
    """A value like the node's: for gradients that come in, and for operations that are not evaluated."""
    import torch

    if why_not(node) == STALE:
        raise Cannot(STALE)
    if node.op == "placeholder" and not is_tangent(node):
        raise Cannot("an input is not known")

    numbers = torch.Generator().manual_seed(seed)

    def made(like: Any) -> Any:
        if isinstance(like, (list, tuple)):
            return type(like)(map(made, like))
        if not isinstance(like, torch.Tensor):
            raise Cannot(why_not(node) or "an input that is no tensor")
        if not (like.dtype.is_floating_point or like.dtype.is_complex):
            return torch.zeros([number_of(size) for size in like.shape], dtype=like.dtype)
        return random_like(like, numbers)

    return made(node.meta.get("val"))
