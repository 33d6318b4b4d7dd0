"""Strongly connected components (Kosaraju's algorithm, as in Aho, Hopcroft, Ullman: "Data Structures and Algorithms",
1983)."""

from __future__ import annotations

from typing import Callable, Hashable, Iterable, TypeVar

from .dominators import reverse_postorder

N = TypeVar("N", bound=Hashable)


def cyclic_components(roots: Iterable[N], successors: Callable[[N], Iterable[N]]) -> list[set[N]]:
    """Return the strongly connected components with a cycle, in topological order.

    All nodes must be reachable from ``roots``. Components that are not ordered by an edge are in reverse order of the
    roots that lead to them.
    """
    order: list[N] = []
    seen: set[N] = set()
    for root in roots:
        if root not in seen:
            found = reverse_postorder(root, lambda node: [one for one in successors(node) if one not in seen])
            seen.update(found)
            order[:0] = found
    predecessors: dict[N, list[N]] = {node: [] for node in order}
    for node in order:
        for successor in successors(node):
            predecessors[successor].append(node)
    components: list[set[N]] = []
    assigned: set[N] = set()
    for root in order:
        if root not in assigned:
            part = reverse_postorder(root, lambda node: [one for one in predecessors[node] if one not in assigned])
            assigned.update(part)
            if len(part) > 1 or root in predecessors[root]:
                components.append(set(part))
    return components
