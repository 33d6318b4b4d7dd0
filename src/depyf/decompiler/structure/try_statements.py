"""``try`` with ``except``, ``else`` and ``finally``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import DecompilationError
from ..flowgraph import Region
from ..flowgraph.group_handlers import NO_TYPE
from ..lift import LiftedBlock
from ..lift.block_order import OrderKey
from ..lift.folding.shapes import through
from ..lift.values import Marker, Matches
from ..limits.budget import STEP, spend
from ..syntax import nodes
from ..syntax.transforms.redundant_return import returns_none
from ..syntax.transforms.tail_positions import drop_at_tail
from .context import Context, NoPlace

if TYPE_CHECKING:
    from .structurer import Structurer


def write_try(
    writer: Structurer, node: LiftedBlock, follow: LiftedBlock | None, context: Context, out: list[nodes.Statement]
) -> LiftedBlock | None:
    """A try statement; ``node.true`` is its body, ``node.false`` its handler."""
    region, start, handler = node.test, node.true, node.false
    if start is None or handler is None:
        raise DecompilationError("a try statement without a body", stage="structure")
    inside = writer.flow.within(region)
    handling = writer.flow.keeping("handled", region) | {handler}
    is_of_group = isinstance(handler.test, Matches) and handler.test.of_group
    after, orelse_from = _end(writer, inside, handling, follow, context, is_of_group)
    if region.kind == "finally" and after is None:
        after, orelse_from = orelse_from, None  # handlers that are laid out behind all else tell nothing
    if writer.flow.handlers_are_last and region.kind != "finally" and (after is None) != (orelse_from is None):
        after, orelse_from = _as_compiled(writer, region, after, orelse_from, inside, handling, follow)
    if after is None and orelse_from is not None:
        after = _behind_the_handlers(writer, node, orelse_from, handling, context)
    end = after if after is not None else follow
    body_end = orelse_from if orelse_from is not None else end
    body = writer.arm(node, start, body_end, context.within(inside)) or [nodes.Pass()]
    orelse = writer.arm(node, orelse_from, end, context, after_statement=True) if orelse_from is not None else []
    inner = context.within(handling)
    if region.kind == "finally":
        if orelse:
            raise DecompilationError("code between try and finally", stage="structure")
        out.append(_with_finally(writer, node, handler, body, inner))
    else:
        handlers = _handlers(writer, handler, end, inner)
        if not orelse and len(body) > 1 and isinstance(body[-1], _LOOP_JUMPS):
            if (body[-1].line or 0) > _last_line(handling):
                orelse = [body.pop()]
        if is_of_group:
            statement = nodes.TryStar(body, handlers, orelse, line=node.evidence.line)
            out += _of_group(statement, through(end), jumps_follow=after is not None)
        else:
            out.append(nodes.Try(body, handlers, orelse, line=node.evidence.line))
    return writer.go(node, after, follow, context, out, after_statement=True) if after is not None else None


def _of_group(
    statement: nodes.TryStar, end: LiftedBlock | None, *, jumps_follow: bool
) -> list[nodes.Statement]:
    """The statement with ``except*`` clauses, and the ``return`` or ``continue`` behind it that seems to be in them.

    No clause can be left by one: what looks so is where it goes on, ``end`` if that is known. ``jumps_follow``: a jump
    behind the statement is written by whoever wants this.
    """
    clauses = statement.handlers
    if clauses[-1].type == nodes.Name(NO_TYPE):
        clauses.pop()
    ends = [clause.body[-1] for clause in clauses]
    jump = next((last for last in ends if isinstance(last, _LOOP_JUMPS)), None)
    goes_on: nodes.Statement | None = jump
    if jump is None and end is None:
        goes_on = next((last for last in ends if isinstance(last, nodes.Return) and not returns_none(last)), None)
    elif jump is None and end is not None and end.kind == "return" and not end.statements:
        goes_on = nodes.Return(end.test)
    for clause in clauses:
        drop_at_tail(
            clause.body, lambda one: returns_none(one) or one == goes_on, always=True, through_finally=True
        )
    if goes_on is None or jump is None and end is not None:
        return [statement]
    part = statement.orelse or statement.body
    if part[-1] == goes_on and len(part) > 1:
        part.pop()
    return [statement] if jumps_follow and jump is not None else [statement, goes_on]


_LOOP_JUMPS = (nodes.Break, nodes.Continue)


def _with_finally(
    writer: Structurer, node: LiftedBlock, handler: LiftedBlock, body: list[nodes.Statement], context: Context
) -> nodes.Statement:
    finalbody = writer.sequence(handler, None, context) or [nodes.Pass()]
    only = body[0] if len(body) == 1 else None
    if isinstance(only, (nodes.Try, nodes.TryStar)) and not only.finalbody:
        return type(only)(only.body, only.handlers, only.orelse, finalbody, line=node.evidence.line)
    return nodes.Try(body, [], [], finalbody, line=node.evidence.line)


def _end(  # noqa: C901  (the order of the questions is the layout's, one after the other)
    writer: Structurer,
    inside: set[LiftedBlock],
    handling: set[LiftedBlock],
    follow: LiftedBlock | None,
    context: Context,
    is_of_group: bool,
) -> tuple[LiftedBlock | None, LiftedBlock | None]:
    """What follows the statement, and where its ``else`` clause begins if there is one.

    ``is_of_group``: the handlers are ``except*`` clauses. Code that only the body reaches is the ``else`` clause if it
    is laid out before the handlers, and follows the statement if it is laid out behind them.
    """

    def is_constant(place: LiftedBlock) -> bool:
        behind = place.evidence.is_uncopied and not place.evidence.is_implicit_return and place.layout > last
        return writer.is_constant_exit(place) and not behind and not is_written_behind(place)

    def is_written_behind(place: LiftedBlock) -> bool:
        """Whether the lines say that a ``return`` stands behind the statement, or as well in its ``else`` clause."""
        if place.kind != "return" or place.evidence.is_uncopied or place.evidence.is_implicit_return is not False:
            return False
        if place in from_handler and place not in from_body:
            return False
        if place.layout < first and not writer.flow.else_is_last and not writer.flow.handlers_are_last:
            return False  # it stands before the handlers, as an else clause does
        if place.evidence.is_behind_finally is not None:
            return place.evidence.is_behind_finally
        return place.evidence.exit_line is not None and place.evidence.exit_line > last_line

    loop = [through(place) for place in (context.break_to, context.continue_to) if place is not None]
    end = through(follow)
    first, last = min(node.layout for node in handling), max(node.layout for node in handling)
    last_line = _last_line(handling)
    from_body, from_handler = (
        [p for p in places if p is end or p not in loop and (p in context.inside or writer.is_constant_exit(p))]
        for places in _left_to(writer, inside, handling, loop)
    )
    if writer.flow.else_is_last:
        # What is laid out before the handlers and only leaves is a `break` or `continue` at the end of the body.
        from_body = [p for p in from_body if p.layout > first or writer.final(p, shared=True) not in loop]
        behind_handlers = _break_behind(writer, inside, last, context)
        if behind_handlers is not None and end is not None and from_handler == [end]:
            return follow, behind_handlers
    handler_real = [place for place in from_handler if not is_constant(place)]
    body_real = [place for place in from_body if not is_constant(place) or place.layout > last]
    # Clauses of groups can't have a return.
    unwritten = (p for p in from_handler if p.evidence.is_implicit_return or is_of_group)
    finish = [place for place in unwritten if isinstance(place.test, nodes.Constant)]
    if len(finish) == 1 and not handler_real and (end is None or end is finish[0]):
        # The handlers fall off the end of the code, where nobody wrote a return: what only the body reaches is `else`.
        private = [place for place in body_real if place is not finish[0] and not is_constant(place)]
        if len(private) == 1 and (private[0].layout > last or is_of_group):
            return finish[0], private[0]
    beyond = [place for place in handler_real if place not in loop and place is not end]
    if len(beyond) == 1 and end is not None and end in loop:
        # The body goes on with the loop or leaves it, the handlers go on with what follows the statement.
        rest = [place for place in body_real if place is not beyond[0] and place is not end]
        return beyond[0], _single([place for place in rest if not is_constant(place)])
    if end is not None and (end in from_body or end in from_handler):
        others = [place for place in body_real if place is not end and not is_constant(place)]
        if not others or end in from_body and all(writer.final(place, shared=True) in loop for place in others):
            return follow, None  # the others leave or repeat the loop, behind what unwinds the statements around
    if end is not None and end not in loop and end in from_handler:
        # The handlers go on behind the statement: code that the body alone goes on with is its else clause.
        return follow, _single([p for p in body_real if p is not end and not is_constant(p)])
    behind = [p for p in body_real if p.layout > last and p not in loop and p is not end]
    if len(behind) == 1 and end is not None and handler_real == [end] and _falls_off(handling, end):
        return follow, behind[0]
    if behind and all(place in loop or place is end for place in handler_real):
        return behind[0], _single([place for place in body_real if place.layout < last and place is not end])
    others = [place for place in body_real if place is not end and not is_constant(place)]
    if len(others) == 1 and end in from_body and end in loop and not from_handler:
        return others[0], None  # the body goes on with the loop or with what follows, the handlers with nothing
    if handler_real:
        if len(handler_real) > 1:
            raise NoPlace("handlers that go on at several places", handler_real)
        after: LiftedBlock | None = handler_real[0]
        rest = [place for place in body_real if place is not after and not is_constant(place)]
        return after, _single(rest)
    rest = [place for place in body_real if not is_constant(place)] or body_real
    if len(rest) == 1 and is_written_behind(rest[0]):
        return rest[0], None
    if rest and rest[-1].layout > last:
        behind = [place for place in rest if place.layout > last]
        return behind[0], _single([place for place in rest if place.layout < last])
    returns = [place for place in from_handler if place.layout > last]
    return (returns[0] if returns else None), _single(rest)


def _last_line(handling: set[LiftedBlock]) -> int:
    return max(node.evidence.exit_line or node.evidence.line or 0 for node in handling)


def _as_compiled(
    writer: Structurer,
    region: Region,
    after: LiftedBlock | None,
    orelse_from: LiftedBlock | None,
    inside: set[LiftedBlock],
    handling: set[LiftedBlock],
    follow: LiftedBlock | None,
) -> tuple[LiftedBlock | None, LiftedBlock | None]:
    """What ``_end`` found, or the other form if the order in which handlers were compiled tells that.

    Where the compiler moves all handlers to the end they keep their order: those of statements in the ``else``
    clause come before those of the statement itself, those of statements behind it come later.
    """
    own = _compiled_at(region)
    if after is None or own is None or after is through(follow) or after not in writer.flow.dominator:
        return after, orelse_from
    members: set[LiftedBlock] = set()
    offsets: list[int] = []
    for node in writer.flow.each_dominated(after):
        if node in handling or node in inside:
            continue
        members.add(node)
        if node.kind == "try":
            offset = _compiled_at(node.test)
            if offset is None or offset >= own:
                return after, orelse_from  # as is so where statements follow each other: it must not take long
            offsets.append(offset)
    offsets += writer.flow.restored_in(members)
    return (None, after) if offsets and max(offsets) < own else (after, orelse_from)


def _compiled_at(region: Region) -> int | None:
    """The offset of the handler in the code object; None if it was not compiled."""
    first = next((i for i in region.handler.instructions if i.offset >= 0), None)
    return first.offset if first is not None else None


def _break_behind(
    writer: Structurer, inside: set[LiftedBlock], last: OrderKey, context: Context
) -> LiftedBlock | None:
    """What the body goes on with behind the handlers, if that only leaves the loop: ``else: break``."""
    places = {through(place) for node in inside for place in node.successors} - inside - {None}
    place = places.pop() if len(places) == 1 else None
    if place is None or context.break_to is None or place is through(context.break_to) or place.layout < last:
        return None
    return place if writer.final(place, shared=True) is writer.final(context.break_to, shared=True) else None


def _left_to(
    writer: Structurer, inside: set[LiftedBlock], handling: set[LiftedBlock], loop: list[LiftedBlock | None]
) -> tuple[list[LiftedBlock], list[LiftedBlock]]:
    """Where control goes from the body and from the handlers, but for returns of what was evaluated there: they stand
    there as well.
    """
    both = [
        [p for p in writer.leaving(part) if not writer.is_constant_exit(p) or isinstance(p.test, nodes.Constant)]
        for part in (inside, handling)
    ]
    left = {place for places in both for place in places if not writer.is_constant_exit(place)}
    for place in left if len(left) > 1 else ():
        end = writer.final(place, shared=True)  # behind what unwinds the statements around
        if end in loop and all(place in places for places in both):
            both = [[end if other is place else other for other in places] for places in both]
    return both[0], both[1]


def _behind_the_handlers(
    writer: Structurer, node: LiftedBlock, start: LiftedBlock, handling: set[LiftedBlock], context: Context
) -> LiftedBlock | None:
    """Where the ``else`` clause that begins at ``start`` goes on behind the handlers: that follows the statement."""
    last = max(handler.layout for handler in handling)
    reached = [other for other in writer.flow.dominated(start) if other in context.inside]
    before = {other for other in reached if other.layout < last}
    places = {through(place) for other in before for place in other.successors} - before
    behind = [place for place in places if place in reached]
    if len(behind) != 1 or behind[0] is None or behind[0].region is not node.region:
        return None
    return behind[0] if behind[0].markers == node.markers else None


def _falls_off(handling: set[LiftedBlock], end: LiftedBlock) -> bool:
    """Whether the lines say that the handlers end without ``continue``: with the line of their last statements."""
    leaving = [node for node in handling if any(through(place) is end for place in node.successors)]
    lines = []
    for node in leaving:
        seen = {node}
        while not node.statements and len(node.predecessors) == 1 and not node.predecessors <= seen:
            (node,) = node.predecessors
            seen.add(node)
        lines.append(node.statements[-1].line if node.statements else None)
    return all(line is not None and node.evidence.exit_line == line for node, line in zip(leaving, lines))


def _single(places: list[LiftedBlock]) -> LiftedBlock | None:
    if len(places) > 1:
        raise NoPlace("a try body that is left to several places", places)
    return places[0] if places else None


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
        block = through(block.false)
    return handlers


def _name(body: list[nodes.Statement]) -> tuple[str | None, list[nodes.Statement]]:
    first = body[0] if body else None
    if isinstance(first, nodes.Assign) and isinstance(first.value, Marker) and first.value.kind == "exception":
        (target,) = first.targets
        if isinstance(target, nodes.Name):
            return target.id, body[1:]
    return None, body
