"""The graph to be structured: lifted blocks, a node for each try and with statement, and the dominator tree."""

from __future__ import annotations

from bisect import bisect_right
from operator import attrgetter
from typing import Iterable, Iterator, Sequence

from ...errors import DecompilationError
from ..flowgraph import Region
from ..flowgraph.dominators import dominator_tree
from ..flowgraph.regions import chain
from ..lift import Evidence, LiftedBlock, Terminator, block_order
from ..lift.folding.shapes import skip_jumps
from ..lift.values import CaseElse, case_of
from .context import SeveralEntries


class Flow:
    """The nodes reachable from the entry, with their dominators and forward predecessors.

    ``else_is_last``: whether the compiler lays out the ``else`` clause of a try statement after the handlers.
    ``handlers_are_last``: whether it moves handlers after all other code. ``loop_tests_are_copied``: whether it copies
    the test of a while loop to the bottom of the loop. ``restoring_handlers``: layout positions of blocks of inlined
    comprehensions, with the offsets of their handlers.
    """

    def __init__(
        self,
        blocks: list[LiftedBlock],
        *,
        else_is_last: bool = False,
        handlers_are_last: bool = False,
        loop_tests_are_copied: bool = False,
        restoring_handlers: Sequence[tuple[int, int]] = (),
    ) -> None:
        self.else_is_last, self.handlers_are_last = else_is_last, handlers_are_last
        self.loop_tests_are_copied = loop_tests_are_copied
        self.restoring_handlers = restoring_handlers
        self.by_index = {block.index: block for block in blocks if block.layout[1:] == block_order.ITSELF}
        self.tries: dict[Region, LiftedBlock] = {}
        self.entry = self._enter_regions(blocks)
        self.analyse()

    def analyse(self) -> None:
        """Compute the reachable nodes, the dominator tree and the back edges."""
        self._within: dict[Region, set[LiftedBlock]] | None = None
        self._parts: dict[object, set[LiftedBlock]] | None = None
        self._first: dict[LiftedBlock, int] = {}
        order, self.dominator = dominator_tree(self.entry, attrgetter("successors"))
        self.order = order
        self.nodes = sorted(order, key=attrgetter("layout"))
        self.ends_of_loops: dict[int, list[LiftedBlock]] = {}
        for node in self.nodes:
            for first in node.evidence.ends_loops:
                self.ends_of_loops.setdefault(first, []).append(node)
        self.children: dict[LiftedBlock, list[LiftedBlock]] = {node: [] for node in order}
        for node in order[1:]:
            self.children[self.dominator[node]].append(node)
        self._number()
        self.sources: dict[LiftedBlock, list[LiftedBlock]] = {node: [] for node in order}
        self.back: dict[LiftedBlock, list[LiftedBlock]] = {}
        for node in order:
            for successor in node.successors[:1] if node.true is node.false else node.successors:
                if self.dominates(successor, node):
                    self.back.setdefault(successor, []).append(node)
                else:
                    self.sources[successor].append(node)

    def _number(self) -> None:
        """Number the nodes in preorder of the dominator tree: a node and all that it dominates are consecutive."""
        size = dict.fromkeys(self.order, 1)
        for node in reversed(self.order[1:]):
            size[self.dominator[node]] += size[node]
        self.number, self._last = {self.entry: 0}, {}
        for node in self.order:
            following = self.number[node] + 1
            for child in reversed(self.children[node]):
                self.number[child] = following
                following += size[child]
            self._last[node] = following

    def within(self, region: Region) -> set[LiftedBlock]:
        """Return the nodes in the body of ``region``. Do not modify the result."""
        if self._within is None:
            self._within = {}
            for node in self.nodes:
                for around in chain(node.region):
                    self._within.setdefault(around, set()).add(node)
        return self._within.get(region, set())

    def keeping(self, kind: str, owner: object) -> set[LiftedBlock]:
        """Return the nodes with the marker of this kind and owner on the stack. Do not modify the result."""
        return self.parts_of(key_of(kind, owner))

    def statements_of(self, node: LiftedBlock) -> list[object]:
        """Return the try, with, for and match statements that ``node`` begins or is in, as far as it shows itself."""
        found: list[object] = [key_of(marker.kind, marker.owner) for marker in node.markers]
        if node.kind == "try":
            found.append(node.test)
        case = case_of(node.test)
        if case is not None:
            found.append(case.number)
        return found + [statement.number for statement in node.statements[:1] if isinstance(statement, CaseElse)]

    def parts_of(self, statement: object) -> set[LiftedBlock]:
        """Return the nodes of a statement from `statements_of`. Do not modify the result."""
        if isinstance(statement, Region):
            return self.within(statement)
        if self._parts is None:
            self._parts = {}
            for node in self.nodes:
                for found in self.statements_of(node):
                    self._parts.setdefault(found, set()).add(node)
        return self._parts.get(statement, set())

    def first_of(self, node: LiftedBlock) -> int:
        """Return the layout position of the first node that ``node`` dominates."""
        if not self._first:
            self._first = {member: index for index, member in enumerate(self.nodes)}
            for member in reversed(self.order):
                if member is not self.entry:
                    above = self.dominator[member]
                    self._first[above] = min(self._first[above], self._first[member])
        return self._first[node]

    def restored_in(self, members: set[LiftedBlock]) -> list[int]:
        """Return the offsets of the handlers of inlined comprehensions in ``members``."""
        layouts = [node.layout for node in self.nodes]
        return [
            offset
            for start, offset in self.restoring_handlers
            if self.nodes[max(bisect_right(layouts, block_order.at(start)) - 1, 0)] in members
        ]

    def dominates(self, upper: LiftedBlock, lower: LiftedBlock) -> bool:
        """Whether every path to ``lower`` passes ``upper``."""
        return self.number[upper] <= self.number[lower] < self._last[upper]

    def dominated(self, node: LiftedBlock) -> list[LiftedBlock]:
        """``node`` and all that it dominates."""
        return list(self.each_dominated(node))

    def each_dominated(self, node: LiftedBlock) -> Iterator[LiftedBlock]:
        """``node`` and all that it dominates, what is near in the dominator tree first."""
        found = [node]
        for member in found:
            yield member
            found.extend(self.children[member])

    def natural_loop(self, header: LiftedBlock, ends: Iterable[LiftedBlock] | None = None) -> set[LiftedBlock]:
        """The nodes from which control comes back to ``header``; through ``ends`` alone, if given."""
        loop = {header}
        todo = list(self.back.get(header, ()) if ends is None else ends)
        while todo:
            node = todo.pop()
            if node not in loop:
                loop.add(node)
                todo.extend(self.sources[node])
                todo.extend(self.back.get(node, ()))
        return loop

    # Nodes for try and with statements

    def _enter_regions(self, blocks: list[LiftedBlock]) -> LiftedBlock:
        """Make a node for each statement, through which control enters it; return the entry of the code."""
        start = min(blocks, key=attrgetter("layout"))
        first = _past_jumps(start)
        if not [block for block in blocks if block.region is not None]:
            return start if start.predecessors and first in start.successors else first  # it is the header of a loop
        edges: list[tuple[LiftedBlock | None, LiftedBlock]] = [(None, first), *_edges_past_jumps(blocks)]
        entries: dict[Region, LiftedBlock] = {}
        for source, target in edges:
            for region in _entered(source, target):
                known = entries.get(region)
                if known is None or target.layout < known.layout:
                    entries[region] = target
        for region, body in entries.items():
            self._make_node(region, body)
        for region, node in self.tries.items():
            node.terminator = node.terminator._replace(true=self._outermost(node, entries[region]))
        self._redirect_entries(edges, entries)
        for region, node in self.tries.items():
            if region.kind == "with" and node.false is not None:
                node.terminator = node.terminator._replace(false=_after_swallowing(node.false))
        for node in self.tries.values():
            first = node if first in self._redirect_back_jumps(node) else first
        entered = _entered(None, first)
        if entered:
            return self.tries[entered[0]]
        return start if start.predecessors and first in start.successors else first  # it is the header of a loop

    def _redirect_entries(
        self, edges: list[tuple[LiftedBlock | None, LiftedBlock]], entries: dict[Region, LiftedBlock]
    ) -> None:
        """Redirect each edge into a statement to the node of that statement.

        Raises SeveralEntries if an edge enters a statement in the middle.
        """
        for source, target in edges:
            entered = _entered(source, target)
            if source is None or not entered:
                continue
            for region in entered:
                if entries[region] is not target:
                    raise SeveralEntries(region, target)
            source.redirect(target, self.tries[entered[0]])

    @staticmethod
    def _redirect_back_jumps(node: LiftedBlock) -> list[LiftedBlock]:
        """Redirect jumps from the body of ``node`` to a block just before it to ``node``: the statement is in a loop.

        Return the blocks of the jumps, which are now unreachable. Those that are a ``continue`` stay.
        """
        left: list[LiftedBlock] = []
        for before in list(node.predecessors):
            if before.evidence.is_continue:
                continue
            if skip_jumps(before) is node and any(node.test in chain(source.region) for source in before.predecessors):
                for source in list(before.predecessors):
                    source.redirect(before, node)
                left.append(before)
        return left

    def _make_node(self, region: Region, body: LiftedBlock) -> None:
        handler = self.by_index.get(region.handler.start)
        if handler is None:
            raise DecompilationError("a try statement whose handler is not reached", stage="structure")
        depth = len([m for m in handler.markers if m.owner is not region])
        stack = handler.entry[: depth if region.kind != "with" else max(depth - 1, 0)]
        layout = block_order.statement_before(body.layout, len(chain(region)))
        line = body.evidence.line if region.line is None else region.line
        evidence = Evidence(line=line, exit_line=line)
        node = LiftedBlock(body.index, region.parent, stack, layout, evidence)
        # For a with statement, `false` is later set to its successor, when the edges are in place.
        node.terminator = Terminator("try", test=region, false=handler)
        self.tries[region] = node

    def _outermost(self, node: LiftedBlock, body: LiftedBlock) -> LiftedBlock:
        """Return the first node in the body of ``node``: the outermost statement beginning there, or the block."""
        inner = [region for region in chain(body.region) if region not in chain(node.test)]
        return self.tries[inner[-1]] if inner else body


def _edges_past_jumps(blocks: list[LiftedBlock]) -> Iterator[tuple[LiftedBlock, LiftedBlock]]:
    """Yield the edges of ``blocks``; redirect those into statements past blocks that only jump."""
    for block in blocks:
        for successor in dict.fromkeys(block.successors):
            real = _past_jumps(successor)
            is_entry = bool(_entered(block, real))
            if real is not successor and is_entry:
                block.redirect(successor, real)
            yield block, real if is_entry else successor


def key_of(kind: str, owner: object) -> object:
    """Return the key of markers of this kind and owner, for `Flow.parts_of`."""
    return kind, owner if isinstance(owner, (int, str)) else id(owner)


def _entered(source: LiftedBlock | None, target: LiftedBlock) -> list[Region]:
    """Return the regions that an edge enters, outermost first."""
    if target.region is None or source is not None and source.region is target.region:
        return []
    inside = chain(source.region) if source is not None else []
    return [region for region in reversed(chain(target.region)) if region not in inside]


def _past_jumps(block: LiftedBlock) -> LiftedBlock:
    """Skip blocks that only jump, if that stays within the same statement."""
    real = skip_jumps(block) or block
    return real if real.region is block.region else block


def _after_swallowing(handler: LiftedBlock) -> LiftedBlock:
    """Return the block that control reaches when __exit__ swallows the exception: the one after the with statement."""
    block: LiftedBlock | None = handler.true
    if handler.kind != "branch" or block is None:
        raise DecompilationError("a with statement without a test of __exit__", stage="structure")
    item = [m.owner for m in handler.markers if m.kind == "exit"][-1:]
    for _ in range(4):
        if block is not None and item and all(m.owner is not item[0] for m in block.markers):
            is_written = block.evidence.is_continue and len(block.predecessors) > 1
            return block if is_written else skip_jumps(block) or block
        if block is None or block.statements:
            break
        block = block.next
    raise DecompilationError("a with statement that ends in another way", stage="structure")
