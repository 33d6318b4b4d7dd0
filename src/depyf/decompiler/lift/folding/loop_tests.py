"""Undoes the copy of a while loop's test at the bottom of the loop (CPython 3.10 to 3.13)."""

from __future__ import annotations

from ...syntax import nodes
from .. import block_order
from ..lifted_block import LiftedBlock, Terminator
from .negation import same_condition
from .shapes import in_a_comprehension, same_effect, skip_jumps


def undo_loop_test(block: LiftedBlock) -> tuple[LiftedBlock | None, list[LiftedBlock]]:
    """Turn later copies of the test of ``block``, which jump back to one of its arms, into jumps to the test.

    The statements before the test run only once, so the test gets a block of its own if there are any. Return the
    block of the test and the former successors of the copies.
    """
    if not isinstance(block.test, nodes.Expression) or in_a_comprehension(block):
        return None, []
    fall = skip_jumps(block.fall)
    for body, out in ((block.true, block.false), (block.false, block.true)):
        start = fall if body is block.fall else skip_jumps(body)
        if start is None or fall is not start:
            continue  # the test of a while loop falls through to the body
        copies = [
            copy
            for copy in start.predecessors
            if copy.index > block.index
            and start.index <= copy.index
            and _repeats(copy, block, start, out, body is block.true)
        ]
        if not copies:
            continue
        header = _own_header(block)
        left = [successor for copy in copies for successor in copy.successors]
        for copy in copies:
            copy.become(Terminator("goto", next=header))
            copy.evidence = copy.evidence._replace(is_bottom=True)
        header.evidence = header.evidence._replace(is_repeated=True)
        return header, left
    return None, []


def _repeats(
    copy: LiftedBlock, block: LiftedBlock, start: LiftedBlock, out: LiftedBlock | None, when_true: bool
) -> bool:
    if copy.kind != "branch" or copy is block:
        return False
    if skip_jumps(copy.true) is start:
        copied_when_true, copied_out = True, copy.false
    elif skip_jumps(copy.false) is start:
        copied_when_true, copied_out = False, copy.true
    else:
        return False
    if not same_effect(out, copied_out):
        return False
    return same_condition(copy.test, block.test, opposite=copied_when_true != when_true)


def _own_header(block: LiftedBlock) -> LiftedBlock:
    if not block.statements and len(block.entry) == len(block.exit):
        return block
    stack = list(block.exit)
    header = LiftedBlock(block.index, block.region, stack, block_order.end(block.layout), block.evidence.of_test())
    header.exit = list(stack)
    header.become(block.terminator)
    block.become(Terminator("goto", next=header, fall=header))
    return header
