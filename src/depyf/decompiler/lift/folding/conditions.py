"""``and``, ``or``, ``not`` and conditional expressions, as conditions and as values."""

from __future__ import annotations

import sys

from ...syntax import nodes
from ..lifted_block import LiftedBlock, Terminator
from ..values import CaseTest, Matches, Slot, case_of, is_value, opens_clause, resolved, same_expression
from .negation import conjunction, negate
from .separate_tests import as_read, is_of_its_own
from .shapes import (
    computes_nothing,
    ends_the_body,
    in_a_chain,
    in_a_comprehension,
    is_silent,
    only_from,
    pushes_one,
    same_exit,
    same_stack,
    skip_jumps,
)


def fold_condition(block: LiftedBlock) -> bool:
    """Fold two tests that share an exit: ``a and b``, ``a or b``, and the forms with ``not``.

    The test that a while loop repeats at its bottom is its whole test: the next test is a statement of the body.
    """
    second = _second_test(block)
    if second is None:
        return False
    exit_target = block.false if second is block.true else block.true
    other = skip_jumps(exit_target)
    if case_of(block.test) is not None:
        if not _is_guard(block, second):
            return False
        if _fold_negated_guard(block, second, other):
            return True
        if not same_exit(other, second.false):
            return False
    if second.kind == "or_pop":
        return _fold_before_value(block, second, other)
    if case_of(block.test) is None and is_of_its_own(block, second):
        return False
    if ends_the_body(exit_target) and not ends_the_body(second.false) and not ends_the_body(second.true):
        return False  # one falls off the end of a loop body, the other is a `continue`
    op = "and" if same_exit(other, second.false) else "or"
    shared = second.false if op == "and" else second.true
    if not same_exit(other, shared) or shared is not exit_target and _jumps_below(shared, second, exit_target):
        return False  # `else: break` is where both tests of one condition would go
    if shared is not exit_target and _are_two_jumps(exit_target, shared, second):
        return False
    _join_tests(op, block, second)
    return True


def _jumps_below(arm: LiftedBlock | None, test: LiftedBlock, other: LiftedBlock | None) -> bool:
    """Whether ``arm`` is a jump with a place of its own, below ``test``, which alone leads there. It has none if it is
    where ``other`` is: both are copies of one ``break``.
    """
    if arm is None or arm.kind != "goto" or not only_from(arm, test) or not is_silent(arm) or not computes_nothing(arm):
        return False
    line, above = arm.evidence.exit_line, test.evidence.exit_line
    if other is not None and (other.evidence.line, other.evidence.column) == (line, arm.evidence.column):
        return False
    return arm.evidence.column is not None and line is not None and above is not None and line > above


def _are_two_jumps(arm: LiftedBlock | None, other: LiftedBlock | None, test: LiftedBlock) -> bool:
    """Whether both arms are jumps with lines of their own below ``test``, by the lines: two statements."""
    jumps = [one for one in (arm, other) if one is not None and one.kind == "goto" and is_silent(one)]
    lines = {one.evidence.exit_line for one in jumps}
    above = test.evidence.exit_line
    return len(lines) == 2 and all(line is not None and above is not None and line > above for line in lines)


def _second_test(block: LiftedBlock) -> LiftedBlock | None:
    """Return the test that ``block`` falls through to, if it may be the second operand of a condition."""
    if block.kind != "branch" or block.evidence.is_repeated or isinstance(block.test, Matches) or in_a_chain(block):
        return None
    second = block.fall
    if second is None or second.kind not in ("branch", "or_pop") or second.kind == "or_pop" and in_a_chain(second):
        return None
    if not only_from(second, block) or not is_silent(second) or not same_stack(second.exit, block.exit):
        return None
    return None if opens_clause(second.test) else second


def _is_guard(block: LiftedBlock, second: LiftedBlock) -> bool:
    """Whether ``second`` is the guard of the pattern that ``block`` tests."""
    return isinstance(block.test, CaseTest) and block.test.is_guarded and second.kind == "branch"


def _fold_negated_guard(block: LiftedBlock, second: LiftedBlock, other: LiftedBlock | None) -> bool:
    """``case pattern if not guard``: a true guard jumps to the target of a pattern that does not match.

    Where the body is empty both arms of the guard do; a guard that holds falls into the body.
    """
    if not same_exit(other, second.true):
        return False
    if second.fall is not second.false and same_exit(other, second.false):
        return False
    test = conjunction("and", block.test, negate(second.test))
    block.become(second.terminator._replace(test=test, true=second.false, false=second.true))
    return True


def _join_tests(op: str, block: LiftedBlock, second: LiftedBlock) -> None:
    """Give ``block`` the terminator of ``second``, which it falls through to; combine their tests with ``op``."""
    left = block.test if (second is block.true) is (op == "and") else negate(block.test)
    test = conjunction(op, left, second.test, grouped=block.evidence.is_threaded)
    end, column = block.evidence.test_end, second.evidence.column
    if end is not None and column is not None and end[0] == second.evidence.line and not block.evidence.is_threaded:
        test.gap = end[1], column
    _test_with(block, second, test)


def _fold_before_value(block: LiftedBlock, second: LiftedBlock, other: LiftedBlock | None) -> bool:
    """``a and b or c`` as a value: the test of ``a`` jumps to the target that ``b`` has when its value is dropped."""
    if other is not skip_jumps(second.false):
        return False
    _join_tests("and" if second.terminator.sense else "or", block, second)
    return True


def _test_with(block: LiftedBlock, second: LiftedBlock, test: nodes.Expression) -> None:
    """Give ``block`` the terminator of ``second`` with ``test``, which ends with the test of ``second``."""
    block.become(second.terminator._replace(test=test))
    block.evidence = block.evidence._replace(is_threaded=second.evidence.is_threaded)


def _arms(block: LiftedBlock) -> tuple[nodes.Expression, LiftedBlock, LiftedBlock] | None:
    """Return the condition, the fall-through arm and the other one; None unless ``block`` is their only predecessor."""
    if block.kind != "branch" or block.fall is None or in_a_chain(block) or opens_clause(block.test):
        return None
    first = block.fall
    second = block.false if first is block.true else block.true
    if second is None or second is first or not only_from(first, block) or not only_from(second, block):
        return None  # `if a: pass`: both branches have the same target
    return as_read(block), first, second


def fold_arms(block: LiftedBlock) -> bool:
    """``b if a else c``, as a condition or as a value."""
    arms = _arms(block)
    if arms is None:
        return False
    return _fold_test(block, *arms) or _fold_value(block, *arms) or _fold_constant_arm(block, *arms)


def _fold_test(block: LiftedBlock, test: nodes.Expression, first: LiftedBlock, second: LiftedBlock) -> bool:
    """``b if a else c`` as a condition: both arms are tests with the same two targets."""
    if first.kind != "branch" or second.kind != "branch":
        return False
    if not all(is_silent(arm) and same_stack(arm.exit, block.exit) for arm in (first, second)):
        return False
    if not in_a_comprehension(block) and (first.evidence.line or 0) > (block.evidence.exit_line or sys.maxsize):
        return False  # its text would be before the condition
    value, end = first.test, second.terminator
    if not same_exit(first.true, second.true) or not same_exit(first.false, second.false):
        if not same_exit(first.true, second.false) or not same_exit(first.false, second.true):
            return False
        if in_a_comprehension(block) or second.fall is not second.false:  # `not b if a else c`
            value = negate(value)
        else:  # `b if a else not c`
            end = end._replace(test=negate(second.test), true=second.false, false=second.true)
    block.become(end._replace(test=nodes.IfExp(test, value, end.test)))
    return True


def _fold_constant_arm(block: LiftedBlock, test: nodes.Expression, first: LiftedBlock, second: LiftedBlock) -> bool:
    """``True if a else b``: one arm is a jump to a target of the other arm, the true one for a true constant. So it is
    for ``c or True``, behind a test of ``c`` that decides nothing.

    The compiler replaces a constant with that jump. As a statement this has other forms, by the lines: its jump has the
    line of the tests only in a condition.
    """
    constant, other = (first, second) if _goal(first) is not None else (second, first)
    goal = _goal(constant)
    if goal is None or other.kind != "branch" or other.true is None or other.false is None:
        return False
    lines = {one.evidence.exit_line for one in (block, constant, other)}
    is_value = in_a_comprehension(block) or _chooses_value(other)
    if not is_value and (len(lines) > 1 or None in lines):
        return False
    if not all(is_silent(arm) and same_stack(arm.exit, block.exit) for arm in (first, second)):
        return False
    true, false = skip_jumps(other.true), skip_jumps(other.false)
    if goal not in (true, false) or true is false:
        return False
    value: nodes.Expression = nodes.Constant(goal is true)
    if constant.kind == "branch":
        left = constant.test if constant.terminator.sense is (goal is true) else negate(constant.test)
        value = conjunction("or" if goal is true else "and", left, value)
    left, right = (value, other.test) if constant is first else (other.test, value)
    constant.become(Terminator("goto"))
    block.become(other.terminator._replace(test=nodes.IfExp(test, left, right)))
    return True


def _goal(arm: LiftedBlock) -> LiftedBlock | None:
    """Return where control always goes from ``arm``, a jump or a test of which both targets are one."""
    if arm.kind == "goto":
        return skip_jumps(arm.next)
    goal = skip_jumps(arm.true) if arm.kind == "branch" else None
    return goal if goal is not None and goal is skip_jumps(arm.false) else None


def _chooses_value(test: LiftedBlock) -> bool:
    """Whether a target of ``test`` pushes a value, no iterator: it is part of the test of a conditional expression."""
    targets = skip_jumps(test.true), skip_jumps(test.false)
    return any(one is not None and pushes_one(one, test.exit) and is_value(one.exit[-1]) for one in targets)


def _fold_value(block: LiftedBlock, test: nodes.Expression, first: LiftedBlock, second: LiftedBlock) -> bool:
    """``b if a else c`` as a value: both arms push one value and join."""
    if not pushes_one(first, block.exit) or not pushes_one(second, block.exit):
        return False
    if skip_jumps(first.next) is not skip_jumps(second.next):
        return False
    value = nodes.IfExp(test, first.exit[-1], second.exit[-1])
    block.exit = [*block.exit, value]
    block.become(second.terminator)
    return True


def _joined(block: LiftedBlock, second: nodes.Expression) -> nodes.Expression:
    """Return the boolean operation of the value that ``block`` tests and may keep, and ``second``."""
    op = "or" if block.terminator.sense else "and"
    return conjunction(op, block.test, second, grouped=block.evidence.is_threaded)


def fold_boolean_value(block: LiftedBlock) -> bool:
    """``a and b`` as a value: a test that may keep its operand, then one more value."""
    if block.kind != "or_pop" or in_a_chain(block):
        return False
    second = block.false
    if second is None or not only_from(second, block) or not pushes_one(second, block.exit):
        return False
    if skip_jumps(second.next) is not skip_jumps(block.true):
        return False
    value = _joined(block, second.exit[-1])
    block.exit = [*block.exit, value]
    block.become(second.terminator)
    return True


def join_copied_arms(block: LiftedBlock) -> None:
    """``a and (b if c else d)``, returned or as a statement: lead the copies of the exit that arms of the second
    operand end with to the one where the first operand is kept. All code up to there belongs to the expression.
    """
    kept = skip_jumps(block.true) if block.kind == "or_pop" else None
    if kept is None or kept.kind not in ("return", "reraise", "goto") or not kept.entry:
        return
    dropped = kept.statements[0] if kept.statements else None
    is_dropped = isinstance(dropped, nodes.Expr) and dropped.value is kept.entry[-1]
    if not is_dropped and (kept.statements or kept.kind != "return" or kept.test is not kept.entry[-1]):
        return
    copies = _copies_of_exit(block, kept, is_dropped)
    found = [_value_dropped(one, kept) if is_dropped else one.test for one in copies]
    values = [value for value in found if value is not None]
    if len(values) < len(copies):
        return
    if is_dropped and copies and not isinstance(kept.entry[-1], Slot):
        slot = Slot(len(kept.entry) - 1)
        line = next((one.statements[0].line for one in copies if one.statements), None)
        kept.entry, kept.statements = [*kept.entry[:-1], slot], [nodes.Expr(slot, line=line), *kept.statements[1:]]
    for copy, value in zip(copies, values):
        copy.statements, copy.exit = [], [*copy.exit, value]
        copy.become(Terminator("goto", next=kept))


def _copies_of_exit(block: LiftedBlock, kept: LiftedBlock, is_dropped: bool) -> list[LiftedBlock]:
    """The blocks that end the second operand of ``block`` as ``kept`` ends; none if there is anything else."""
    if is_dropped and block.false is not None and block.false.kind == "or_pop":
        return []  # no conditional expression: `fold_boolean_statement` knows more
    todo, seen = [block.false], {kept, block.false}
    copies: list[LiftedBlock] = []
    while todo:
        inside = todo.pop()
        if inside is None or inside.region is not kept.region:
            return []
        is_end = inside.kind == kept.kind and (inside.kind != "goto" or bool(inside.statements))
        if inside.statements and not (is_end and is_dropped) or is_end and not same_stack(inside.exit, kept.exit):
            return []
        if is_end:
            copies.append(inside)
            continue
        after = [successor for successor in inside.successors if successor not in seen]
        todo += after
        seen.update(after)
    return [] if is_dropped and copies[:1] == [block.false] else copies


def _value_dropped(copy: LiftedBlock, kept: LiftedBlock) -> nodes.Expression | None:
    """The value that ``copy`` drops before it ends as ``kept`` does; None if it does anything else."""
    if kept.kind == "goto" and not _go_on_alike(kept.next, copy.next):
        return None
    rest = kept.statements[1:]
    first = copy.statements[0] if len(copy.statements) > len(rest) else nodes.Expr(nodes.Constant(None))  # left out
    ends_alike = same_expression(copy.statements[-len(rest) :] if rest else [], rest)
    if len(copy.statements) > len(rest) + 1 or not ends_alike or not same_expression(copy.test, kept.test):
        return None
    return first.value if isinstance(first, nodes.Expr) else None


def fold_boolean_statement(block: LiftedBlock) -> bool:
    """``a and b()`` as the last statement of the code, of a ``finally`` body, or of a loop's: each value has its own
    copy of the code that pops it and returns, re-raises the exception, or jumps back.

    The compiler copies that code because it has no line. At the end of the body of ``try`` the return is outside.
    """
    if block.kind != "or_pop" or in_a_chain(block):
        return False
    second, kept = block.false, skip_jumps(block.true)
    if second is None or kept is None or second.kind != kept.kind or kept.kind not in ("return", "reraise", "goto"):
        return False
    if kept.kind == "goto" and not _go_on_alike(kept.next, second.next):
        return False
    if not only_from(second, block) or kept.region is not block.region or not same_stack(second.entry, block.exit):
        return False
    dropped = kept.statements[0] if kept.statements else None
    last = second.statements[0] if second.statements else None
    if not isinstance(dropped, nodes.Expr) or not isinstance(last, nodes.Expr):
        return False
    if not kept.entry or dropped.value is not kept.entry[-1] or not same_expression(kept.test, second.test):
        return False
    if len(kept.entry) != len(second.entry) + 1 or not same_expression(kept.statements[1:], second.statements[1:]):
        return False
    value = conjunction("or" if block.terminator.sense else "and", block.test, last.value)
    block.statements += [nodes.Expr(value, line=last.line), *second.statements[1:]]
    block.exit = second.exit
    block.evidence = block.evidence.ending_as(second.evidence)
    block.become(second.terminator)
    return True


def _go_on_alike(one: LiftedBlock | None, other: LiftedBlock | None) -> bool:
    """Whether both are the same block, or do nothing but return the same value."""
    one, other = skip_jumps(one), skip_jumps(other)
    if one is other:
        return True
    if one is None or other is None or not one.kind == other.kind == "return" or one.region is not other.region:
        return False
    return not one.statements and not other.statements and same_expression(one.test, other.test)


def fold_jump(block: LiftedBlock) -> bool:
    """Remove a jump that a test falls through to and whose target has no other predecessor: the jump over the block
    that pops the operand of a chained comparison.
    """
    jump = block.fall
    if block.kind != "branch" or jump is None or jump.kind != "goto" or jump.statements:
        return False
    if case_of(block.test) is not None:
        return False
    target = jump.next
    if target is None or target.kind not in ("branch", "or_pop") and not pushes_one(target, jump.exit):
        return False
    if not only_from(jump, block) or not only_from(target, jump) or not same_stack(jump.exit, jump.entry):
        return False
    if target.layout < jump.layout or target.evidence.is_repeated or not is_silent(target):
        return False
    block.redirect(jump, target)
    jump.become(Terminator("goto"))
    target.predecessors.discard(jump)
    return True


def fold_kept_values(block: LiftedBlock) -> bool:
    """``a or b`` inside ``(x and (a or b)) or y``: two tests that keep their operands and share a target."""
    if block.kind != "or_pop" or in_a_chain(block):
        return False
    second = block.false
    if second is None or second.kind != "or_pop" or in_a_chain(second):
        return False
    if second.terminator.sense is not block.terminator.sense:
        return False
    if not only_from(second, block) or not is_silent(second) or not same_stack(second.exit, block.exit):
        return False
    if skip_jumps(second.true) is not skip_jumps(block.true):
        return False
    test = _joined(block, second.test)
    _test_with(block, second, test)
    return True


def fold_useless_test(block: LiftedBlock) -> bool:
    """Make a test in an expression, both ways from which lead to the rest of it, one with a constant: ``a if b or True
    else c`` leaves a test of ``b``, and ``a``.
    """
    following = block.true
    if following is None or following is not block.false:
        return False
    if not only_from(following, block) or resolved(block.test).is_placeholder:
        return False
    first, joined = following.first, skip_jumps(following.next)
    if first is None and not (pushes_one(following, block.exit) and is_value(following.exit[-1])):
        return False
    if first is None and (joined is None or len(joined.predecessors) < 2):
        return False  # it is no operand either
    value = following.exit[-1] if first is None else first.value
    nothing, sense = nodes.Constant(None), block.terminator.sense
    test = conjunction("or" if sense else "and", block.test, nodes.Constant(sense))
    assert value is not None
    value = nodes.IfExp(test, value, nothing) if sense else nodes.IfExp(test, nothing, value)
    if first is None:
        following.exit = [*following.exit[:-1], value]
    else:
        first.value = value
    following.first = None
    if block.test is block.first:
        block.first = first  # `(a if b or True else c) if d or True else e`
    block.become(Terminator("goto", next=following, fall=following))
    return True
