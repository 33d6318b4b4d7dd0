"""How control reaches a node: by falling off the end, ``break``, ``continue``, ``return``, or the node written next."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from ..flowgraph.regions import chain
from ..lift import LiftedBlock
from ..lift.folding.shapes import skip_jumps
from ..lift.values import Marker
from ..syntax import nodes
from .context import Context
from .rules import Rules

if TYPE_CHECKING:
    from .structurer import Structurer


class Continuation(NamedTuple):
    """The result of a rule: everything is written, or ``node`` has to be written next in the same list."""

    node: LiftedBlock | None = None


WRITTEN = Continuation()


class Jump:
    """An edge from ``source`` to ``target``, past jumps to ``block``, at the end of the statements in ``out``.

    ``follow`` is where control goes when it falls off the end of ``out``. ``after_statement``: ``source`` is a whole
    statement, so its successor may be reached from inside it as well. ``line`` is the line of the jump.
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
        block = skip_jumps(target)
        assert block is not None
        self.writer, self.source, self.target, self.block = writer, source, target, block
        self.follow, self.context, self.out = follow, context, out
        self.after_statement = after_statement
        self.line = source.evidence.exit_line if source.kind == "goto" else None
        if self.line is None and (target is not block or block.kind == "goto" and not block.statements):
            self.line = target.evidence.line

    def writes(self, statement: nodes.Statement, covers: LiftedBlock | None = None) -> Continuation:
        """Write ``statement`` and nothing else; mark the node ``covers`` as written, too."""
        if covers is not None:
            self.writer.written.add(covers)
        self.out.append(statement)
        return WRITTEN

    def continue_statement(self) -> nodes.Continue:
        """Return a ``continue``, spelled ``pass`` if the source has one at the end of the loop's body."""
        statement = nodes.Continue(line=self.line)
        left = next((p.evidence for p in (self.target, self.source) if p.evidence.keyword == "continue"), None)
        if left is not None and left.left_from is not None:
            statement.line, statement.column = left.line, left.left_from
        elif self.source.kind == "goto" and self.source.evidence.exit_line is not None:
            statement.column = self.source.evidence.column
        elif self.target is not self.block and self.target.kind == "goto" and not self.target.statements:
            statement.column = self.target.evidence.column
            if self.target.evidence.is_continue:  # it follows what drops the subject of a match statement
                statement.line = self.target.evidence.exit_line
        if self.source.evidence.is_pass or self.target is not self.block and self.target.evidence.is_pass:
            statement.written = "pass"
        return statement

    def break_statement(self) -> nodes.Break:
        """Return a ``break``, in its column if that is known."""
        statement = nodes.Break(line=self.line)
        source, target = self.source.evidence, self.target.evidence
        left = next((one for one in (target, self.block.evidence) if one.left_from is not None), None)
        if self.source.kind == "goto" and source.exit_line is not None:
            statement.column = source.column
        elif left is not None:
            statement.line, statement.column = left.line, left.left_from
        elif self.target is not self.block or self.block.kind == "goto":
            statement.column = target.column
        if left is None and self.block.evidence.left_line is not None:
            statement.line = self.block.evidence.left_line
        return statement

    def returns(self) -> Continuation:
        """Write a return statement with the value that ``block`` returns."""
        self.writer.write_return(self.block, self.out)
        return WRITTEN

    def is_one_copy_of(self, other: LiftedBlock | None) -> bool:
        """Whether ``block`` is the compiler's copy of ``other`` and not a separate return statement."""
        if other is None or not self.writer.is_copy(self.block, other):
            return False
        return not self.writer.is_written(self.block, other)

    @cached_property
    def goal(self) -> LiftedBlock:
        """The block that control reaches past code that only leaves statements."""
        return self.writer.final(self.block, shared=True)

    @cached_property
    def falls_to_goal(self) -> bool:
        """Whether control gets there by falling off the end, too."""
        return self.follow is not None and self.goal is self.writer.final(self.follow, shared=True)

    @cached_property
    def breaks_to_goal(self) -> bool:
        """Whether a ``break`` gets there: it is no other return statement."""
        end = self.context.break_to
        is_return = self.block.evidence.unwinds_for_return or self.source.evidence.unwinds_for_return
        return end is not None and self.goal is self.writer.final(end, shared=True) and not is_return

    @property
    def passes_follow(self) -> bool:
        """Whether ``follow`` is one of the jumps from ``target`` to ``block``."""
        one: LiftedBlock | None = self.target
        while one is not None and one is not self.block and one is not self.follow:
            one = one.next
        return one is not None and one is not self.block

    @cached_property
    def may_return(self) -> bool:
        """Whether a return statement here is equivalent to ``block``."""
        writer, block = self.writer, self.block
        return writer.is_exit(block) and (
            writer.same_surroundings(self.source, block) or writer.cannot_raise(block)
        )


def _abandoned_return(jump: Jump) -> Continuation | None:
    """Unreachable: a ``finally`` body prevents the return, of which only the value remains, or what follows the loop
    that a ``break`` leaves.
    """
    block, end = jump.block, jump.context.break_to
    if block.kind != "nowhere":
        return None
    if block.entry and not isinstance(block.entry[-1], Marker):
        jump.out.append(nodes.Return(block.entry[-1]))
    elif end is not None and block is skip_jumps(end) and block is not skip_jumps(jump.follow):
        return jump.writes(jump.break_statement())
    return WRITTEN


def _returns_out_of_a_statement(jump: Jump) -> Continuation | None:
    """Out of a statement by what is as wide as a ``return``, to the implicit return that other code reaches too."""
    source, target = jump.source, jump.target
    shows = not source.statements or source.evidence.unwinds_for_return
    left = source if shows and source.kind == "goto" and not _may_return(target, jump) else target
    if left is jump.follow:
        return None  # it is written after what joins there
    end = jump.goal if _may_return(left, jump) else None
    if end is None or end.kind != "return" or end.statements or not end.evidence.is_implicit_return:
        return None
    statement = nodes.Return(end.test, line=left.evidence.exit_line if left.statements else left.evidence.line)
    statement.written = left.evidence.keyword if left.evidence.unwinds_for_return else None
    return jump.writes(statement, target)


def _may_return(block: LiftedBlock, jump: Jump) -> bool:
    """Whether ``block`` is the part of a return statement that leaves the statements around it, judging by its width.

    Without columns it might also be a ``break``. That of a loop which never repeats is written as ``return``.
    """
    end, keyword = jump.context.break_to, block.evidence.keyword
    if keyword not in ("leaves", "leaves a loop"):
        return block.evidence.unwinds_for_return or keyword == "break" and end is None
    return end is None or jump.goal is not jump.writer.final(end, shared=True)


def _falls_off(jump: Jump) -> Continuation | None:
    """To where the statements end: nothing is written, except a ``continue`` that kept a jump of its own."""
    block, follow = jump.block, jump.follow
    if follow is None or block is not skip_jumps(follow):
        return None
    if jump.passes_follow:
        return WRITTEN  # what follows is a jump, or several
    if follow is not block and _is_break_beside(jump, follow):
        return jump.writes(jump.break_statement(), jump.target)
    loops = block is jump.context.continue_to and not (block.evidence.is_repeated and jump.after_statement)
    unwinds = jump.target if jump.target is not block else jump.source
    if loops and (_keeps_a_jump(jump) or unwinds.evidence.keyword == "continue" or _is_continue(jump)):
        return jump.writes(jump.continue_statement(), jump.target)
    return WRITTEN


def _is_break_beside(jump: Jump, follow: LiftedBlock) -> bool:
    """Whether the jump is a ``break``, by its width or, without columns, its line; what follows is another one."""
    end = jump.context.break_to
    if end is None or jump.block is not skip_jumps(end) or follow is end:
        return False
    source = jump.source if jump.target in (jump.block, follow) else jump.target
    if source is follow or source.kind != "goto":
        return False
    is_written = source.evidence.column is not None or source.evidence.is_continue
    return is_written and not source.evidence.is_pass


def _keeps_a_jump(jump: Jump) -> bool:
    """Whether there is a separate jump to the top of the loop, though falling off the end gets there as well."""
    writer, source, block = jump.writer, jump.source, jump.block
    if block.evidence.is_repeated:
        return writer.jumps_to_the_top(source, jump.target)
    if block in writer.continued:
        return True
    if jump.target is block or source.kind != "branch" or len(jump.target.predecessors) > 1:
        return False  # several statements end with one jump
    return all(r.kind != "finally" for r in chain(source.region) if r not in chain(jump.target.region))


def _is_continue(jump: Jump) -> bool:
    """Whether the jump has a line on which nothing else is, and is not below a statement around it, in its column."""
    source, target = jump.source, jump.target
    column = target.evidence.column if target is not jump.block else None
    if column is not None and any(r.column == column for r in chain(source.region) if r not in chain(target.region)):
        return False
    jumps_on = target is not jump.block and target.evidence.is_continue
    if source.kind == "goto" and not source.statements:
        return source.evidence.is_continue
    if source.kind == "goto":
        follows = (target.evidence.exit_line or 0) > (source.statements[-1].line or 0)
        return source.evidence.is_continue or jumps_on and follows and len(target.predecessors) == 1
    return source.kind in ("for", "try", "with") and jumps_on and target is not jump.follow


def _end_of_handling(jump: Jump) -> Continuation | None:
    """To the reraise at the end of a ``finally`` body, or of the clauses of a try statement: nothing is written, but
    a ``break`` if that is the end of the statement around the loop.
    """
    block, end = jump.block, skip_jumps(jump.context.break_to)
    if block.kind != "reraise" or block.statements or jump.follow is not None:
        return None
    jump.writer.written.add(block)
    if end is not None and end.kind == "reraise" and jump.writer.is_same_end(block, end):
        return jump.writes(jump.break_statement())
    return WRITTEN


def _continue(jump: Jump) -> Continuation | None:
    """To the header of the loop: a ``continue``."""
    return jump.writes(jump.continue_statement()) if jump.block is jump.context.continue_to else None


def _break(jump: Jump) -> Continuation | None:
    """To what follows the loop: a ``break``."""
    end = jump.context.break_to
    return jump.writes(jump.break_statement()) if end is not None and jump.block is skip_jumps(end) else None


def _copy_of_what_follows(jump: Jump) -> Continuation | None:
    """To the compiler's copy of a short exit after the statements: nothing is written."""
    if not jump.is_one_copy_of(jump.follow):
        return None
    jump.writer.written.add(jump.block)
    return WRITTEN


def _copy_behind_the_loop(jump: Jump) -> Continuation | None:
    """To the compiler's copy of a short exit after the loop: a ``break``."""
    if not jump.is_one_copy_of(jump.context.break_to):
        return None
    return jump.writes(jump.break_statement(), jump.block)


def _next_node(jump: Jump) -> Continuation | None:
    """To a node with no other predecessor: it is written next."""
    block, writer = jump.block, jump.writer
    if block not in jump.context.inside or block in writer.written:
        return None
    return Continuation(block) if jump.after_statement or writer.is_private(block) else None


def _break_to_the_end(jump: Jump) -> Continuation | None:
    """To the implicit return at the end of the code, which a ``break`` reaches too: a ``break``."""
    after = jump.context.break_to
    if after is None:
        return None
    end = jump.writer.final(jump.block)
    ends_the_code = end.evidence.is_implicit_return and end is jump.writer.final(after, shared=True)
    return jump.writes(jump.break_statement()) if ends_the_code else None


def _written_return(jump: Jump) -> Continuation | None:
    """To a return of the source, as shown by its position or by the copy of a ``finally`` body after it."""
    if not jump.may_return:
        return None
    evidence, is_behind_finally = jump.goal.evidence, jump.block.evidence.is_behind_finally
    is_written = is_behind_finally is False and not evidence.is_uncopied
    if jump.breaks_to_goal or is_behind_finally is None and jump.falls_to_goal:
        return None
    return jump.returns() if is_written or not evidence.is_implicit_return else None


def _unwinds_to_what_follows(jump: Jump) -> Continuation | None:
    """Through unwinding code to where the statements end; a ``continue`` if the columns show one."""
    block = jump.block
    if not jump.falls_to_goal:
        return None
    if block.evidence.keyword == "continue" and jump.goal is jump.context.continue_to:
        return jump.writes(nodes.Continue(line=block.evidence.line), block)
    return WRITTEN


def _unwinds_behind_the_loop(jump: Jump) -> Continuation | None:
    """Through unwinding code to what follows the loop: a ``break``."""
    return jump.writes(jump.break_statement()) if jump.breaks_to_goal else None


def _implicit_return(jump: Jump) -> Continuation | None:
    """To an implicit return that no other statement reaches: a ``return``, spelled as what the columns show."""
    if not jump.may_return:
        return None
    answer = jump.returns()
    evidence = (jump.source if jump.target is jump.block else jump.target).evidence
    if evidence.is_implicit_return:
        jump.out[-1].line, jump.out[-1].written = evidence.exit_line, evidence.written
    return answer


def _unwinds(jump: Jump) -> Continuation | None:
    """Through unwinding code to another node: the rules are applied to that."""
    if jump.goal is jump.block:
        return None
    writer, follow, context = jump.writer, jump.follow, jump.context
    return Continuation(writer.go(jump.source, jump.goal, follow, context, jump.out, jump.after_statement))


RULES: Rules[Jump, Continuation] = Rules(
    "jump",
    _abandoned_return,
    _returns_out_of_a_statement,
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
