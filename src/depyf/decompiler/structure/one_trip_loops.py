"""``while True: ...; break``: a loop that never repeats, for a ``break`` that leaves several statements at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..lift import Evidence, LiftedBlock, Terminator, block_order
from ..lift.block_order import OrderKey
from ..lift.folding.shapes import skip_jumps
from ..syntax import nodes
from .context import Context, ends
from .flow import Flow

if TYPE_CHECKING:
    from .structurer import Structurer


class OneTrip(NamedTuple):
    """A one-trip loop to insert. Nodes are identified by their layout keys, which are the same in every attempt.

    Its ``break`` jumps to ``end``. It begins at ``head``: 'around' it, if that is a loop; 'inside' the body of that
    loop; or 'behind' the statements of the node, before its test.
    """

    head: OrderKey
    end: OrderKey
    position: str


def one_trips(flow: Flow, end: LiftedBlock) -> list[OneTrip]:
    """Return the possible one-trip loops whose ``break`` jumps to ``end``: they begin where the paths to it diverge."""
    head = flow.dominator[end]
    if head is end or any(source.kind == "try" and source.false is head for source in flow.sources[head]):
        return []
    if head.kind == "for" or head in flow.back:
        positions: tuple[str, ...] = ("inside", "around")
    elif head.kind in ("try", "once"):
        positions = ("around",)
    else:
        positions = ("behind",)
    return [OneTrip(head.layout, end.layout, position) for position in positions]


def insert_one_trip(flow: Flow, trip: OneTrip) -> bool:
    """Insert the node of a one-trip loop; return False if the graph has no such location (any more)."""
    at = {node.layout: node for node in flow.nodes}
    head, end = at.get(trip.head), at.get(trip.end)
    if head is None or end is None or head is end or not flow.dominates(head, end):
        return False
    node: LiftedBlock | None
    if trip.position == "around":
        node = _insert_before(flow, head, list(flow.sources[head]), end)
    elif trip.position == "inside" and head.kind == "for":
        start = head.true
        if start is None or start.kind == "try" or not start.statements or len(flow.sources[start]) != 1:
            return False
        node = _insert_after(start, 1, end)
    elif trip.position == "inside" and head.kind == "branch" and not head.statements:
        node = _insert_in_arm(flow, head, end)
    elif trip.position == "inside":
        node = _insert_before(flow, head, [*flow.sources[head], *flow.back[head]], end)
    else:
        node = _insert_after(head, len(head.statements), end)
    if node is None:
        return False
    flow.analyse()
    return flow.dominates(node, end)


def _insert_before(flow: Flow, head: LiftedBlock, sources: list[LiftedBlock], end: LiftedBlock) -> LiftedBlock:
    evidence = Evidence(line=head.evidence.line)
    node = LiftedBlock(head.index, head.region, list(head.entry), block_order.loop_before(head.layout), evidence)
    for source in sources:
        source.redirect(head, node)
    if flow.entry is head:
        flow.entry = node
    node.become(Terminator("once", true=head, false=end, fall=head))
    return node


def _insert_in_arm(flow: Flow, head: LiftedBlock, end: LiftedBlock) -> LiftedBlock | None:
    """Insert it before the only arm of ``head`` that is in the loop; ``head`` has no statements."""
    loop = flow.natural_loop(head)
    arms = [arm for arm in (head.true, head.false) if skip_jumps(arm) in loop]
    if len(arms) != 1:
        return None
    arm = arms[0]
    assert arm is not None
    evidence = Evidence(line=head.evidence.line)
    node = LiftedBlock(head.index, head.region, list(arm.entry), block_order.loop_inside(head.layout), evidence)
    head.redirect(arm, node)
    node.become(Terminator("once", true=arm, false=end, fall=arm))
    return node


def _insert_after(head: LiftedBlock, count: int, end: LiftedBlock) -> LiftedBlock:
    """Insert it between the first ``count`` statements of ``head`` and the rest, which gets a block of its own."""
    rest = LiftedBlock(
        head.index, head.region, list(head.exit), block_order.rest(head.layout), head.evidence.of_test()
    )
    rest.exit = list(head.exit)
    rest.statements, head.statements = head.statements[count:], head.statements[:count]
    rest.become(head.terminator)
    evidence = Evidence(line=rest.evidence.line)
    node = LiftedBlock(head.index, head.region, list(head.exit), block_order.loop_inside(head.layout), evidence)
    head.become(Terminator("goto", next=node, fall=node))
    node.become(Terminator("once", true=rest, false=end, fall=rest))
    return node


def write_once(
    writer: Structurer, node: LiftedBlock, follow: LiftedBlock | None, context: Context, out: list[nodes.Statement]
) -> LiftedBlock | None:
    """Write the one-trip loop that begins at ``node.true``; its ``break`` jumps to ``node.false``."""
    start, end = node.true, node.false
    assert start is not None and end is not None
    inside = set(writer.flow.dominated(node)) - set(writer.flow.dominated(end))
    body = writer.arm(node, start, end, context.in_loop(inside, end, None))
    if not body or not ends(body):
        body.append(nodes.Break())
    out.append(nodes.While(nodes.Constant(True), body, line=node.evidence.line))
    return writer.go(node, end, follow, context, out, after_statement=True)
