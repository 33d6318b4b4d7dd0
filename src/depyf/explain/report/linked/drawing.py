"""A graph as boxes in ranks: operations, or runs of operations of one module where those would be too many.

The layout is that of Sugiyama, Tagawa and Toda, "Methods for visual understanding of hierarchical system structures"
(1981): ranks by longest paths, places in a rank by the mean place of the neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Sequence

from ...model import Graph, Node
from ..tree import count
from .places import LineNumbers

__all__ = ["Box", "Drawing", "drawings"]

_MOST = 60  # boxes: a drawing of more is no help
_SWEEPS = 4
_LONGEST = 34  # characters of a label


@dataclass
class Box:
    """An operation, or several of one module. `rank` is its row, `order` its place there.

    A box without a label is where an edge passes through a rank.
    """

    label: str
    lines: frozenset[int] = frozenset()
    through: frozenset[int] = frozenset()
    rank: int = 0
    order: float = 0.0


@dataclass
class Drawing:
    """Boxes, and edges as indices of boxes; `title` says what a box is."""

    title: str
    boxes: list[Box] = field(default_factory=list)
    edges: list[tuple[int, int]] = field(default_factory=list)

    def ranks(self) -> list[list[int]]:
        """The boxes of each rank, in order."""
        found: dict[int, list[int]] = {}
        for at, box in enumerate(self.boxes):
            found.setdefault(box.rank, []).append(at)
        return [sorted(found[rank], key=lambda at: self.boxes[at].order) for rank in sorted(found)]


def drawings(graph: Graph, places: LineNumbers) -> list[Drawing]:
    """The graph at each depth of modules at which it is small enough, the coarsest first."""
    nodes = graph.calls
    deepest = max((_depth(node.module) for node in nodes), default=0)
    found: list[Drawing] = []
    before: int | None = None
    for depth in [*range(1, deepest + 1), None]:
        runs = _runs(nodes, depth)
        if 1 < len(runs) <= _MOST and len(runs) != before:
            title = "each operation" if depth is None else f"modules, to depth {depth}"
            found.append(_drawn(title, runs, places))
            before = len(runs)
    return found


def _depth(module: str) -> int:
    return module.count(".") + 1 if module else 0


def _runs(nodes: Sequence[Node], depth: int | None) -> list[tuple[str, list[Node]]]:
    """Nodes that follow each other in one module. As the order is that of a run, no path leads back into one."""
    runs: list[tuple[str, list[Node]]] = []
    for node in nodes:
        inside = ".".join(node.module.split(".")[:depth]) if depth is not None and node.module else ""
        if inside and runs and runs[-1][0] == inside:
            runs[-1][1].append(node)
        else:
            runs.append((inside, [node]))
    return runs


def _drawn(title: str, runs: list[tuple[str, list[Node]]], places: LineNumbers) -> Drawing:
    made = Drawing(title)
    owner = {node.name: at for at, (_, nodes) in enumerate(runs) for node in nodes}
    before: dict[int, set[int]] = {}
    for at, (module, nodes) in enumerate(runs):
        before[at] = {owner[name] for node in nodes for name in node.inputs if owner.get(name, at) < at}
        lines = places.numbers(node.user_line for node in nodes)
        through = places.numbers(line for node in nodes for line in node.callers)
        rank = max((made.boxes[one].rank for one in before[at]), default=-1) + 1
        made.boxes.append(Box(_label(module, nodes), lines, through, rank))
    for at, sources in before.items():
        for source in sorted(sources):
            _connect(made, source, at)
    _order(made)
    return made


def _label(module: str, nodes: Sequence[Node]) -> str:
    if len(nodes) == 1:
        label = nodes[0].target.rpartition(".")[2] or nodes[0].name
    else:
        label = "{}: {}".format(module, count(len(nodes), "operation"))
    return label if len(label) <= _LONGEST else "..." + label[-_LONGEST + 3 :]


def _connect(made: Drawing, source: int, target: int) -> None:
    """An edge, by way of a box without a label in each rank between."""
    for rank in range(made.boxes[source].rank + 1, made.boxes[target].rank):
        made.boxes.append(Box("", rank=rank))
        made.edges.append((source, len(made.boxes) - 1))
        source = len(made.boxes) - 1
    made.edges.append((source, target))


def _order(made: Drawing) -> None:
    """Places in each rank: by the mean of those above, then of those below, some times."""
    above: dict[int, list[int]] = {}
    below: dict[int, list[int]] = {}
    for source, target in made.edges:
        above.setdefault(target, []).append(source)
        below.setdefault(source, []).append(target)
    for at, box in enumerate(made.boxes):
        box.order = float(at)
    for sweep in range(_SWEEPS):
        neighbours, ranks = (above, made.ranks()) if sweep % 2 == 0 else (below, made.ranks()[::-1])
        for rank in ranks:
            means = {at: _mean([made.boxes[one].order for one in neighbours.get(at, [])], made.boxes[at].order)
                     for at in rank}  # fmt: skip
            for place, at in enumerate(sorted(rank, key=lambda at: (means[at], at))):
                made.boxes[at].order = place - (len(rank) - 1) / 2


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise
