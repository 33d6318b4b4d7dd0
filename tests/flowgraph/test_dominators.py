"""Immediate dominators, against the definition: what every way from the entry passes through."""

from __future__ import annotations

import random

import pytest

from depyf.decompiler.flowgraph.dominators import dominator_tree


def reachable(entry, edges, without=None):
    seen, todo = set(), [entry] if entry != without else []
    while todo:
        node = todo.pop()
        if node not in seen:
            seen.add(node)
            todo += [s for s in edges[node] if s != without]
    return seen


@pytest.mark.parametrize("seed", range(40))
def test_are_what_every_way_passes_through(seed):
    rng = random.Random(seed)
    edges = {n: [rng.randrange(9) for _ in range(rng.randrange(3))] for n in range(9)}
    order, immediate = dominator_tree(0, edges.__getitem__)
    nodes = reachable(0, edges)
    assert set(order) == set(immediate) == nodes
    for node in nodes:
        above = {upper for upper in nodes if node not in reachable(0, edges, without=upper)}
        found, place = {node}, node
        while immediate[place] != place:
            place = immediate[place]
            found.add(place)
        assert found == above
