"""The blocks of one level as a reducible graph.

A ``try`` statement with its contents is one item of the enclosing graph. A cycle with several entries gets a
``Dispatch``, an additional item through which all its entries are reached.
"""

from __future__ import annotations

from typing import Iterable

from ..flowgraph.components import cyclic_components
from ..flowgraph.dominators import dominator_tree
from ..limits.budget import STEP, spend
from ..syntax import nodes as n
from .analysis import Analysis, DispatchNode
from .blocks import DispatchBlock
from .levels import Levels, is_inside


class GraphItem:
    """A block, a ``try`` statement, or a dispatch. ``edges``: the successors outside of it."""

    def __init__(self) -> None:
        self.edges: list[DispatchNode] = []
        self.entries: dict[DispatchNode, None] = {}

    @property
    def begins_with_choice(self) -> bool:
        """Whether it begins with a choice by the state variable."""
        return len(self.entries) > 1


class BlockItem(GraphItem):
    """One block."""

    def __init__(self, block: DispatchBlock) -> None:
        super().__init__()
        self.block = block
        self.edges = [successor.target for successor in block.successors]


class TryItem(GraphItem):
    """The body of a ``try`` or ``with`` statement, which is the last of ``levels``, and its handler."""

    def __init__(self, levels: Levels) -> None:
        super().__init__()
        self.levels = levels

    @property
    def chooses(self) -> bool:
        """Whether control continues at one of two places, one of them for suppressed exceptions."""
        return self.levels[-1].kind == "with" and len(self.edges) == 2

    def part(self, node: DispatchNode) -> Levels:
        """Return the levels of the part (body or handler) that contains ``node``."""
        return node.levels[: len(self.levels)]


class Dispatch(GraphItem):
    """A choice by the state variable between the entries of a cycle or of a level."""


class Loop:
    """A loop with one entry, its header. ``breaks``: the targets of its breaks, with the assignments to the state
    variable that select them; filled while the loop is written."""

    def __init__(self, header: GraphItem, members: set[GraphItem], outer: Loop | None) -> None:
        self.header = header
        self.members = members
        self.outer = outer
        self.breaks: dict[DispatchNode, list[n.Statement]] = {}


def _suppressed_ends(analysis: Analysis, levels: Levels, depth: int) -> list[DispatchNode]:
    """Return where control continues if a with statement at ``levels[depth:]`` suppresses an exception."""
    bodies = [levels[:size] for size in range(depth + 1, len(levels) + 1) if levels[size - 1].kind == "with"]
    return [analysis.handler_of[body] for body in bodies if body in analysis.handler_of]


class DispatchGraph:
    """The items inside ``levels``. ``start`` is its entry; nested items have entries of their own."""

    def __init__(
        self, analysis: Analysis, blocks: Iterable[DispatchBlock], levels: Levels, entries: Iterable[DispatchNode]
    ) -> None:
        self.levels = levels
        self._item_of: dict[DispatchNode, GraphItem] = {}
        self._dispatch_of: dict[GraphItem, Dispatch] = {}
        tries: dict[Levels, TryItem] = {}
        self.items: list[GraphItem] = []
        for block in blocks:
            node = block.node
            if not is_inside(node.levels, levels):
                continue
            if node.levels == levels:
                item: GraphItem = BlockItem(block)
                self.items.append(item)
            else:
                inner = node.levels[len(levels)]
                body = (*levels, inner if inner.is_body else inner._replace(kind="try"))
                if body not in tries:
                    tries[body] = TryItem(body)
                    self.items.append(tries[body])
                item = tries[body]
                targets = [one.target for one in block.successors]
                targets += _suppressed_ends(analysis, node.levels, len(levels))
                item.edges += [target for target in targets if not is_inside(target.levels, item.part(node))]
            self._item_of[node] = item
        self.entries = list(dict.fromkeys(entries))
        for node in self.entries:
            self._item_of[node].entries[node] = None
        for item in self.items:
            item.edges = list(dict.fromkeys(item.edges))
            for target in item.edges:
                if target in self._item_of:
                    self._item_of[target].entries[target] = None
        starts = {self._item_of[node] for node in self.entries}
        if len(starts) == 1:
            [self.start] = starts
        else:
            self.start = Dispatch()
            self.start.edges = self.entries
            self.items.append(self.start)
        self.loop_of: dict[GraphItem, Loop] = {}
        self.headed: dict[GraphItem, Loop] = {}
        self.back: set[tuple[GraphItem, GraphItem]] = set()
        self._find_loops(set(self.items), self.start, None)
        self.order, self.dominator = dominator_tree(self.start, self.successors)
        self._assign_positions()

    def base(self, node: DispatchNode) -> GraphItem | None:
        return self._item_of.get(node)

    def resolve(self, node: DispatchNode, source: GraphItem | None = None) -> GraphItem | None:
        """Return the item that a jump to ``node`` enters; None if ``node`` is not in this graph."""
        item = self._item_of.get(node)
        if item is None:
            return None
        dispatch = self._dispatch_of.get(item)
        return item if dispatch is None or dispatch is source else dispatch

    def successors(self, item: GraphItem) -> list[GraphItem]:
        found = [self.resolve(node, item) for node in item.edges]
        return [one for one in found if one is not None]

    # Loops

    def _find_loops(self, within: set[GraphItem], start: GraphItem, outer: Loop | None) -> None:
        for inside in self._cycles(within, start, outer):
            entered = {
                after
                for item in within - inside
                for after in self.successors(item)
                if after in inside and not (outer and after is outer.header)
            }
            if start in inside:
                entered.add(start)
            if len(entered) == 1:
                [header] = entered
            else:
                header = self._dispatch(inside, entered)
                inside.add(header)
                within.add(header)
                if start in entered:
                    start = self.start = header
                known = outer
                while known is not None:
                    spend(STEP, "the dispatch loop")
                    known.members.add(header)
                    known = known.outer
            loop = Loop(header, inside, outer)
            self.headed[header] = loop
            for item in inside:
                self.loop_of[item] = loop
                if header in self.successors(item):
                    self.back.add((item, header))
            self._find_loops(set(inside), header, loop)

    def _dispatch(self, inside: set[GraphItem], entered: set[GraphItem]) -> Dispatch:
        dispatch = Dispatch()
        targets = [node for item in self.items for node in item.edges if self._item_of.get(node) in entered]
        targets += [node for node in self.entries if self._item_of[node] in entered]
        dispatch.edges = sorted(set(targets), key=lambda node: node.number)
        dispatch.entries = dict.fromkeys(dispatch.edges)
        for item in entered:
            self._dispatch_of[item] = dispatch
        self.items.append(dispatch)
        return dispatch

    def _cycles(self, within: set[GraphItem], start: GraphItem, outer: Loop | None) -> list[set[GraphItem]]:
        """Return the cyclic components, ignoring edges to the header of ``outer``."""

        def forward(item: GraphItem) -> list[GraphItem]:
            return [one for one in self.successors(item) if one in within and not (outer and one is outer.header)]

        return cyclic_components([start, *(item for item in self.items if item in within)], forward)

    # The position of each item

    def _assign_positions(self) -> None:
        """Decide for each item: after its dominator, after a loop, or inline at its only jump."""
        self.followers: dict[GraphItem, list[GraphItem]] = {item: [] for item in self.order}
        self.loop_followers: dict[Loop, list[GraphItem]] = {loop: [] for loop in self.headed.values()}
        self.inline: set[GraphItem] = set()
        jumps: dict[GraphItem, int] = {}
        for item in self.order:
            targets = self.successors(item)
            if isinstance(item, BlockItem) and len(item.block.successors) > len(item.edges):
                targets *= 2  # both of its jumps lead there
            for after in dict.fromkeys(targets) if isinstance(item, Dispatch) else targets:
                if (item, after) not in self.back:
                    jumps[after] = jumps.get(after, 0) + 1
        for item in self.order[1:]:
            parent = self.dominator[item]
            left: Loop | None = None
            loop = self.loop_of.get(parent)
            while loop is not None and item not in loop.members:
                spend(STEP, "the dispatch loop")
                left, loop = loop, loop.outer
            if left is not None:
                self.loop_followers[left].append(item)
            elif jumps.get(item) == 1 and (not isinstance(parent, TryItem) or parent.chooses):
                self.inline.add(item)
            else:
                self.followers[parent].append(item)
        for followers in self.loop_followers.values():
            for item in followers[:-1]:
                if jumps.get(item) == 1 and not isinstance(self.dominator[item], TryItem) and self._is_closed(item):
                    followers.remove(item)
                    self.inline.add(item)

    def _is_closed(self, item: GraphItem) -> bool:
        """Whether control never leaves the items that ``item`` dominates, and all of these are written inline."""
        inside = {item}
        for other in self.order:
            if self.dominator[other] in inside and other is not self.start:
                inside.add(other)
        if any(self.followers[one] or one in self.headed or isinstance(one, TryItem) for one in inside):
            return False
        return all(self.resolve(node, one) in inside for one in inside for node in one.edges)
