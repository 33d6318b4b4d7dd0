"""Where the two arms of an ``if`` statement join."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lift import LiftedBlock
from ..lift.folding.shapes import skip_jumps
from ..lift.values import case_of
from .context import Context

if TYPE_CHECKING:
    from .structurer import Structurer


def find_merges(
    writer: Structurer, node: LiftedBlock, follow: LiftedBlock | None, context: Context
) -> list[LiftedBlock]:
    """Return the blocks where paths from ``node`` join, in layout order."""
    taken = [skip_jumps(other) for other in (follow, context.break_to, context.continue_to) if other is not None]
    children = writer.flow.children[node]
    found = {_meeting(writer, child): None for child in children if len(writer.flow.sources[child]) > 1}
    return sorted(
        (
            block
            for block in found
            if block not in taken
            and block is not context.break_to
            and (
                block in context.inside
                and skip_jumps(block) is block
                or _is_return_of_try(writer, node, block)
                or _is_one_jump(writer, block, follow, context, in_match=case_of(node.test) is not None)
            )
        ),
        key=lambda block: block.layout,
    )


def laid_out_after(
    writer: Structurer, node: LiftedBlock, first: LiftedBlock, second: LiftedBlock, context: Context
) -> LiftedBlock | None:
    """Return code that only the first arm reaches, but that is laid out after the second one: it follows the ``if``."""
    second, flow = skip_jumps(second) or second, writer.flow
    if flow.dominator.get(first) is not node or second not in flow.children[node]:
        return None
    reached = {first: None}  # from code laid out before the second arm
    for position in range(flow.first_of(first), len(flow.nodes)):
        source = flow.nodes[position]
        if source.layout >= second.layout:
            break
        if flow.dominates(first, source):
            reached.update(dict.fromkeys(source.successors))
    candidates = [
        inner
        for inner in reached
        if inner in context.inside
        and flow.dominates(first, inner)
        and (skip_jumps(inner) is inner or skip_jumps(inner) not in (context.break_to, context.continue_to))
        and inner.layout > second.layout
        and any(source.layout < second.layout for source in flow.sources[inner])
        and len(inner.markers) <= len(node.markers)  # not in a handler, which may be laid out last
        and not (flow.handlers_are_last and _is_above(inner, second))
    ]
    return min(candidates, key=lambda inner: inner.layout, default=None)


def _is_above(block: LiftedBlock, other: LiftedBlock) -> bool:
    """Whether the lines put ``block`` before ``other``: what only handlers reach is laid out later (3.12 and later)."""
    line, other_line = block.evidence.line, other.evidence.line
    return line is not None and other_line is not None and line < other_line


def _is_one_jump(
    writer: Structurer, block: LiftedBlock, follow: LiftedBlock | None, context: Context, *, in_match: bool
) -> bool:
    """Whether ``block`` is a single ``break``, ``continue`` or ``return`` where paths join."""
    goal = skip_jumps(block)
    if goal is None or goal is block:
        return False
    if _is_of_the_compiler(block):
        return False  # where several `break` statements lead
    if follow is not None and goal is skip_jumps(follow):
        evidence = block.evidence  # without columns, the jump after a match statement has the line of a case
        return goal is context.continue_to and evidence.is_continue and (evidence.column is not None or not in_match)
    loop = (context.break_to, context.continue_to)
    return writer.is_exit(goal) or any(goal is skip_jumps(other) for other in loop if other is not None)


def _is_of_the_compiler(block: LiftedBlock) -> bool:
    """Whether the jump ``block`` has no line of its own, but all that leads to it are jumps that have one."""
    line, lines = block.evidence.exit_line, {one.evidence.exit_line for one in block.predecessors}
    if line is not None and line not in lines:
        return False
    return all(_is_written_jump(one, of_next=line is not None) for one in block.predecessors)


def _is_written_jump(block: LiftedBlock, *, of_next: bool) -> bool:
    """Whether a `break` or `continue` of the source ends ``block``. ``of_next``: the next jump may have its line."""
    line = block.evidence.exit_line
    if block.kind != "goto" or line is None:
        return False
    if block.jumps_on_its_line or block.evidence.column is not None:
        return True
    above = [one.line for one in block.statements] or [one.evidence.exit_line for one in block.predecessors]
    return of_next and all(one is not None and one < line for one in above)


def _is_return_of_try(writer: Structurer, node: LiftedBlock, block: LiftedBlock) -> bool:
    """Whether ``block`` is the return of a constant at the end of the try statement's body that ``node`` is in."""
    is_written = block.kind == "return" and not block.evidence.is_implicit_return
    return is_written and block.region is not node.region and writer.cannot_raise(block)


def _meeting(writer: Structurer, child: LiftedBlock) -> LiftedBlock:
    """Return the block where paths through ``child`` join: its target if ``child`` only jumps and dominates that, and
    the jump is not a ``break`` or ``continue``.
    """
    block = skip_jumps(child)
    if block is None or block is child or child.evidence.column is not None:
        return child
    if writer.is_exit(block) or block not in writer.flow.dominator:
        return child
    return block if writer.flow.dominates(child, block) and block.region is child.region else child
