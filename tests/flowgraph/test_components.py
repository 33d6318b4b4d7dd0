"""Strongly connected components, against the definition."""

from __future__ import annotations

import random

import pytest

from depyf.decompiler.flowgraph.components import cyclic_components


def reached(graph: dict[int, list[int]], start: int) -> set[int]:
    """What paths of at least one edge lead to."""
    found: set[int] = set()
    todo = list(graph[start])
    while todo:
        node = todo.pop()
        if node not in found:
            found.add(node)
            todo += graph[node]
    return found


@pytest.mark.parametrize("seed", range(40))
def test_nodes_that_reach_each_other_are_together(seed: int):
    choice = random.Random(seed)
    nodes = range(choice.randrange(1, 12))
    graph = {node: [choice.choice(nodes) for _ in range(choice.randrange(3))] for node in nodes}
    components = cyclic_components(nodes, graph.__getitem__)
    expected = {frozenset(other for other in reached(graph, node) if node in reached(graph, other)) for node in nodes}
    assert {frozenset(part) for part in components} == expected - {frozenset()}
    assert len(components) == len(expected - {frozenset()})
    for number, part in enumerate(components):
        assert not any(reached(graph, node) & earlier for node in part for earlier in components[:number])


def test_a_node_alone_is_one_if_it_leads_to_itself():
    assert cyclic_components([1], {1: [2], 2: [2]}.__getitem__) == [{2}]
    assert cyclic_components([1], {1: [2], 2: []}.__getitem__) == []
