"""What a graph does to its inputs and which memory its results share, as AOTAutograd has found out."""

from __future__ import annotations

from typing import Any, Iterator

from ..model import Graph
from ..torch_facts.torch_keeps import alias_of_result, input_changes

__all__ = ["effects_of"]


def effects_of(tracing: Any, graph: Graph) -> list[str]:
    """Sentences, one for each input that is changed and each result that is no tensor of its own.

    Args:
        tracing: torch's notes on the graph, after it was compiled; None, or without any where a backend leaves
            AOTAutograd out.
        graph: its inputs are those of the notes, after the parameters of its module (up to torch 2.5).
    """
    found = getattr(tracing, "fw_metadata", None)
    return [] if found is None else list(_effects(found, graph))


def _effects(found: Any, graph: Graph) -> Iterator[str]:
    names = [f"input {number}" for number in range(len(found.input_info) - len(graph.placeholders))]
    names += [graph.inputs.get(name) or name for name in graph.placeholders]
    results = graph.results if len(graph.results) == len(found.output_info) else []
    for name, one in zip(names, found.input_info):
        changed, by_graph = input_changes(one)
        if changed:
            where = "in the graph" if by_graph else "copied back after the graph"
            yield f"changes {changed} of {name}, {where}"
    for at, one in enumerate(found.output_info):
        shares, base = alias_of_result(one)
        result = results[at] if results else f"result {at}"
        if shares and "input" in shares:
            yield f"{result} {shares} {names[base] if base is not None and base < len(names) else 'of the graph'}"
        elif shares:
            yield f"{result} {shares}"
