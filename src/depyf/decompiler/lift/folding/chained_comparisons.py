"""``a < b < c``: the middle operand is duplicated; a separate block pops it if the first comparison fails."""

from __future__ import annotations

from ...syntax import nodes
from ..lifted_block import LiftedBlock, Terminator
from ..values import resolved, same_expression
from .shapes import is_silent, only_from, same_exit, same_stack, skip_jumps


def fold_chained_comparison(block: LiftedBlock) -> bool:
    """Fold a comparison whose right operand stays on the stack for the next one."""
    if block.kind not in ("branch", "or_pop") or not isinstance(block.test, nodes.Compare) or not block.exit:
        return False
    middle = block.exit[-1]
    if block.test.comparators[-1] is not middle:
        return False
    second, cleanup = (block.true, block.false) if block.kind == "branch" else (block.false, block.true)
    if second is None or cleanup is None or not only_from(second, block):
        return False
    if not _drops_middle(cleanup, block):
        return False
    if block.kind == "branch":
        return is_silent(second) and _in_condition(block, second, cleanup)
    return _as_value(block, second, cleanup)


def _drops_middle(cleanup: LiftedBlock, block: LiftedBlock) -> bool:
    depth = len(block.exit) - 1
    if not cleanup.statements or len(cleanup.entry) <= depth:
        return False
    statement = cleanup.statements[0]
    return isinstance(statement, nodes.Expr) and resolved(statement.value) is resolved(cleanup.entry[depth])


def _continues(test: object, middle: nodes.Expression) -> bool:
    return isinstance(test, nodes.Compare) and test.left is middle


def _joined(first: nodes.Compare, second: nodes.Compare) -> nodes.Compare:
    return nodes.Compare(first.left, first.ops + second.ops, first.comparators + second.comparators)


def _in_condition(block: LiftedBlock, second: LiftedBlock, cleanup: LiftedBlock) -> bool:
    if second.kind != "branch" or not _continues(second.test, block.exit[-1]):
        return False
    if not same_stack(second.exit, block.exit[:-1]):
        return False
    # Both comparisons jump to the same target when they fail; for tests of None, either edge may be the failing one.
    leaves_more = len(cleanup.exit) < len(cleanup.entry) - 1  # the handler around
    skipped = int(cleanup.kind != "goto" or leaves_more)
    failing = cleanup if skipped else cleanup.next if len(cleanup.statements) == 1 else None
    test, true, false = second.test, second.true, second.false
    if not same_exit(failing, false, skipped=skipped):
        test, true, false = test.opposite, false, true
        if test is None or not same_exit(failing, false, skipped=skipped):
            return False
    block.exit = block.exit[:-1]
    fall = second.fall
    landing = skip_jumps(false)
    if false is fall and false is not None and landing is not false and landing is skip_jumps(cleanup.next):
        false = fall = landing  # the jump over the block that drops the operand
    block.become(Terminator("branch", test=_joined(block.test, test), true=true, false=false, fall=fall))
    return True


def _as_value(block: LiftedBlock, second: LiftedBlock, cleanup: LiftedBlock) -> bool:
    if block.terminator.sense:
        return False
    if second.kind == "return":
        end_of = _before_exit if cleanup.kind == "return" else _before_jump_to_exit
        return end_of(block, second, cleanup)
    if second.kind == "goto" == cleanup.kind and second.statements and same_stack(second.exit, block.exit[:-1]):
        return skip_jumps(second.next) is skip_jumps(cleanup.next) and _before_exit(block, second, cleanup)
    if not is_silent(second) or second.kind != "goto" or not second.exit:
        return False
    if not _continues(second.exit[-1], block.exit[-1]):
        return False
    if not same_stack(second.exit[:-1], block.exit[:-1]) or cleanup.kind != "goto":
        return False
    if skip_jumps(cleanup.next) is not skip_jumps(second.next):
        return False
    block.exit = [*block.exit[:-1], _joined(block.test, second.exit[-1])]  # type: ignore[arg-type]
    block.become(second.terminator)
    return True


def _before_exit(block: LiftedBlock, second: LiftedBlock, cleanup: LiftedBlock) -> bool:
    """The value is used by a short exit that the compiler duplicated: ``z = a < b < c; return z``."""
    uses = [*second.statements, *([second.test] if second.kind == "return" else [])]
    found = [node for node in nodes.walk(uses) if _continues(node, block.exit[-1])]
    if len(found) != 1 or not isinstance(found[0], nodes.Compare):
        return False
    kept = resolved(cleanup.entry[len(block.exit)]) if len(cleanup.entry) > len(block.exit) else None
    copied = [*cleanup.statements[1:], *([cleanup.test] if cleanup.kind == "return" else [])]
    if not same_expression(copied, uses, (kept, found[0])):
        return False
    joined = _joined(block.test, found[0])
    found[0].left, found[0].ops, found[0].comparators = joined.left, joined.ops, joined.comparators
    block.exit = block.exit[:-1]
    block.become(Terminator("goto", next=second, fall=second))
    return True


def _before_jump_to_exit(block: LiftedBlock, second: LiftedBlock, cleanup: LiftedBlock) -> bool:
    """The value is returned: compilers before 3.10 replace a jump to RETURN_VALUE with RETURN_VALUE itself."""
    if second.statements or not _continues(second.test, block.exit[-1]):
        return False
    end = skip_jumps(cleanup.next) if cleanup.kind == "goto" else None
    if end is None or end.kind != "return" or end.statements or not end.entry or end.test is not end.entry[-1]:
        return False
    if not same_stack(second.exit, block.exit[:-1]):
        return False
    block.exit = [*block.exit[:-1], _joined(block.test, second.test)]
    block.become(cleanup.terminator)
    return True
