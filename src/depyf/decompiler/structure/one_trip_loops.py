"""``while True: ...; break``: a loop for its ``break``, which leaves several statements; it never comes back."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..lift import LiftedBlock
from ..lift.folding.shapes import through
from ..syntax import nodes
from .context import Context, ends
from .flow import Flow

if TYPE_CHECKING:
    from .structurer import Structurer


class OneTrip(NamedTuple):
    """A one-trip loop to be put in: nodes are named by their place in the layout, which stays from try to try.

    Its ``break`` leads to ``end``. It begins at ``head``: 'around' it, if that is a loop; 'inside', in the body of that
    loop; or 'behind' the statements of the node, before its test.
    """

    head: float
    end: float
    place: str


def places(flow: Flow, end: LiftedBlock) -> list[OneTrip]:
    """Where a one-trip loop may begin that is left to ``end``: where the paths to it part."""
    head = flow.dominator[end]
    if head is end or any(source.kind == "try" and source.false is head for source in flow.sources[head]):
        return []
    if head.kind == "for" or head in flow.back:
        ways: tuple[str, ...] = ("inside", "around")
    elif head.kind in ("try", "once"):
        ways = ("around",)
    else:
        ways = ("behind",)
    return [OneTrip(head.layout, end.layout, way) for way in ways]


def put_in(flow: Flow, trip: OneTrip) -> bool:
    """Put the node of a one-trip loop in; False if there is no such place (any more)."""
    at = {node.layout: node for node in flow.nodes}
    head, end = at.get(trip.head), at.get(trip.end)
    if head is None or end is None or head is end or not flow.dominates(head, end):
        return False
    node = LiftedBlock(head.index, head.region, list(head.entry))
    node.line = head.line
    if trip.place == "around":
        _before(flow, node, head, list(flow.sources[head]))
    elif trip.place == "inside" and head.kind == "for":
        start = head.true
        if start is None or start.kind == "try" or not start.statements or len(flow.sources[start]) != 1:
            return False
        _behind(node, start, 1)
    elif trip.place == "inside" and head.kind == "branch" and not head.statements:
        loop = flow.natural_loop(head)
        arms = [arm for arm in (head.true, head.false) if through(arm) in loop]
        if len(arms) != 1:
            return False
        arm = arms[0]
        assert arm is not None
        node.layout = head.layout + 0.3
        head.redirect(arm, node)
        node.become("once", true=arm, false=end, fall=arm)
        node.entry = list(arm.entry)
    elif trip.place == "inside":
        _before(flow, node, head, [*flow.sources[head], *flow.back[head]])
    else:
        _behind(node, head, len(head.statements))
    node.false = end
    end.predecessors.add(node)
    flow.analyse()
    return flow.dominates(node, end)


def _before(flow: Flow, node: LiftedBlock, head: LiftedBlock, sources: list[LiftedBlock]) -> None:
    node.layout = head.layout - 0.001
    for source in sources:
        source.redirect(head, node)
    if flow.entry is head:
        flow.entry = node
    node.become("once", true=head, fall=head)


def _behind(node: LiftedBlock, head: LiftedBlock, count: int) -> None:
    """Between the first ``count`` statements of ``head`` and the rest, which gets a block of its own."""
    rest = LiftedBlock(head.index, head.region, list(head.exit))
    rest.exit = list(head.exit)
    rest.layout = head.layout + 0.4
    node.layout = head.layout + 0.3
    node.entry = list(head.exit)
    rest.statements, head.statements = head.statements[count:], head.statements[:count]
    rest.line, rest.test_line = head.test_line, head.test_line
    for name in ("repeated", "implicit_return", "loads_last", "is_end"):
        setattr(rest, name, getattr(head, name))
    rest.become(
        head.kind, test=head.test, next=head.next, true=head.true, false=head.false, fall=head.fall, sense=head.sense
    )
    head.become("goto", next=node, fall=node)
    node.become("once", true=rest, fall=rest)
    node.line = rest.line


def write_once(
    writer: Structurer, node: LiftedBlock, follow: LiftedBlock | None, context: Context, out: list[nodes.Statement]
) -> LiftedBlock | None:
    """A one-trip loop from ``node.true`` on; ``node.false`` is what its ``break`` leads to."""
    start, end = node.true, node.false
    assert start is not None and end is not None
    inside = set(writer.flow.dominated(node)) - set(writer.flow.dominated(end))
    body = writer.arm(node, start, end, context.in_loop(inside, end, None))
    if not body or not ends(body):
        body.append(nodes.Break())
    out.append(nodes.While(nodes.Constant(True), body, line=node.line))
    return writer.go(node, end, follow, context, out, after_statement=True)
