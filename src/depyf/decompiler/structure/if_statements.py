"""``if``, with ``elif`` and ``else``."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ...errors import DecompilationError
from ..lift import LiftedBlock
from ..lift.columns import INDENT, column_of_test
from ..lift.folding.negation import changes, negate, other_form, spelled
from ..lift.folding.shapes import skip_jumps
from ..lift.values import case_of
from ..limits.budget import STEP, spend
from ..syntax import nodes
from .context import Context, ends, fails_an_assertion
from .merges import find_merges, laid_out_after

if TYPE_CHECKING:
    from .structurer import Structurer


class _OpenIf(NamedTuple):
    """An unfinished ``if`` statement, to be added to ``out``: ``first`` begins its first arm, both lead to ``end``."""

    node: LiftedBlock
    test: nodes.Expression
    first: LiftedBlock
    body: list[nodes.Statement]
    orelse: list[nodes.Statement]
    end: LiftedBlock | None
    merges: list[LiftedBlock]
    out: list[nodes.Statement]


def write_if(
    writer: Structurer, node: LiftedBlock, follow: LiftedBlock | None, context: Context, out: list[nodes.Statement]
) -> LiftedBlock | None:
    """Write an ``if`` statement for the test of ``node``."""
    # An `elif` chain may have thousands of links, more than the stack allows: iterate instead of recursing.
    opened: list[_OpenIf] = []
    following: LiftedBlock | None = node
    while following is not None and (following is node or _is_plain_branch(writer, following)):
        spend(STEP, "structuring")
        if following is not node:
            writer.written.add(following)
            out += following.statements
        first, second = following.fall, following.false if following.fall is following.true else following.true
        if first is None or second is None or not isinstance(following.test, nodes.Expression):
            raise DecompilationError("a branch without a test", stage="structure")
        test = following.test if first is following.true else negate(following.test)
        if skip_jumps(first) is skip_jumps(second):
            jump = _continue_of_one_arm(first, second, context)
            if jump is not None and skip_jumps(follow) is context.continue_to:
                test = test if jump is first else negate(test)
                left = nodes.Continue(line=jump.evidence.exit_line)
                left.column = jump.evidence.column
                out.append(_if(writer, following, test, [left]))
                following = None
                break
            out.append(_if(writer, following, test, [nodes.Pass()]))
            meets = skip_jumps(first) in writer.flow.children[following]
            following = writer.go(following, first, follow, context, out, after_statement=meets)
            break
        opened.append(_open(writer, following, first, second, test, follow, context, out))
        source, follow, out = following, opened[-1].end, opened[-1].orelse
        following = writer.go(source, second, follow, context, out)
    while opened:
        inner = opened.pop()
        inner.orelse.extend(writer.sequence(following, inner.end, context))
        following = _close(writer, inner, context)
    return following


def _continue_of_one_arm(first: LiftedBlock, second: LiftedBlock, context: Context) -> LiftedBlock | None:
    """Return the one of two jumps to the top of the loop that is a ``continue``; None if that does not show."""
    found = [one for one in (first, second) if one.evidence.is_continue]
    return found[0] if len(found) == 1 and skip_jumps(first) is context.continue_to else None


def _is_plain_branch(writer: Structurer, node: LiftedBlock) -> bool:
    """Whether ``node`` becomes an ``if`` that is not the beginning of a loop."""
    return node.kind == "branch" and node not in writer.flow.back and node not in writer.written


def _open(
    writer: Structurer,
    node: LiftedBlock,
    first: LiftedBlock,
    second: LiftedBlock,
    test: nodes.Expression,
    follow: LiftedBlock | None,
    context: Context,
    out: list[nodes.Statement],
) -> _OpenIf:
    """Begin an ``if`` statement by writing its first arm."""
    merges = find_merges(writer, node, follow, context)
    if not merges:
        after = laid_out_after(writer, node, first, second, context)
        merges = [after] if after is not None and after is not follow else []
    end = merges[0] if merges else follow
    return _OpenIf(node, test, first, writer.arm(node, first, end, context), [], end, merges, out)


def _close(writer: Structurer, opened: _OpenIf, context: Context) -> LiftedBlock | None:
    """Append an ``if`` statement with both arms to its list; return the node that follows it."""
    out, merges = opened.out, opened.merges
    out += _statements(writer, _with_jumps(_in_order(writer, opened, context), context))
    for merge, next_merge in zip(merges, merges[1:]):
        out += writer.sequence(merge, next_merge, context)
    if not merges:
        return None
    if merges[-1] in writer.written and writer.is_exit(merges[-1]) and out and ends(out):
        return None  # it was copied into the predecessors
    return merges[-1]


def _in_order(writer: Structurer, opened: _OpenIf, context: Context) -> _OpenIf:
    """Return the statement with the arms in source order."""
    node, test, first, body, orelse, end, _, _ = opened
    if not body or fails_an_assertion(body) and not _is_below(body[0], node):
        return opened
    leaves = len(orelse) == 1 and isinstance(orelse[0], nodes.Continue)
    if not leaves and _breaks_upward(node, orelse, context) and not _is_written_below(orelse[0], body):
        return opened._replace(test=negate(test), body=orelse, orelse=body)
    if leaves or not orelse and _continues_loop(end, context):
        other = negate(test)
        is_nearer = changes(spelled(other)) < changes(spelled(test))
        if is_nearer or leaves and _continues(node, first, context):
            # From 3.12 on, `if a: continue` and a final `if not a` compile to the same jump back.
            jump: list[nodes.Statement] = [nodes.Continue(line=node.evidence.exit_line)]
            return opened._replace(test=other, body=orelse or jump, orelse=body)
    return opened


def _with_jumps(opened: _OpenIf, context: Context) -> _OpenIf:
    """Fill an empty arm with the ``continue`` or ``pass`` that the layout implies."""
    node, _, first, body, orelse, end, _, _ = opened
    if orelse and not body and _continues_loop(end, context):
        if _falls_out_of_chain(node, first) or _is_beside(orelse[0], node, opened.test):
            return opened._replace(body=[nodes.Continue(line=node.evidence.exit_line)])
    if body and not orelse and _is_pass(node, first, end):
        return opened._replace(orelse=[nodes.Pass()])
    return opened


def _statements(writer: Structurer, opened: _OpenIf) -> list[nodes.Statement]:
    """Return the ``if`` statement, followed by its second arm if control never falls out of the first one."""
    node, test, first, body, orelse, end, _, _ = opened
    if body and ends(body) and not (isinstance(body[-1], nodes.While) and _has_line_for_else(body, orelse)):
        return [_if(writer, node, test, body), *orelse]
    if len(body) == len(orelse) == 1 and case_of(test) is None:
        choice = _choice(node, test, body[0], orelse[0])
        if choice is not None:
            return [choice]
    if body or not orelse or case_of(test) is not None or _is_jump(first, end):
        return [_if(writer, node, test, body or [nodes.Pass()], orelse)]
    return [_if(writer, node, negate(test), orelse)]


def _has_line_for_else(body: list[nodes.Statement], orelse: list[nodes.Statement]) -> bool:
    """Whether a line is free between both arms. Up to 3.9 an ``else`` after an endless loop leaves a dead jump."""
    lines = [one.line for one in nodes.statements_in_order(body) if one.line is not None]
    following = orelse[0].line if orelse else None
    return bool(lines) and following is not None and following > max(lines) + 1


def _if(
    writer: Structurer,
    node: LiftedBlock,
    test: nodes.Expression,
    body: list[nodes.Statement],
    orelse: list[nodes.Statement] | None = None,
) -> nodes.If:
    test = spelled(test)
    other = other_form(test)
    if other is not None and _is_indented(node, other) and not _is_indented(node, test):
        test = other
    statement = nodes.If(test, body, [] if orelse is None else orelse, line=node.evidence.exit_line)
    if not fails_an_assertion(body):
        statement.column = column_of_test("if", node.evidence.column, test)
    elif body[0].line == statement.line:
        statement.column = body[0].column  # the error has the position of the whole assert statement
    return statement


def _is_indented(node: LiftedBlock, test: nodes.Expression) -> bool:
    """Whether an ``if`` with this test begins in a column to which most people indent."""
    column = column_of_test("if", node.evidence.column, test)
    return column is not None and column % INDENT == 0


def _choice(
    node: LiftedBlock, test: nodes.Expression, first: nodes.Statement, second: nodes.Statement
) -> nodes.Statement | None:
    """Return the statement with a conditional expression that both arms are, if the first one begins before the test.

    The compiler copies what follows the expression where that is the end of the code.
    """
    line, column = node.evidence.exit_line, node.evidence.column
    if first.line is None or line is None or first.column is None or second.column is None or column is None:
        return None
    if (first.line, first.column) >= (line, column):
        return None
    if isinstance(first, nodes.Expr) and isinstance(second, nodes.Expr):
        if second.line is None or (second.line, second.column) <= (line, column):
            return None
        choice: nodes.Statement = nodes.Expr(nodes.IfExp(spelled(test), first.value, second.value), line=first.line)
    elif isinstance(first, nodes.Assign) and isinstance(second, nodes.Assign) and first.targets == second.targets:
        if (second.line, second.column) != (first.line, first.column):
            return None
        value = nodes.IfExp(spelled(test), first.value, second.value)
        choice = nodes.Assign(first.targets, value, line=first.line)
    else:
        return None
    choice.column = first.column
    return choice


def _is_below(statement: nodes.Statement, node: LiftedBlock) -> bool:
    """Whether ``statement`` begins on a line after that of the test."""
    line = node.evidence.exit_line
    return statement.line is not None and line is not None and statement.line > line


def _is_beside(statement: nodes.Statement, node: LiftedBlock, test: nodes.Expression) -> bool:
    """Whether ``statement`` is below an ``if`` with this test, in its column."""
    column = column_of_test("if", node.evidence.column, spelled(test))
    return column is not None and statement.column == column and _is_below(statement, node)


def _continues_loop(end: LiftedBlock | None, context: Context) -> bool:
    """Whether ``end`` is where the loop continues."""
    return end is not None and skip_jumps(end) is context.continue_to


def _is_written_below(jump: nodes.Statement, body: list[nodes.Statement]) -> bool:
    """Whether ``jump`` has a position of its own, on a line below the beginning of ``body``."""
    if jump.column is None or jump.line is None:
        return False
    return any(one.line is not None and one.line < jump.line for one in body)


def _breaks_upward(node: LiftedBlock, orelse: list[nodes.Statement], context: Context) -> bool:
    """Whether the second arm is a ``break`` to the top of the loop around: a jump back over it, not an ``else``."""
    top = context.break_to
    is_break = len(orelse) == 1 and isinstance(orelse[0], nodes.Break)
    return is_break and top is not None and top.layout < node.layout


def _continues(node: LiftedBlock, first: LiftedBlock, context: Context) -> bool:
    """Whether the test alone jumps to the top of a loop that has its test at the bottom too."""
    top = context.continue_to
    if top is None or not top.evidence.is_repeated or isinstance(node.test, nodes.BoolOp):
        return False
    return (node.false if first is node.true else node.true) is top


def _is_jump(block: LiftedBlock, end: LiftedBlock | None) -> bool:
    """Whether ``block`` is a bare jump: as the first arm of an ``if`` it is a `pass` in the source."""
    return block.kind == "goto" and not block.statements and block is not end


def _falls_out_of_chain(node: LiftedBlock, first: LiftedBlock) -> bool:
    """Whether control falls through if `a < b < c` fails, as for `if not a < b < c`."""
    return first is node.false and isinstance(node.test, nodes.Compare) and len(node.test.ops) > 1


def _is_pass(node: LiftedBlock, first: LiftedBlock, end: LiftedBlock | None) -> bool:
    """Whether the second arm of ``node`` exists only for its line: it is a `pass` in the source, and the compiler
    threaded the jump at the end of the first arm past it.
    """
    second = node.false if first is node.true else node.true
    if second is None or second is end or second.statements or second.next is None:
        return False
    if second.next is not skip_jumps(end) or second.predecessors != {node}:
        return False
    after = second.next.evidence
    if second.evidence.is_pass and second.evidence.exit_line not in (after.line, after.exit_line):
        return case_of(node.test) is None  # the end of a pattern may be as wide
    line, lines = second.evidence.line, (None, node.evidence.exit_line, after.line)
    return second.fall is second.next and second.evidence.keyword == "pass" and line not in lines
