"""Immediate dominators (Cooper, Harvey, Kennedy: "A Simple, Fast Dominance Algorithm", 2001)."""

from __future__ import annotations

from typing import Callable, Hashable, Iterable, Mapping, TypeVar

N = TypeVar("N", bound=Hashable)


def reverse_postorder(entry: N, successors: Callable[[N], Iterable[N]]) -> list[N]:
    """Return the nodes reachable from ``entry``, each before its successors except along back edges."""
    is_left: dict[N, bool] = {}  # of the nodes seen so far
    order: list[N] = []
    stack = [entry]
    while stack:
        node = stack[-1]
        if node not in is_left:
            is_left[node] = False
            stack += [one for one in successors(node) if one not in is_left][::-1]
        elif is_left[stack.pop()]:
            continue  # it was reached from a sibling, too
        else:
            is_left[node] = True
            order.append(node)
    return order[::-1]


def dominator_tree(entry: N, successors: Callable[[N], Iterable[N]]) -> tuple[list[N], dict[N, N]]:
    """Return the reverse postorder of the nodes and the immediate dominator of each (the entry's is itself)."""
    order = reverse_postorder(entry, successors)
    predecessors: dict[N, list[N]] = {node: [] for node in order}
    for node in order:
        for successor in successors(node):
            predecessors[successor].append(node)
    return order, immediate_dominators(order, predecessors)


def immediate_dominators(order: list[N], predecessors: Mapping[N, Iterable[N]]) -> dict[N, N]:
    """Return the immediate dominator of each node, given the reverse postorder of all; the entry's is itself."""
    position = {node: index for index, node in enumerate(order)}
    dominator = {order[0]: order[0]}
    changed = True
    while changed:
        changed = False
        for node in order[1:]:
            new: N | None = None
            for predecessor in predecessors[node]:
                if predecessor in dominator:
                    new = predecessor if new is None else _intersect(dominator, position, predecessor, new)
            if new is not None and dominator.get(node) != new:
                dominator[node] = new
                changed = True
    return dominator


def _intersect(dominator: dict[N, N], position: dict[N, int], left: N, right: N) -> N:
    while left != right:
        while position[left] > position[right]:
            left = dominator[left]
        while position[right] > position[left]:
            right = dominator[right]
    return left
