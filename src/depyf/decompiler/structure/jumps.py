"""What is written where control goes on at another node: nothing, ``break``, ``continue``, ``return``, or the node."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from ..flowgraph.regions import chain
from ..lift import LiftedBlock
from ..lift.folding.shapes import through
from ..lift.values import Marker
from ..syntax import nodes
from .context import Context
from .rules import Rules

if TYPE_CHECKING:
    from .structurer import Structurer


class GoesOn(NamedTuple):
    """What a rule gives: all is written, or ``node`` is to be written next in the same list."""

    node: LiftedBlock | None = None


WRITTEN = GoesOn()


class Jump:
    """Control goes from ``source`` to ``target``, past jumps to ``place``, where statements are written into ``out``.

    ``follow`` is where control falls off the end of ``out``. ``after_statement``: ``source`` is a whole statement, and
    what follows it may be reached from inside as well. ``line`` is the jump's.
    """

    def __init__(
        self,
        writer: Structurer,
        source: LiftedBlock,
        target: LiftedBlock,
        follow: LiftedBlock | None,
        context: Context,
        out: list[nodes.Statement],
        after_statement: bool,
    ) -> None:
        place = through(target)
        assert place is not None
        self.writer, self.source, self.target, self.place = writer, source, target, place
        self.follow, self.context, self.out = follow, context, out
        self.after_statement = after_statement
        self.line = source.evidence.exit_line if source.kind == "goto" else None
        if self.line is None and (target is not place or place.kind == "goto" and not place.statements):
            self.line = target.evidence.line

    def writes(self, statement: nodes.Statement, covers: LiftedBlock | None = None) -> GoesOn:
        """``statement`` is all; it stands for the node ``covers`` too."""
        if covers is not None:
            self.writer.written.add(covers)
        self.out.append(statement)
        return WRITTEN

    def returns(self) -> GoesOn:
        """A return statement with what ``place`` returns."""
        self.writer.write_return(self.place, self.out)
        return WRITTEN

    def is_one_copy_of(self, other: LiftedBlock | None) -> bool:
        """Whether ``place`` is one of the compiler's copies of what stands at ``other``, not a return of its own."""
        if other is None or not self.writer.is_copy(self.place, other):
            return False
        return not self.writer.is_written(self.place, other)

    @cached_property
    def goal(self) -> LiftedBlock:
        """Where control ends up behind all that only leaves statements."""
        return self.writer.final(self.place, shared=True)

    @cached_property
    def may_return(self) -> bool:
        """Whether a return statement here does what ``place`` does."""
        writer, place = self.writer, self.place
        return writer.is_exit(place) and (
            writer.same_surroundings(self.source, place) or writer.cannot_raise(place)
        )


def _abandoned_return(jump: Jump) -> GoesOn | None:
    """Control never comes here: a ``finally`` body keeps a return from happening, of which the value is left."""
    place = jump.place
    if place.kind != "nowhere":
        return None
    if place.entry and not isinstance(place.entry[-1], Marker):
        jump.out.append(nodes.Return(place.entry[-1]))
    return WRITTEN


def _falls_off(jump: Jump) -> GoesOn | None:
    """Control goes where it falls off the end of the statements: nothing is written, but for a ``continue`` of which
    the compiler kept a jump of its own.
    """
    place, follow = jump.place, jump.follow
    if follow is None or place is not through(follow):
        return None
    loops = place is jump.context.continue_to and not (place.evidence.is_repeated and jump.after_statement)
    if loops and (_keeps_a_jump(jump) or jump.source.evidence.keyword == "continue"):
        return jump.writes(nodes.Continue(line=jump.line), jump.target)
    return WRITTEN


def _keeps_a_jump(jump: Jump) -> bool:
    """Whether a jump of its own leads to the top of the loop, though falling off the end does too."""
    writer, source, place = jump.writer, jump.source, jump.place
    if place.evidence.is_repeated:
        return writer.jumps_to_the_top(source, jump.target)
    if place in writer.continued:
        return True
    left = [region for region in chain(source.region) if region not in chain(jump.target.region)]
    return jump.target is not place and source.kind == "branch" and all(r.kind != "finally" for r in left)


def _end_of_handling(jump: Jump) -> GoesOn | None:
    """The exception is raised again at the end of a ``finally`` body, or of the clauses of a try statement."""
    place = jump.place
    if place.kind != "reraise" or place.statements or jump.follow is not None:
        return None
    jump.writer.written.add(place)
    return WRITTEN


def _continue(jump: Jump) -> GoesOn | None:
    """To the top of the loop."""
    return jump.writes(nodes.Continue(line=jump.line)) if jump.place is jump.context.continue_to else None


def _break(jump: Jump) -> GoesOn | None:
    """To what follows the loop."""
    end = jump.context.break_to
    return jump.writes(nodes.Break(line=jump.line)) if end is not None and jump.place is through(end) else None


def _copy_of_what_follows(jump: Jump) -> GoesOn | None:
    """To a copy that the compiler made of a short exit behind the statements: control falls off their end."""
    if not jump.is_one_copy_of(jump.follow):
        return None
    jump.writer.written.add(jump.place)
    return WRITTEN


def _copy_behind_the_loop(jump: Jump) -> GoesOn | None:
    """To a copy that the compiler made of a short exit behind the loop: a ``break``."""
    if not jump.is_one_copy_of(jump.context.break_to):
        return None
    return jump.writes(nodes.Break(line=jump.line), jump.place)


def _next_node(jump: Jump) -> GoesOn | None:
    """To a node that nothing else leads to: it is written next."""
    place, writer = jump.place, jump.writer
    if place not in jump.context.inside or place in writer.written:
        return None
    return GoesOn(place) if jump.after_statement or writer.is_private(place) else None


def _break_to_the_end(jump: Jump) -> GoesOn | None:
    """To the end of the code, where nobody wrote a return, and a ``break`` leads there too."""
    after = jump.context.break_to
    if after is None:
        return None
    end = jump.writer.final(jump.place)
    ends_the_code = end.evidence.is_implicit_return and end is jump.writer.final(after, shared=True)
    return jump.writes(nodes.Break(line=jump.line)) if ends_the_code else None


def _written_return(jump: Jump) -> GoesOn | None:
    """To a return that somebody wrote, by its position or in front of a copy of a ``finally`` body."""
    if not jump.may_return:
        return None
    evidence = jump.goal.evidence
    is_written = jump.place.evidence.is_behind_finally is False and not evidence.is_uncopied
    return jump.returns() if is_written or not evidence.is_implicit_return else None


def _unwinds_to_what_follows(jump: Jump) -> GoesOn | None:
    """Through what unwinds statements to where control falls off the end; a ``continue`` if its column says that."""
    follow, place = jump.follow, jump.place
    if follow is None or jump.goal is not jump.writer.final(follow, shared=True):
        return None
    if place.evidence.keyword == "continue" and jump.goal is jump.context.continue_to:
        return jump.writes(nodes.Continue(line=place.evidence.line), place)
    return WRITTEN


def _unwinds_behind_the_loop(jump: Jump) -> GoesOn | None:
    """Through what unwinds statements to what follows the loop: a ``break``."""
    end = jump.context.break_to
    if end is None or jump.goal is not jump.writer.final(end, shared=True):
        return None
    return jump.writes(nodes.Break(line=jump.line))


def _implicit_return(jump: Jump) -> GoesOn | None:
    """To a return that nobody wrote, where no other word leads: it is written."""
    return jump.returns() if jump.may_return else None


def _unwinds(jump: Jump) -> GoesOn | None:
    """Through what unwinds statements to somewhere else, which is asked for again."""
    if jump.goal is jump.place:
        return None
    writer, follow, context = jump.writer, jump.follow, jump.context
    return GoesOn(writer.go(jump.source, jump.goal, follow, context, jump.out, jump.after_statement))


RULES: Rules[Jump, GoesOn] = Rules(
    "jump",
    _abandoned_return,
    _falls_off,
    _end_of_handling,
    _continue,
    _break,
    _copy_of_what_follows,
    _copy_behind_the_loop,
    _next_node,
    _break_to_the_end,
    _written_return,
    _unwinds_to_what_follows,
    _unwinds_behind_the_loop,
    _implicit_return,
    _unwinds,
)
