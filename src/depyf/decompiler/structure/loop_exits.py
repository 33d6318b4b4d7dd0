"""Where ``break`` goes in an endless loop, what is in the loop because it leads there, and what returns instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..flowgraph.regions import Region, chain
from ..lift import LiftedBlock
from ..lift.folding.shapes import skip_jumps
from ..lift.values import Marker
from ..limits.budget import STEP, spend
from .context import Context, NoPlace

if TYPE_CHECKING:
    from .structurer import Structurer


def break_target(
    writer: Structurer,
    node: LiftedBlock,
    inside: set[LiftedBlock],
    follow: LiftedBlock | None,
    context: Context,
) -> LiftedBlock | None:
    """Return the target of ``break`` in an endless loop; add the code on the path to it to ``inside``."""
    breaks = _add_endings(writer, node, inside, follow, context)
    breaks = [block for block in breaks if not is_returned_to(writer, block, inside, node.region)]
    if len(breaks) > 1:
        breaks = [block for block in breaks if block not in (context.break_to, context.continue_to)]
    if len(breaks) > 1:
        breaks = [_meeting(writer, node, breaks, inside, context)]
    if breaks and _ends_inner_loop(writer, node, breaks[0], inside):
        inside |= set(writer.flow.dominated(breaks[0]))
        breaks = []
    return breaks[0] if breaks else _nowhere(inside)


def _nowhere(inside: set[LiftedBlock]) -> LiftedBlock | None:
    """Return what would follow the loop if a ``finally`` body did not prevent it; None if nothing but a return leaves
    the loop.
    """
    for node in sorted(inside, key=lambda node: node.layout):
        for block in map(skip_jumps, node.successors):
            if block is not None and block.kind == "nowhere" and all(isinstance(one, Marker) for one in block.entry):
                if block not in inside and not node.evidence.unwinds_for_return:
                    return block
    return None


def _add_endings(
    writer: Structurer,
    node: LiftedBlock,
    inside: set[LiftedBlock],
    follow: LiftedBlock | None,
    context: Context,
) -> list[LiftedBlock]:
    """Return the exits of the loop. Code that ends with a ``break``, return or raise is added to ``inside`` even if it
    is laid out after the last back edge.
    """
    blocks = writer.leaving(inside)
    breaks = [block for block in blocks if not writer.is_constant_exit(block)]
    last = max(other.layout for other in inside)
    breaks = breaks or [block for block in blocks if not writer.is_return_before(block, last, node.region)][-1:]
    end = _next_exit(writer, follow, breaks)
    if end is not None:
        breaks = [block for block in breaks if block is not skip_jumps(context.break_to)] or breaks
    for block in breaks[:] if end is not None else breaks[:-1]:
        ending = set(writer.flow.dominated(block)) & context.inside
        if block is not end and writer.flow.dominates(node, block) and set(writer.leaving(ending)) <= {end}:
            inside |= ending
            breaks.remove(block)
    return breaks


def _next_exit(writer: Structurer, follow: LiftedBlock | None, blocks: list[LiftedBlock]) -> LiftedBlock | None:
    """Return which of ``blocks`` control reaches after the loop: the next block, or the end that it leads to."""
    block = skip_jumps(follow)
    if block is None or block in blocks:
        return block
    end = writer.final(block)
    return end if end in blocks else None


def _ends_inner_loop(
    writer: Structurer, header: LiftedBlock, block: LiftedBlock, inside: set[LiftedBlock]
) -> bool:
    """Whether control falls out of an inner loop into ``block``, and returns or raises there: no ``break`` leaves two
    loops.
    """
    sources = writer.flow.sources[block]
    if block in inside or not writer.flow.dominates(header, block):
        return False
    if any(source.fall is not block for source in sources):
        return False
    loops = [writer.flow.natural_loop(other) for other in writer.flow.back if other in inside and other is not header]
    if not all(any(source in loop for loop in loops) for source in sources):
        return False
    return not writer.leaving(set(writer.flow.dominated(block)))  # last, as that may be all that follows


def _meeting(
    writer: Structurer, header: LiftedBlock, blocks: list[LiftedBlock], inside: set[LiftedBlock], context: Context
) -> LiftedBlock:
    """Return where control from all of ``blocks`` joins; add the code up to there, which precedes a ``break``, to
    ``inside``.
    """
    for members in (blocks, blocks[:-1]):
        between = {node for block in members for node in writer.flow.dominated(block)} & context.inside
        ends = {skip_jumps(block) for node in between for block in node.successors} - between - {header, None}
        end = ends.pop() if len(ends) == 1 else None
        if end is None or end not in context.inside or any(node.layout > end.layout for node in between):
            continue
        if members is blocks or end is blocks[-1]:
            inside |= between
            return end
    raise NoPlace("a loop that is left to several places", blocks)


def is_returned_to(
    writer: Structurer, block: LiftedBlock, inside: set[LiftedBlock], around: Region | None = None
) -> bool:
    """Whether all that leads from ``inside`` to ``block``, the implicit return, is the rest of a return statement.

    ``around``: the innermost statement around a loop; a jump that leaves it is no ``break``.
    """
    end = writer.final(block, shared=True)
    if not end.evidence.is_implicit_return:
        return False
    leads = [
        _is_rest_of_return(node, around) or one is not end and one.evidence.unwinds_for_return
        for node in inside
        for one in node.successors
        if one not in inside and writer.final(skip_jumps(one) or one, shared=True) is end
    ]
    return bool(leads) and all(leads)


def _is_rest_of_return(block: LiftedBlock, around: Region | None) -> bool:
    """Whether ``block`` leaves statements for a return, or does so after what does, on all paths to it."""
    todo, seen = [block], {block}
    for one in todo:  # grows along
        spend(STEP, "structuring")
        if one.evidence.unwinds_for_return or one.evidence.keyword == "leaves a loop":
            continue
        if one.evidence.keyword == "leaves" and around is not None and around not in chain(one.region):
            continue
        if one.kind != "goto" or one.statements or not one.predecessors:
            return False
        todo += one.predecessors - seen
        seen.update(one.predecessors)
    return True
