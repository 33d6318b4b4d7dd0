"""Separates ``while True`` from a ``while`` with a condition at the beginning of its body.

Both loops then have the same header, a test. If the compiler copies the test of a loop to its bottom, back edges from
there belong to the inner loop, and all others to the outer one.
"""

from __future__ import annotations

from ..lift import Evidence, LiftedBlock, Terminator, block_order
from ..lift.folding.shapes import skip_jumps
from .flow import Flow


def separate_outer_loops(flow: Flow) -> None:
    """Give each such outer loop a header of its own, of the kind 'endless'."""
    for header in list(flow.back):
        if header.kind == "branch" and header.evidence.is_repeated and not header.statements:
            _separate(flow, header)
        elif header.kind == "goto" and not header.statements and _is_around_a_loop(flow, header):
            header.become(Terminator("endless", true=header.next, fall=header.next))
            flow.analyse()


def _is_around_a_loop(flow: Flow, header: LiftedBlock) -> bool:
    """Whether the loop of ``header`` begins with a smaller one. It has a condition, where the compiler may also thread
    some of the jumps to one loop past its NOP; elsewhere the flow graph has only such headers.
    """
    inner = header.next
    if inner not in flow.back or flow.loop_tests_are_copied and (inner.kind != "branch" or inner.statements):
        return False
    return header not in flow.natural_loop(inner)


def _separate(flow: Flow, header: LiftedBlock) -> None:
    inside = _back_from_the_bottom(flow, header)
    arms = {skip_jumps(header.true), skip_jumps(header.false)}
    whole = flow.natural_loop(header)
    if not arms <= whole or arms <= inside:
        return
    again = [source for source in flow.back[header] if source not in inside]
    evidence = Evidence(line=header.evidence.line)
    layout = block_order.loop_before(header.layout)
    node = LiftedBlock(header.index, header.region, list(header.entry), layout, evidence)
    node.exit = list(header.entry)
    for source in [*flow.sources[header], *again]:
        source.redirect(header, node)
    if flow.entry is header:
        flow.entry = node
    node.become(Terminator("endless", true=header, fall=header))
    flow.analyse()


def _back_from_the_bottom(flow: Flow, header: LiftedBlock) -> set[LiftedBlock]:
    """Return the natural loop of the back edges that come from copies of the header's test."""
    return flow.natural_loop(header, [source for source in flow.back[header] if source.evidence.is_bottom])
