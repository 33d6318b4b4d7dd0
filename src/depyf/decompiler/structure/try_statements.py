"""``try`` with ``except``, ``else`` and ``finally``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import DecompilationError
from ..flowgraph import Region
from ..flowgraph.group_handlers import NO_TYPE
from ..flowgraph.regions import first_line
from ..lift import LiftedBlock
from ..lift.folding.shapes import skip_jumps
from ..lift.values import Marker, Matches
from ..limits.budget import STEP, spend
from ..syntax import nodes
from ..syntax.transforms.redundant_return import returns_none
from ..syntax.transforms.tail_positions import drop_at_tail
from .context import Context, leaves
from .try_ends import RULES, Ends, TryExits

if TYPE_CHECKING:
    from .structurer import Structurer


def write_try(
    writer: Structurer, node: LiftedBlock, follow: LiftedBlock | None, context: Context, out: list[nodes.Statement]
) -> LiftedBlock | None:
    """Write a try statement; ``node.true`` is its body, ``node.false`` its handler."""
    region, start, handler = node.test, node.true, node.false
    if start is None or handler is None:
        raise DecompilationError("a try statement without a body", stage="structure")
    inside = writer.flow.within(region)
    handling = writer.flow.keeping("handled", region) | {handler}
    is_of_group = isinstance(handler.test, Matches) and handler.test.of_group
    exits = TryExits(writer, inside, handling, follow, context, is_of_group)
    after, orelse_from = _ends_of(writer, node, exits)
    target = after or skip_jumps(follow)
    clauses = inside | handling | set(writer.flow.dominated(orelse_from) if orelse_from is not None else ())
    jump = _continue_after(target, clauses, region) if target is not None else None
    end = jump or after or follow
    body_end = orelse_from if orelse_from is not None else end
    within = context.within(inside | _constants_returned(region, inside, end))
    body = writer.arm(node, start, body_end, within) or [nodes.Pass()]
    orelse = writer.arm(node, orelse_from, end, context, after_statement=True) if orelse_from is not None else []
    inner = context.within(handling)
    if region.kind == "finally":
        out.append(_with_finally(writer, node, handler, body, inner))
    else:
        handlers = _handlers(writer, handler, end, inner)
        if not orelse and _leaves_in_else(body, exits, region):
            orelse = [body.pop()]
        if is_of_group:
            statement = nodes.TryStar(body, handlers, orelse, line=node.evidence.line)
            statement.column = region.column
            out += _of_group(statement, skip_jumps(end), jumps_follow=after is not None)
        else:
            one = nodes.Try(body, handlers, orelse, line=node.evidence.line)
            one.column = region.column
            if one.column is None and isinstance(handler.test, Matches):
                one.column = handler.evidence.column  # of `except`
            out.append(one)
    jump = jump or after
    return writer.go(node, jump, follow, context, out, after_statement=True) if jump is not None else None


def _constants_returned(region: Region, inside: set[LiftedBlock], end: LiftedBlock | None) -> set[LiftedBlock]:
    """Return the returns of constants, which no handler covers, that only the body of the try statement reaches and
    that are on lines above its handlers: so they are in the body.
    """
    handled = first_line(region.handler)
    if region.kind != "except" or handled is None:
        return set()
    exits = {one for block in inside for one in block.successors} - inside - {end}
    return {
        one for one in exits
        if one.kind == "return" and not one.statements and one.predecessors <= inside
        and one.evidence.exit_line is not None and one.evidence.exit_line < handled
    }  # fmt: skip


def _continue_after(after: LiftedBlock, statement: set[LiftedBlock], region: Region) -> LiftedBlock | None:
    """Return the ``continue`` after a try statement through which paths go from ``statement`` to ``after``: several, or
    it is in the column of the statement.
    """
    jumps = set()
    within = set(statement)
    leaving = [block for block in statement if block.evidence.keyword != "continue" or after not in block.successors]
    for exit in {one for block in leaving for one in block.successors if skip_jumps(one) is after} - statement:
        while exit is not after and exit.next is not after and exit.next is not None:
            within.add(exit)
            exit = exit.next
        jumps.add(exit)
    if len(jumps) != 1 or after in jumps:
        return None
    (jump,) = jumps
    column = jump.evidence.column
    is_after = len(jump.predecessors) > 1 or column is not None and column == region.column
    return jump if is_after and jump.predecessors <= within and jump.evidence.is_continue else None


def _ends_of(
    writer: Structurer, node: LiftedBlock, exits: TryExits
) -> tuple[LiftedBlock | None, LiftedBlock | None]:
    """Return the block after the statement of ``node``, and the one that begins its ``else`` clause."""
    region: Region = node.test
    after, orelse_from = RULES.decide(exits, writer.skipped) or Ends()
    if region.kind == "finally" and orelse_from is not None:
        after, orelse_from = orelse_from, None  # the layout is not conclusive if handlers are moved to the end
    if region.kind == "finally" and after is not None and after.evidence.is_behind_finally is False:
        if after.evidence.unwinds_for_return and not exits.is_written_after(after):
            after = None  # a return statement in the body
    if writer.flow.handlers_are_last and region.kind != "finally" and (after is None) != (orelse_from is None):
        after, orelse_from = _as_compiled(writer, region, after, orelse_from, exits)
    if after is None and orelse_from is not None:
        after = _after_handlers(writer, node, orelse_from, exits)
    return after, orelse_from


def _leaves_in_else(body: list[nodes.Statement], exits: TryExits, region: Region) -> bool:
    """Whether the ``break``, ``continue`` or ``return`` at the end of ``body`` has a line after the handlers: it is in
    the ``else`` clause. The line of the ``return`` must be in the statement too.
    """
    last = body[-1]
    if isinstance(last, nodes.Return):
        may_be = (last.line or 0) <= (region.end_line or 0)
    else:
        may_be = isinstance(last, _LOOP_JUMPS)
    return may_be and len(body) > 1 and (last.line or 0) > exits.last_line


def _of_group(
    statement: nodes.TryStar, end: LiftedBlock | None, *, jumps_follow: bool
) -> list[nodes.Statement]:
    """Return the statement with ``except*`` clauses, followed by the ``return`` or loop jump that seems to be in them.

    A clause cannot contain one: the jump is where the clause continues, ``end`` if known. ``jumps_follow``: the caller
    writes a jump after the statement itself.
    """
    clauses = statement.handlers
    if clauses[-1].type == nodes.Name(NO_TYPE):
        clauses.pop()
    ends = [clause.body[-1] for clause in clauses]
    jump = next((last for last in ends if isinstance(last, _LOOP_JUMPS)), None)
    continuation: nodes.Statement | None = jump
    if jump is None and end is None:
        continuation = next((last for last in ends if isinstance(last, nodes.Return) and not returns_none(last)), None)
    elif jump is None and end is not None and end.kind == "return" and not end.statements:
        continuation = nodes.Return(end.test)
    for clause in clauses:
        drop_at_tail(
            clause.body, lambda one: returns_none(one) or one == continuation, always=True, through_finally=True
        )
    if continuation is None or jump is None and end is not None:
        return [statement]
    part = statement.orelse or statement.body
    if part[-1] == continuation and len(part) > 1:
        part.pop()
    return [statement] if jumps_follow and jump is not None else [statement, continuation]


_LOOP_JUMPS = (nodes.Break, nodes.Continue)


def _with_finally(
    writer: Structurer, node: LiftedBlock, handler: LiftedBlock, body: list[nodes.Statement], context: Context
) -> nodes.Statement:
    finalbody = writer.sequence(handler, None, context) or [nodes.Pass()]
    first, rest = body[0], body[1:]
    if isinstance(first, (nodes.Try, nodes.TryStar)) and not first.finalbody and first.line == node.evidence.line:
        # It is one statement: the rest can only be in its `else` clause.
        if first.line is not None and all(leaves(one.body) for one in first.handlers) or not rest:
            whole = type(first)(first.body, first.handlers, first.orelse + rest, finalbody, line=node.evidence.line)
            whole.column = node.test.column
            return whole
    whole = nodes.Try(body, [], [], finalbody, line=node.evidence.line)
    whole.column = node.test.column
    return whole


def _as_compiled(
    writer: Structurer,
    region: Region,
    after: LiftedBlock | None,
    orelse_from: LiftedBlock | None,
    exits: TryExits,
) -> tuple[LiftedBlock | None, LiftedBlock | None]:
    """Return what the rules found, or the other form if the order of the compiled handlers shows it.

    If the compiler moves all handlers to the end, they keep their order: handlers of statements in the ``else`` clause
    precede those of the statement itself, and handlers of later statements follow them.
    """
    own = _compiled_at(region)
    if after is None or own is None or after is exits.end or after not in writer.flow.dominator:
        return after, orelse_from
    members: set[LiftedBlock] = set()
    offsets: list[int] = []
    for node in writer.flow.each_dominated(after):
        if node in exits.handling or node in exits.inside:
            continue
        members.add(node)
        if node.kind == "try":
            offset = _compiled_at(node.test)
            if offset is None or offset >= own:
                return after, orelse_from  # the common case, consecutive statements: return early
            offsets.append(offset)
    offsets += writer.flow.restored_in(members)
    return (None, after) if offsets and max(offsets) < own else (after, orelse_from)


def _compiled_at(region: Region) -> int | None:
    """Return the offset of the handler in the code object; None if it has no compiled instruction."""
    first = next((i for i in region.handler.instructions if i.offset >= 0), None)
    return first.offset if first is not None else None


def _after_handlers(
    writer: Structurer, node: LiftedBlock, start: LiftedBlock, exits: TryExits
) -> LiftedBlock | None:
    """Return where the ``else`` clause that begins at ``start`` continues after the handlers: after the statement."""
    reached = [other for other in writer.flow.dominated(start) if other in exits.context.inside]
    before = {other for other in reached if other.layout < exits.last}
    blocks = {skip_jumps(block) for other in before for block in other.successors} - before
    later = [block for block in blocks if block in reached]
    if len(later) != 1 or later[0] is None or later[0].region is not node.region:
        return None
    return later[0] if later[0].markers == node.markers else None


def _handlers(
    writer: Structurer, handler: LiftedBlock, after: LiftedBlock | None, context: Context
) -> list[nodes.ExceptHandler]:
    handlers: list[nodes.ExceptHandler] = []
    block: LiftedBlock | None = handler
    while block is not None and block.kind != "reraise":
        spend(STEP, "structuring")
        if block.kind != "branch" or not isinstance(block.test, Matches) or block.statements:
            body = writer.sequence(block, after, context)
            handlers.append(nodes.ExceptHandler(None, None, body or [nodes.Pass()]))
            return handlers
        writer.written.add(block)
        if block.true is None:
            raise DecompilationError("an except clause without a body", stage="structure")
        name, body = _name(writer.arm(block, block.true, after, context))
        handlers.append(nodes.ExceptHandler(block.test.type, name, body or [nodes.Pass()]))
        block = skip_jumps(block.false)
    return handlers


def _name(body: list[nodes.Statement]) -> tuple[str | None, list[nodes.Statement]]:
    first = body[0] if body else None
    if isinstance(first, nodes.Assign) and isinstance(first.value, Marker) and first.value.kind == "exception":
        (target,) = first.targets
        if isinstance(target, nodes.Name):
            return target.id, body[1:]
    return None, body
