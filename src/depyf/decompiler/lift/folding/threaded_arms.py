"""``b or f`` as an arm of ``(x if c else (b or f)) or y``: its jump is threaded past the test of the whole."""

from __future__ import annotations

from ...syntax import nodes
from ..lifted_block import LiftedBlock, Terminator
from .shapes import in_a_chain, is_silent, only_from, pushes_one, same_stack, skip_jumps


def unthread_arm(block: LiftedBlock) -> bool:
    """Redirect the test of an arm to the test of the whole expression, where the values of all arms join. This undoes
    the jump threading of the compiler.
    """
    if in_a_chain(block) or block.true is None or block.false is None:
        return False
    keeps = block.kind == "or_pop"
    truth = block.terminator.sense if keeps else block.fall is block.false
    second, target = (block.false, block.true) if keeps or truth else (block.true, block.false)
    if not only_from(second, block) or not pushes_one(second, block.exit):
        return False
    whole = second.next
    if whole is None or len(whole.predecessors) < 2 or whole.region is not block.region:
        return False
    if whole.evidence.is_repeated or not is_silent(whole) or len(whole.entry) != len(second.exit):
        return False
    below = whole.exit[: len(block.exit)]
    if not same_stack(below, block.exit) or skip_jumps(target) is not skip_jumps(_target(whole, truth, keeps)):
        return False
    block.become(Terminator("or_pop", test=block.test, true=whole, false=second, fall=second, sense=truth))
    return True


def _target(whole: LiftedBlock, truth: bool, keeps: bool) -> LiftedBlock | None:
    """Return the target of ``whole`` for an incoming value of this ``truth``; None if it keeps a value that ``keeps``
    says is dropped, or the reverse.
    """
    value = whole.entry[-1]
    if whole.kind == "goto":
        operation = whole.exit[-1] if len(whole.exit) == len(whole.entry) else None
        if not isinstance(operation, nodes.BoolOp) or operation.values[0] is not value:
            return None
        return whole.next if keeps and truth is (operation.op == "or") else None
    if whole.test is not value:
        return None
    if whole.kind == "branch":
        return None if keeps else whole.true if truth else whole.false
    if whole.kind == "or_pop" and keeps is (whole.terminator.sense is truth):
        return whole.true if keeps else whole.false
    return None
