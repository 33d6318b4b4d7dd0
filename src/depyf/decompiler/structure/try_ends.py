"""What follows a try statement, and whether it has an ``else`` clause: by where body and handlers go on."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from ..lift import LiftedBlock
from ..lift.folding.shapes import through
from ..syntax import nodes
from .context import Context, NoPlace
from .rules import Rules

if TYPE_CHECKING:
    from .structurer import Structurer


class Ends(NamedTuple):
    """What follows the statement, and where its ``else`` clause begins if there is one."""

    after: LiftedBlock | None = None
    orelse: LiftedBlock | None = None


class TryExits:
    """Where the body of a try statement, ``inside``, and its handlers, ``handling``, go on.

    ``follow`` is where control falls off the end of the statements around. ``is_of_group``: the handlers are
    ``except*`` clauses. Code that only the body reaches is the ``else`` clause if it is laid out before the handlers,
    and follows the statement if it is laid out behind them.
    """

    def __init__(
        self,
        writer: Structurer,
        inside: set[LiftedBlock],
        handling: set[LiftedBlock],
        follow: LiftedBlock | None,
        context: Context,
        is_of_group: bool,
    ) -> None:
        self.writer, self.inside, self.handling = writer, inside, handling
        self.follow, self.context, self.is_of_group = follow, context, is_of_group
        self.loop = [through(place) for place in (context.break_to, context.continue_to) if place is not None]
        self.end = through(follow)
        self.first = min(node.layout for node in handling)
        self.last = max(node.layout for node in handling)
        from_body, from_handler = self._left_to()
        self.from_handler = [place for place in from_handler if self._counts(place)]
        self.from_body = [place for place in from_body if self._counts(place)]
        if writer.flow.else_is_last:
            # What is laid out before the handlers and only leaves is a `break` or `continue` at the end of the body.
            self.from_body = [p for p in self.from_body if p.layout > self.first or not self.only_loops(p)]
        self.handler_real = [place for place in self.from_handler if not self.is_constant(place)]
        self.body_real = [p for p in self.from_body if not self.is_constant(p) or p.layout > self.last]

    def _counts(self, place: LiftedBlock) -> bool:
        if place is self.end:
            return True
        within = place in self.context.inside or self.writer.is_constant_exit(place)
        return place not in self.loop and within

    def _left_to(self) -> tuple[list[LiftedBlock], list[LiftedBlock]]:
        """Where control goes from the body and from the handlers, but for returns of what was evaluated there: they
        stand there as well.
        """
        writer = self.writer
        both = [
            [p for p in writer.leaving(part) if not writer.is_constant_exit(p) or isinstance(p.test, nodes.Constant)]
            for part in (self.inside, self.handling)
        ]
        left = {place for places in both for place in places if not writer.is_constant_exit(place)}
        for place in left if len(left) > 1 else ():
            end = writer.final(place, shared=True)  # behind what unwinds the statements around
            if end in self.loop and all(place in places for places in both):
                both = [[end if other is place else other for other in places] for places in both]
        return both[0], both[1]

    # What is asked of one place

    def only_loops(self, place: LiftedBlock) -> bool:
        """Whether control leaves or repeats the loop from ``place``, behind what unwinds the statements around."""
        return self.writer.final(place, shared=True) in self.loop

    def is_constant(self, place: LiftedBlock) -> bool:
        """Whether ``place`` returns what is known already, so that it may be written in any statement; and does not
        stand behind this one.
        """
        evidence = place.evidence
        behind = evidence.is_uncopied and not evidence.is_implicit_return and place.layout > self.last
        return self.writer.is_constant_exit(place) and not behind and not self.is_written_behind(place)

    def is_written_behind(self, place: LiftedBlock) -> bool:
        """Whether the lines say that a ``return`` stands behind the statement, or as well in its ``else`` clause."""
        evidence, flow = place.evidence, self.writer.flow
        if place.kind != "return" or evidence.is_uncopied or evidence.is_implicit_return is not False:
            return False
        if place in self.from_handler and place not in self.from_body:
            return False
        if place.layout < self.first and not flow.else_is_last and not flow.handlers_are_last:
            return False  # it stands before the handlers, as an else clause does
        if evidence.is_behind_finally is not None:
            return evidence.is_behind_finally
        return evidence.exit_line is not None and evidence.exit_line > self.last_line

    @cached_property
    def last_line(self) -> int:
        """The last line of the handlers, 0 if there are no lines."""
        return max(node.evidence.exit_line or node.evidence.line or 0 for node in self.handling)

    # The places that more than one rule asks for

    @cached_property
    def others(self) -> list[LiftedBlock]:
        """Where the body goes on but for what follows anyway."""
        return [place for place in self.body_real if place is not self.end and not self.is_constant(place)]

    def body_but(self, *places: LiftedBlock | None) -> list[LiftedBlock]:
        """Where the body goes on but for ``places`` and returns that may stand anywhere."""
        return [place for place in self.body_real if place not in places and not self.is_constant(place)]


def _single(places: list[LiftedBlock]) -> LiftedBlock | None:
    if len(places) > 1:
        raise NoPlace("a try body that is left to several places", places)
    return places[0] if places else None


# The rules


def _else_breaks(exits: TryExits) -> Ends | None:
    """The body only leaves the loop, behind the handlers, which go on with what follows: ``else: break``, where the
    compiler lays the clause out there.
    """
    if not exits.writer.flow.else_is_last or exits.end is None or exits.from_handler != [exits.end]:
        return None
    break_to, final = exits.context.break_to, exits.writer.final
    places = {through(place) for node in exits.inside for place in node.successors} - exits.inside - {None}
    place = places.pop() if len(places) == 1 else None
    if place is None or break_to is None or place is through(break_to) or place.layout < exits.last:
        return None
    return Ends(exits.follow, place) if final(place, shared=True) is final(break_to, shared=True) else None


def _handlers_end_the_code(exits: TryExits) -> Ends | None:
    """The handlers fall off the end of the code, where nobody wrote a return: what only the body reaches is ``else``.

    Clauses of groups can't have a return.
    """
    unwritten = (p for p in exits.from_handler if p.evidence.is_implicit_return or exits.is_of_group)
    finish = [place for place in unwritten if isinstance(place.test, nodes.Constant)]
    if len(finish) != 1 or exits.handler_real or exits.end is not None and exits.end is not finish[0]:
        return None
    private = exits.body_but(finish[0])
    if len(private) == 1 and (private[0].layout > exits.last or exits.is_of_group):
        return Ends(finish[0], private[0])
    return None


def _body_loops(exits: TryExits) -> Ends | None:
    """The body goes on with the loop or leaves it, the handlers go on with what follows the statement."""
    end = exits.end
    beyond = [place for place in exits.handler_real if place not in exits.loop and place is not end]
    if len(beyond) != 1 or end is None or end not in exits.loop:
        return None
    return Ends(beyond[0], _single(exits.body_but(beyond[0], end)))


def _all_fall_off(exits: TryExits) -> Ends | None:
    """The body falls off the end, or the handlers, and goes nowhere else but to the loop around."""
    end, others = exits.end, exits.others
    if end is None or end not in exits.from_body and end not in exits.from_handler:
        return None
    if not others or end in exits.from_body and all(map(exits.only_loops, others)):
        return Ends(exits.follow)
    return None


def _handlers_fall_off(exits: TryExits) -> Ends | None:
    """The handlers go on behind the statement: code that the body alone goes on with is its ``else`` clause."""
    end = exits.end
    if end is None or end in exits.loop or end not in exits.from_handler:
        return None
    return Ends(exits.follow, _single(exits.others))


def _handlers_loop_by_their_lines(exits: TryExits) -> Ends | None:
    """The handlers go on with the loop, and the lines say that they do so without ``continue``: what the body goes on
    with behind them is the ``else`` clause, where the compiler lays it out there.
    """
    end = exits.end
    if len(_behind(exits)) != 1 or end is None or exits.handler_real != [end]:
        return None
    return Ends(exits.follow, _behind(exits)[0]) if _ends_by_line(exits.handling, end) else None


def _laid_out_behind(exits: TryExits) -> Ends | None:
    """What the body goes on with behind the handlers follows the statement."""
    behind, body = _behind(exits), exits.body_real
    if not behind or any(place not in exits.loop and place is not exits.end for place in exits.handler_real):
        return None
    return Ends(behind[0], _single([place for place in body if place.layout < exits.last and place is not exits.end]))


def _only_the_body_goes_on(exits: TryExits) -> Ends | None:
    """The body goes on with the loop or with what follows, the handlers with nothing."""
    others, end = exits.others, exits.end
    if len(others) != 1 or end not in exits.from_body or end not in exits.loop or exits.from_handler:
        return None
    return Ends(others[0])


def _handlers_go_on(exits: TryExits) -> Ends | None:
    """What the handlers go on with follows the statement."""
    real = exits.handler_real
    if not real:
        return None
    if len(real) > 1:
        raise NoPlace("handlers that go on at several places", real)
    return Ends(real[0], _single(exits.body_but(real[0])))


def _return_by_its_line(exits: TryExits) -> Ends | None:
    """The body goes on with a return that its line puts behind the statement."""
    rest = _rest(exits)
    return Ends(rest[0]) if len(rest) == 1 and exits.is_written_behind(rest[0]) else None


def _body_goes_on_before(exits: TryExits) -> Ends | None:
    """What the body goes on with is laid out before the handlers: the ``else`` clause. A return that the handlers go on
    with behind them follows the statement.
    """
    returns = [place for place in exits.from_handler if place.layout > exits.last]
    return Ends(returns[0] if returns else None, _single(_rest(exits)))


def _behind(exits: TryExits) -> list[LiftedBlock]:
    """Where the body goes on behind the handlers, but for the loop and what follows."""
    return [p for p in exits.body_real if p.layout > exits.last and p not in exits.loop and p is not exits.end]


def _rest(exits: TryExits) -> list[LiftedBlock]:
    """Where the body goes on, but for returns that may stand anywhere if there is anything else."""
    return exits.body_but() or exits.body_real


def _ends_by_line(handling: set[LiftedBlock], end: LiftedBlock) -> bool:
    """Whether the jumps of the handlers to ``end`` have the lines of the statements before them."""
    leaving = [node for node in handling if any(through(place) is end for place in node.successors)]
    lines = []
    for node in leaving:
        seen = {node}
        while not node.statements and len(node.predecessors) == 1 and not node.predecessors <= seen:
            (node,) = node.predecessors
            seen.add(node)
        lines.append(node.statements[-1].line if node.statements else None)
    return all(line is not None and node.evidence.exit_line == line for node, line in zip(leaving, lines))


RULES: Rules[TryExits, Ends] = Rules(
    "try",
    _else_breaks,
    _handlers_end_the_code,
    _body_loops,
    _all_fall_off,
    _handlers_fall_off,
    _handlers_loop_by_their_lines,
    _laid_out_behind,
    _only_the_body_goes_on,
    _handlers_go_on,
    _return_by_its_line,
    _body_goes_on_before,
)
