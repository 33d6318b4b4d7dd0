"""A graph as boxes in boxes: operations with their shapes, in the modules that they belong to.

The layout is that of Sugiyama, Tagawa and Toda, "Methods for visual understanding of hierarchical system structures"
(1981), in each module by itself: ranks by longest paths, places in a rank by the mean place of the neighbours.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import groupby
from typing import Sequence, Union

from ...model import Graph, Node
from ..page.repeats import runs
from ..tree import count
from .places import LineNumbers

__all__ = ["Box", "Drawing", "drawing"]

_MOST = 60  # boxes: a drawing of more is no help
_MOST_INPUTS = 8
_SWEEPS = 4
_LONGEST = 34  # characters of a label
_FOLDED_FROM = 3  # operations: smaller modules are drawn each
_OF_MODULES = re.compile(r"_(?:parameters|buffers|modules)_")


@dataclass
class Box:
    """An operation, with the `shape` of what it gives; or a module, with what is `inside`.

    `rank` is its row, `order` its place there. A box without a label is where an edge passes through a rank, or, in the
    first rank, where values come into the module.
    """

    label: str
    shape: str = ""
    lines: frozenset[int] = frozenset()
    through: frozenset[int] = frozenset()
    inside: Drawing | None = None
    rank: int = 0
    order: float = 0.0


@dataclass
class Drawing:
    """Boxes, and edges as indices of boxes."""

    boxes: list[Box] = field(default_factory=list)
    edges: list[tuple[int, int]] = field(default_factory=list)

    def ranks(self) -> list[list[int]]:
        """The boxes of each rank, in order."""
        found: dict[int, list[int]] = {}
        for at, box in enumerate(self.boxes):
            found.setdefault(box.rank, []).append(at)
        return [sorted(found[rank], key=lambda at: self.boxes[at].order) for rank in sorted(found)]


@dataclass
class _Module:
    """Operations that follow each other in one module, and in it again by modules. `times`: so many are alike."""

    name: str
    nodes: list[Node]
    parts: list[_Part]
    last: str = ""  # the name of the last of those that are alike
    times: int = 1
    is_closed: bool = False

    @property
    def pattern(self) -> str:
        """What is the same for modules that are alike."""
        inner = ",".join(_pattern(part) for part in self.parts)
        return "{}({})".format(re.sub(r"\d+", "", self.name), inner)


_Part = Union[Node, _Module]


def _pattern(part: _Part) -> str:
    return part.pattern if isinstance(part, _Module) else part.target + part.shape


def drawing(graph: Graph, places: LineNumbers) -> Drawing | None:
    """The graph; modules that are alike and follow each other once, the innermost closed if it is too large. None for
    one operation, or too many outside of modules."""
    parts = _parts(graph.calls, 0)
    depth = max((len(_path(node)) for node in graph.calls), default=0)
    while _boxes(parts) > _MOST and depth > 0:
        _close(parts, depth)
        depth -= 1
    if not 1 < _boxes(parts) <= _MOST:
        return None
    inputs = [node for node in graph.nodes if node.op == "placeholder" and node.shape
              and not _OF_MODULES.search(node.target)][:_MOST_INPUTS]  # fmt: skip
    return _drawn(parts, places, inputs, {node.name for node in [*inputs, *graph.calls]})


# ---- the modules


def _parts(nodes: Sequence[Node], depth: int) -> list[_Part]:
    """Nodes that follow each other in one module, as one; those of no further module by themselves. As the order is
    that of a run, no path leads back into a module that it has left."""
    found: list[_Part] = []
    for inside, run in groupby(nodes, lambda node: _path(node)[: depth + 1]):
        members = list(run)
        if len(inside) <= depth:
            found += members
            continue
        made = _Module(inside[-1], members, _parts(members, depth + 1))
        while len(made.parts) == made.times == 1 and isinstance(made.parts[0], _Module):  # a list of modules, say
            inner = made.parts[0]
            made.name, made.last = f"{made.name}.{inner.name}", inner.last
            made.parts, made.times = inner.parts, inner.times
        found.append(made)
    return _alike_once(found)


def _path(node: Node) -> list[str]:
    """The modules that it is in; the operations of a module's own forward have none, so it is none to the others."""
    found = node.module.split(".") if node.module else []
    return found[1:] if found[:1] == ["self"] else found


def _alike_once(parts: list[_Part]) -> list[_Part]:
    found, at = [], 0
    for run in runs([_pattern(part) for part in parts], 2):
        first, last = parts[run.start], parts[run.end - 1]
        if run.period == 1 and isinstance(first, _Module) and len(first.nodes) >= _FOLDED_FROM:
            assert isinstance(last, _Module)
            first.last, first.times = last.name, run.count
            first.nodes = [node for part in parts[run.start : run.end] for node in getattr(part, "nodes", ())]
            found += [*parts[at : run.start], first]
            at = run.end
    return found + parts[at:]


def _boxes(parts: Sequence[_Part]) -> int:
    return sum(_boxes(part.parts) if isinstance(part, _Module) and not part.is_closed else 1 for part in parts)


def _close(parts: Sequence[_Part], depth: int) -> None:
    """Closes the modules at that depth."""
    for part in parts:
        if isinstance(part, _Module):
            part.is_closed = depth <= 1
            _close(part.parts, depth - 1 - part.name.count("."))


# ---- boxes and edges


def _drawn(parts: Sequence[_Part], places: LineNumbers, inputs: Sequence[Node], known: set[str]) -> Drawing:
    """`inputs` of the graph have boxes; into a module all comes at one place. `known`: names of what is drawn."""
    members = [part.nodes if isinstance(part, _Module) else [part] for part in parts]
    used = {name for nodes in members for node in nodes for name in node.inputs} & known
    shown = [node for node in inputs if node.name in used]
    made = Drawing([Box(_short(_input(node)), node.shape) for node in shown])
    owner = {node.name: at for at, node in enumerate(shown)}
    outside = used - {node.name for nodes in members for node in nodes} - set(owner)
    if outside:
        owner.update(dict.fromkeys(outside, len(made.boxes)))
        made.boxes.append(Box(""))
    first = len(made.boxes)
    owner.update((node.name, at) for at, nodes in enumerate(members, first) for node in nodes)
    before: dict[int, set[int]] = {}
    for at, (part, nodes) in enumerate(zip(parts, members), first):
        before[at] = {owner[name] for node in nodes for name in node.inputs if owner.get(name, at) < at}
        box = _box(part, nodes, places, known)
        box.rank = max((made.boxes[one].rank for one in before[at]), default=-1) + 1
        made.boxes.append(box)
    for at, sources in before.items():
        for source in sorted(sources):
            _connect(made, source, at)
    _order(made)
    return made


def _input(node: Node) -> str:
    """``ids`` for the placeholder ``L_ids_``."""
    return re.sub(r"^L_|_$", "", node.target) or node.target


def _box(part: _Part, nodes: Sequence[Node], places: LineNumbers, known: set[str]) -> Box:
    lines = places.numbers(node.user_line for node in nodes)
    through = places.numbers(line for node in nodes for line in node.callers)
    if isinstance(part, Node):
        return Box(_short(_operation(part)), part.shape, lines, through)
    name = f"{part.name} to {part.last}, {part.times} times" if part.times > 1 else part.name
    if len(part.parts) == 1 and isinstance(part.parts[0], Node) and part.times == 1:
        operation = _operation(part.parts[0])
        label = name if name.endswith(operation) else f"{name}: {operation}"
        return Box(_short(label), part.parts[0].shape, lines, through)
    if part.is_closed:
        return Box(_short(f"{name}: {count(len(nodes), 'operation')}"), nodes[-1].shape, lines, through)
    return Box(_short(name), "", lines, through, _drawn(part.parts, places, (), known))


def _operation(node: Node) -> str:
    return node.target.rpartition(".")[2] or node.name


def _short(label: str) -> str:
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
