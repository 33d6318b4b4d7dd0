"""Predicates on blocks for the folding rules."""

from __future__ import annotations

from ...syntax import nodes
from ..evidence import Evidence
from ..lifted_block import LiftedBlock
from ..values import Given, Marker, Slot, resolved, same_expression


def skip_jumps(block: LiftedBlock | None) -> LiftedBlock | None:
    """Return the block that control reaches from ``block`` past blocks that only jump.

    Of an empty endless loop, that is the first block.
    """
    if block is None or block.kind != "goto" or block.statements:
        return block  # the common case
    following = _after_jump(block)
    mark: LiftedBlock | None = block
    steps = 0
    while following is not block:
        block, following = following, _after_jump(following)
        steps += 1
        if following is mark:
            return _first_of_loop(following)
        if steps & (steps - 1) == 0:  # Brent's algorithm: a mark that is further back each time
            mark = block
    return block


def _after_jump(block: LiftedBlock | None) -> LiftedBlock | None:
    """The block to which ``block`` only jumps, or ``block`` itself."""
    if block is None or block.kind != "goto" or block.statements or block.next is None:
        return block
    return block.next if block.exit is block.entry or same_stack(block.exit, block.entry) else block


def _first_of_loop(block: LiftedBlock | None) -> LiftedBlock | None:
    loop = [block]
    while (following := _after_jump(loop[-1])) is not block:
        loop.append(following)
    return min((one for one in loop if one is not None), key=lambda one: one.layout)


def ends_the_body(block: LiftedBlock | None) -> bool:
    """Whether control goes to the bottom of a while loop, where the copy of its test was."""
    for _ in range(10_000):
        if block is None or block.kind != "goto" or block.statements or block.evidence.is_bottom:
            break
        block = block.next
    return block is not None and block.kind == "goto" and block.evidence.is_bottom and not block.statements


def same_stack(left: list[nodes.Expression], right: list[nodes.Expression]) -> bool:
    """Whether two stacks hold the very same entries."""
    if not left or not right:
        return not left and not right
    other = [1 for a, b in zip(left, right) if a is not b and resolved(a) is not resolved(b)]
    return not other and len(left) == len(right)


def same_effect(left: LiftedBlock | None, right: LiftedBlock | None) -> bool:
    """Whether both blocks do the same: they are one block, or equal copies of a small exit."""
    for _ in range(4):
        left, right = skip_jumps(left), skip_jumps(right)
        if left is right:
            return True
        if left is None or right is None or left.kind != right.kind:
            return False
        if not same_expression(left.statements, right.statements):
            return False
        if left.kind == "return":
            return same_expression(left.test, right.test)
        if left.kind == "reraise":
            return [(m.kind, m.owner) for m in left.markers] == [(m.kind, m.owner) for m in right.markers]
        if left.kind != "goto":
            return False
        left, right = left.next, right.next
    return False


def same_exit(left: LiftedBlock | None, right: LiftedBlock | None, skipped: int = 0) -> bool:
    """Whether both blocks are one, or the compiler's copies of one short exit from the code.

    The first ``skipped`` statements of ``left`` are ignored. Copies have the lines of the original, except for
    copies of the implicit return: these have the line of the code that jumps there.
    """
    left, right = left if skipped else skip_jumps(left), skip_jumps(right)
    if left is right:
        return not skipped
    if left is None or right is None or left.kind != right.kind or left.kind not in ("return", "raise", "goto"):
        return False
    if left.kind == "goto":
        return _unwind_alike(left, right, skipped)
    ours, theirs = left.statements[skipped:], right.statements
    return (
        left.region is right.region
        and [statement.line for statement in ours] == [statement.line for statement in theirs]
        and _is_one_return(left.evidence, right.evidence)
        and same_expression(ours, theirs)
        and same_expression(left.test, right.test)
    )


def _unwind_alike(left: LiftedBlock, right: LiftedBlock, skipped: int) -> bool:
    """Whether both only leave handlers, with the same rest of the stack, and continue at one block."""
    if left.statements[skipped:] or right.statements or left.region is not right.region:
        return False
    if skip_jumps(left.next) is not skip_jumps(right.next):
        return False
    depth = len(right.exit)
    return same_stack(right.exit, right.entry[:depth]) and same_stack(left.exit, left.entry[:depth])


def _is_one_return(left: Evidence, right: Evidence) -> bool:
    """Whether both have the line of one statement, or both are the implicit return.

    Behind copies of a ``finally`` body, all returns have the line of that.
    """
    if left.is_implicit_return is right.is_implicit_return is True:
        return True
    return left.exit_line == right.exit_line and left.is_behind_finally is right.is_behind_finally


def only_from(block: LiftedBlock | None, source: LiftedBlock) -> bool:
    """Whether ``source`` is the only predecessor of ``block``, and both are in the same try statement."""
    return (
        block is not None and block is not source and block.predecessors == {source} and block.region is source.region
    )


def is_silent(block: LiftedBlock) -> bool:
    """Whether ``block`` has no statements: it only computes values."""
    return not block.statements


def computes_nothing(block: LiftedBlock) -> bool:
    """Whether every value that ``block`` leaves on the stack was there on entry."""
    before = [resolved(value) for value in block.entry]
    return all(any(resolved(value) is entry for entry in before) for value in block.exit)


def pushes_one(block: LiftedBlock, base: list[nodes.Expression]) -> bool:
    """Whether ``block`` pushes one value on top of the stack ``base`` and continues."""
    return (
        block.kind == "goto" and is_silent(block) and same_stack(block.exit[:-1], base) and len(block.exit) > len(base)
    )


def in_a_chain(block: LiftedBlock) -> bool:
    """Whether the block's test begins with an operand that an earlier comparison left: the tail of ``a < b < c``."""
    if not block.entry or not isinstance(block.test, nodes.Compare):
        return False
    left = block.test.left
    taken = block.entry[len(block.exit) :]  # values of a comprehension in the next operand may be above it
    return any(value is left and not isinstance(value, (Marker, Given)) for value in taken)


def in_a_comprehension(block: LiftedBlock) -> bool:
    """Whether the block belongs to the clauses of a comprehension or generator expression, where no statements are."""
    return block.evidence.is_clause or "accumulator" in [marker.kind for marker in block.markers]


def bind_slots(block: LiftedBlock, stack: list[nodes.Expression]) -> None:
    """Bind the slots of ``block`` to the values of ``stack``, the only stack with which it is entered."""
    for slot, value in zip(block.entry, stack):
        if isinstance(slot, Slot) and slot.value is None and slot is not value:
            slot.value = value
