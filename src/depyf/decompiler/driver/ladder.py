"""Other forms of the graph to structure where the plain one fails, mildest change first.

Where an edge has no equivalent in Python, ``structure`` reports its target. Then either the target block is copied
(tail duplication), or a one-trip loop is put around the code that leads to it. Loops and try statements that are
entered in the middle get a copy of the rest of their body in front (loop rotation). The proof decides which is right.
"""

from __future__ import annotations

import heapq
from typing import Callable, NamedTuple, Sequence, Union

from ...errors import DecompilationError
from ..flowgraph import ControlFlowGraph
from ..flowgraph.loop_rotation import duplicate_from, rotate_loops
from ..flowgraph.regions import chain
from ..flowgraph.tail_duplication import Dominance, duplicate, entering, size, spread
from ..lift import LiftedBlock
from ..lift.folding.shapes import skip_jumps
from ..structure import Flow, NoPlace, OneTrip, SeveralEntries, insert_one_trip, one_trips

SHORT, LONG = 8, 40
"""In instructions: the longest piece that is preferably copied, and the longest that is copied at all."""
ATTEMPTS = 30
WORK = 30_000
"""The limit of instructions over all attempts: long code gets fewer attempts, but at least a few."""


class Duplicate(NamedTuple):
    """Copy the block that begins at ``target`` for ``sources``; if ``whole``, with all code that only it leads to."""

    target: int
    sources: tuple[int, ...]
    whole: bool

    def apply(self, graph: ControlFlowGraph) -> bool:
        at = {block.start: block for block in graph.blocks}
        if self.target not in at or not all(start in at for start in self.sources):
            return False
        target = at[self.target]
        piece = Dominance(graph).dominated(target) if self.whole else [target]
        return duplicate(graph, [at[start] for start in self.sources], target, set(piece))


class OpenAt(NamedTuple):
    """Start the statement whose handler begins at ``handler`` at ``target``, for control that enters there."""

    target: int
    handler: int

    def apply(self, graph: ControlFlowGraph) -> bool:
        target = next((block for block in graph.blocks if block.start == self.target), None)
        around = chain(target.region) if target is not None else []
        region = next((region for region in around if region.handler.start == self.handler), None)
        return target is not None and region is not None and duplicate_from(graph, target, region)


Edit = Union[Duplicate, OpenAt, OneTrip]


class NotApplicable(DecompilationError):
    """The edit does not apply to the graph after the previous ones."""


class Ladder:
    """Searches for a form of the graph that can be structured, in order of preference.

    ``attempt`` runs the stages with the given edits; the last two methods here apply them, each in its stage.
    """

    def __init__(self, attempt: Callable[[list[Edit]], None]) -> None:
        self.attempt = attempt
        self.edits: list[Edit] = []
        self.rotated = False
        self.graph: ControlFlowGraph
        self.flow: Flow

    def climb(self) -> None:
        """Run the stages until they succeed with ``edits``; if no attempt does, raise the error of the first.

        The next attempt is the one with the fewest second choices and, of those, the most edits.
        """
        waiting: list[tuple[int, int, int, list[Edit]]] = [(0, 0, 0, [])]
        first: DecompilationError | None = None
        work = 0
        for number in range(ATTEMPTS):
            if not waiting or number > 8 and work > WORK:
                break
            passed_over, _, _, self.edits = heapq.heappop(waiting)
            try:
                self.attempt(self.edits)
                return self.leave_out()
            except NoPlace as failure:
                first = first or failure
                proposed = _proposals(failure, self.graph, self.flow, self.edits)
            except SeveralEntries as entry:
                first = first or entry
                proposed = [OpenAt(entry.target.index, entry.region.handler.start)]
            except DecompilationError as error:
                first = first or error
                continue
            work += size(self.graph.blocks)
            for rank, edit in enumerate(proposed):
                edits = [*self.edits, edit]
                heapq.heappush(waiting, (passed_over + rank, -len(edits), number * ATTEMPTS + rank, edits))
        assert first is not None
        raise first

    def leave_out(self) -> None:
        """Undo edits made unnecessary by later ones; the last run of the stages has the remaining ones."""
        for edit in self.edits[:-1]:
            needed = self.edits
            self.edits = [other for other in needed if other is not edit]
            try:
                self.attempt(self.edits)
            except DecompilationError:
                self.edits = needed
        self.attempt(self.edits)

    def copy_tails(self, graph: ControlFlowGraph, edits: Sequence[Edit]) -> None:
        """Apply the edits of the graph of instructions."""
        self.graph = graph
        most = 2 * size(graph.blocks) + LONG
        spread(graph)
        if rotate_loops(graph):
            self.rotated = True
        for edit in edits:
            if not isinstance(edit, OneTrip) and (not edit.apply(graph) or size(graph.blocks) > most):
                raise NotApplicable("a tail that can't be copied", stage="undo_optimiser")

    def put_in_loops(self, flow: Flow, edits: Sequence[Edit]) -> None:
        """Apply the edits of the graph of statements."""
        self.flow = flow
        for edit in edits:
            if isinstance(edit, OneTrip) and not insert_one_trip(flow, edit):
                raise NotApplicable("a one-trip loop that can't be put in", stage="structure")


def form_of(ladder: Ladder) -> str:
    """The name of the last form that was needed."""
    if ladder.rotated or any(isinstance(edit, OpenAt) for edit in ladder.edits):
        return "loop rotation"
    if any(isinstance(edit, Duplicate) for edit in ladder.edits):
        return "tail duplication"
    return "one-trip loop" if ladder.edits else "structured"


def _proposals(failure: NoPlace, graph: ControlFlowGraph, flow: Flow, made: list[Edit]) -> list[Edit]:
    """Edits that may help where structuring failed, the most readable form first."""
    ends = {edit.end for edit in made if isinstance(edit, OneTrip)}
    found: list[tuple[int, Edit]] = []
    for target in reversed(failure.targets):  # the target that all the rest leads to comes last
        if target in flow.dominator and target.layout not in ends:
            found += [(SHORT, edit) for edit in one_trips(flow, target)]
        found += _copies(target, failure.source, graph, flow)
    for target in _other_exits(failure, flow):
        found += [(SHORT + cost, edit) for cost, edit in _copies(target, None, graph, flow)]
    return [edit for _, edit in sorted(found, key=lambda pair: pair[0])]


def _other_exits(failure: NoPlace, flow: Flow) -> list[LiftedBlock]:
    """The other exits of the loop around the failure: if they become part of it, ``break`` is free for the failure."""
    if failure.source is None or failure.source not in flow.dominator:
        return []
    headers = [node for node in flow.back if node not in failure.targets and flow.dominates(node, failure.source)]
    loop = flow.natural_loop(max(headers, key=lambda node: flow.number[node])) if headers else set()
    reached = {skip_jumps(successor) for node in loop for successor in node.successors}
    blocks = reached - loop - {None, failure.source, *failure.targets}
    found = [block for block in blocks if block is not None and block in flow.dominator]
    return sorted(found, key=lambda block: block.layout)


def _copies(
    target: LiftedBlock, failed: LiftedBlock | None, graph: ControlFlowGraph, flow: Flow
) -> list[tuple[int, Edit]]:
    """Copies of ``target`` for its predecessor ``failed``, or for all predecessors but one, with their cost."""
    block = next((block for block in graph.blocks if block.start == target.index), None)
    if block is None:
        return []
    dominance = Dominance(graph)
    piece = dominance.dominated(block)
    sources = entering(graph, block, set(piece))
    if failed is not None:
        heads = {node.index for node in flow.nodes}
        leaving = {failed.index, *(jump.index for jump in _jumps(failed))}
        mine = [source for source in sources if dominance.nearest(source, heads) in leaving]
        sources = mine if len(mine) < len(sources) else mine[:-1]
    else:
        sources = sources[1:]
    if not sources:
        return []
    starts = tuple(source.start for source in sources)
    found: list[tuple[int, Edit]] = []
    if size(piece) <= LONG:
        found.append((size(piece), Duplicate(block.start, starts, True)))
    if len(piece) > 1 and size([block]) <= LONG and block not in block.successors:
        found.append((LONG + size([block]), Duplicate(block.start, starts, False)))
    return found


def _jumps(source: LiftedBlock) -> list[LiftedBlock]:
    """The blocks after ``source`` that only jump."""
    found: list[LiftedBlock] = []
    for successor in source.successors:
        block: LiftedBlock | None = successor
        while block is not None and skip_jumps(block) is not block and block not in found:
            found.append(block)
            block = block.next
    return found
