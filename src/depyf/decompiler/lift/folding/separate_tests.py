"""Whether the next test is an operand of the same condition, or that of a statement in the body: lines and columns."""

from __future__ import annotations

from ...syntax import nodes
from ..columns import DEBUG_AND, column_of_test
from ..lifted_block import LiftedBlock
from ..values import AssertionClass, CaseTest
from .negation import negate
from .shapes import same_exit, skip_jumps

_ASSERTION_ERROR = nodes.Name("AssertionError")
_SHIFTS = ((0, 0), (-len("el"), -len("el")), (len(DEBUG_AND), 2 * len(DEBUG_AND)))
"""What to add to how much deeper a body seems than its ``if``, and how much deeper that must seem than the outer one:
for ``if``, for an outer ``elif``, and for an inner ``if __debug__ and``."""
_NEAR = 10
"""How many blocks above a test are looked at for a statement, and how many may lead to one of them."""


def is_of_its_own(block: LiftedBlock, second: LiftedBlock) -> bool:
    """Whether ``second`` is the test of a statement in the body of that which tests ``block``."""
    return _is_nested_assertion(block, second) or _is_nested_if(block, second) or _is_first_if_of_while(block, second)


def _is_nested_assertion(block: LiftedBlock, second: LiftedBlock) -> bool:
    """Whether ``second`` is the test of an assert statement, on a line below that of ``block``: ``if a: assert b``.

    Where an assert statement loads AssertionError by its global name, a ``raise`` compiles to the same code, but has
    a line of its own.
    """
    for arm in (second.true, second.false):
        if arm is None or arm.kind != "raise" or len(arm.statements) != 1:
            continue
        if arm in (skip_jumps(block.true), skip_jumps(block.false)):
            continue  # both are operands of one assert statement
        (statement,) = arm.statements
        error = statement.exc if isinstance(statement, nodes.Raise) else None
        error = error.func if isinstance(error, nodes.Call) else error
        if isinstance(error, AssertionClass) and error.on_lines_of_comparisons and second is not block.true:
            if _ends_with_comparison(second.test):
                continue  # `assert a or b == c`, too, where `b` may be on a line of its own
        above, line, test = block.evidence.exit_line, statement.line, second.evidence.exit_line
        if isinstance(error, AssertionClass) or error == _ASSERTION_ERROR:
            return above is not None and line is not None and test is not None and above < line <= test
    return False


def _is_nested_if(block: LiftedBlock, second: LiftedBlock) -> bool:
    """Whether ``second`` is the test of an ``if`` that is the whole body of another one: the inner test is indented
    deeper than the outer one, and its body deeper by as much again, but not by a single column; two columns more if the
    outer one is an ``elif``. Where jumps have the line of their statement, it is enough that the two tests are on
    different lines. What the compiler drops before the inner test moves that to the right.
    """
    line, below, body = block.evidence.exit_line, second.evidence.exit_line, second.fall
    if line is None or below is None or line >= below or body is None or second.kind != "branch":
        return False
    if second.evidence.is_line_of_statement and not _has_line_of_comparison(block, second):
        out = second.false if body is second.true else second.true
        return same_exit(skip_jumps(block.false if second is block.true else block.true), out)
    found, inner = _start_of_body(second), _column_of_if(second)
    if inner is None or found is None or found[0] <= below:
        return False
    outers = (_column_of_if(block), _column_of_statement(block))
    least = _column_of_last(_first_of_tests(block)) if None not in outers else None
    steps = [inner - outer for outer in outers if outer is not None and outer >= (least or 0)]
    if isinstance(as_read(second), nodes.UnaryOp) and not {3, 5, 9}.isdisjoint(steps):
        # `if not (a and b)`; a tuple in its body may begin with a parenthesis, too
        return any(found[1] - inner - step in (-2, -1) for step in steps)
    step = found[1] - inner
    return any(step + wider > 1 and step + deeper in steps for wider, deeper in _SHIFTS)


def _has_line_of_comparison(block: LiftedBlock, second: LiftedBlock) -> bool:
    """Whether the jump of ``second``, a row below, may have the line of a comparison that ends ``block``."""
    line, tested = second.evidence.exit_line, second.evidence.line
    is_above = second.evidence.column is not None and line is not None and tested is not None and line < tested
    return is_above and _ends_with_comparison(block.test)


def _column_of_last(block: LiftedBlock) -> int | None:
    """Return the column of a statement before the test of ``block``, in its body or one around it; None if unknown."""
    for _ in range(_NEAR):
        if block.statements:
            return block.statements[-1].column
        if len(block.predecessors) > _NEAR:  # where much joins; each would be looked at again for every test below
            break
        before = min(block.predecessors, key=lambda one: one.index, default=block)
        if before.index >= block.index:
            break
        block = before
    return None


def _column_of_statement(block: LiftedBlock) -> int | None:
    """Return the column of the ``if`` whose condition ends with the test of ``block``, or of the ``case`` whose guard
    does, if all of it is on one line.
    """
    for _ in range(100):
        before = min(block.predecessors, key=lambda one: one.index, default=block)
        if before.kind != "branch" or before.index >= block.index or block.statements:
            break
        if before.evidence.exit_line != block.evidence.exit_line:
            break
        if isinstance(before.test, CaseTest):
            column = before.evidence.column
            return column - len("case ") if before.test.is_guarded and column is not None else None
        block = before
    return _column_of_if(block)


def _start_of_body(test: LiftedBlock) -> tuple[int, int] | None:
    """Return the line and column of the body of the ``if`` whose last test is ``test``; None if unknown."""
    body = test.fall
    if body is not None and body.kind == "goto" and body.evidence.column is None:
        body = skip_jumps(body)  # behind a chained comparison, no `continue`
    if body is None:
        return None
    first = body.statements[0] if body.statements else None
    line, column = (first.line, first.column) if first is not None else (body.evidence.line, body.evidence.column)
    if first is None and body.kind == "branch":
        column = _column_of_if(body)
    return (line, column) if line is not None and column is not None else None


def _is_first_if_of_while(block: LiftedBlock, second: LiftedBlock) -> bool:
    """Whether ``block`` ends the test of a while loop, and ``second`` tests an ``if`` that comes first in its body.

    The next statement of the body is then in the column of that ``if``, or the ``if`` has a ``break`` or ``continue``
    that is deeper. Otherwise both may be operands of one test: `if not a or b` in an endless loop.
    """
    line, below = block.evidence.exit_line, second.evidence.exit_line
    if line is None or below is None or line >= below or second.kind != "branch":
        return False
    header = _first_of_tests(block)
    if header.statements:
        return False
    if not any(source.index >= header.index for source in header.predecessors):
        return False
    if second.evidence.is_line_of_statement:
        return True
    after = second.true if second.fall is second.false else second.false
    first = after.statements[0] if after is not None and after.statements else None
    outer = column_of_test("while", header.evidence.column, as_read(header))
    inner = _column_of_if(second)
    if outer is None or inner is None or outer >= inner:
        return False
    for arm in (second.fall, after):
        column = _column_of_jump(arm, below)
        if column is not None:
            return column > inner
    return first is not None and first.line is not None and first.line > below and inner == first.column


def _column_of_jump(arm: LiftedBlock | None, line: int) -> int | None:
    """Return the column of the jump that ``arm`` is, or that a NOP is left of in it, if that is below ``line``."""
    if arm is None or arm.statements or arm.kind not in ("goto", "return"):
        return None
    at = arm.evidence
    column, own = (at.column, at.exit_line) if at.left_from is None else (at.left_from, at.line)
    return column if (own or 0) > line else None


def _first_of_tests(block: LiftedBlock) -> LiftedBlock:
    """Return the first test of the chain of tests that falls through to ``block``, each to the next one only."""
    before = _test_before(block)
    while before is not None:
        block, before = before, _test_before(before)
    return block


def _test_before(block: LiftedBlock) -> LiftedBlock | None:
    """Return the test that falls through to ``block``, which is silent and has no other predecessor."""
    if len(block.predecessors) != 1 or block.statements:
        return None
    (before,) = block.predecessors
    return before if before.kind == "branch" and before.fall is block and before.index < block.index else None


def as_read(block: LiftedBlock) -> nodes.Expression:
    """Return the test of ``block``, negated if it falls through when it is false: its fall-through is the body."""
    return block.test if block.fall is block.true else negate(block.test)


def _column_of_if(block: LiftedBlock) -> int | None:
    return column_of_test("if", block.evidence.column, as_read(block))


def _ends_with_comparison(test: object) -> bool:
    while isinstance(test, (nodes.BoolOp, nodes.UnaryOp)):
        test = test.values[-1] if isinstance(test, nodes.BoolOp) else test.operand
    return isinstance(test, nodes.Compare)
