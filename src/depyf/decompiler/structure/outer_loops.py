"""Tells ``while True`` from the tested ``while`` that it begins with.

Both begin with the same test then. Where the compiler writes the test of a loop a second time at the bottom, what comes
back from there belongs to the inner loop, and what jumps to the first test from elsewhere to the outer one.
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


def _separate(flow: Flow, header: LiftedBlock) -> None:
    inside = _back_from_the_bottom(flow, header)
    arms = {skip_jumps(header.true), skip_jumps(header.false)}
    whole = flow.natural_loop(header)
    if not arms <= whole or arms <= inside:
        return
    again = [source for source in flow.back[header] if source not in inside]
    evidence = Evidence(line=header.evidence.line)
    place = block_order.loop_before(header.layout)
    node = LiftedBlock(header.index, header.region, list(header.entry), place, evidence)
    node.exit = list(header.entry)
    for source in [*flow.sources[header], *again]:
        source.redirect(header, node)
    if flow.entry is header:
        flow.entry = node
    node.become(Terminator("endless", true=header, fall=header))
    flow.analyse()


def _back_from_the_bottom(flow: Flow, header: LiftedBlock) -> set[LiftedBlock]:
    """The header with the nodes from which control comes back to it through the copy of its test."""
    return flow.natural_loop(header, [source for source in flow.back[header] if source.evidence.is_bottom])
