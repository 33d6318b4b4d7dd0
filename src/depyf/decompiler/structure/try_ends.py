"""What follows a try statement and whether it has an ``else`` clause, from where body and handlers continue."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from ..lift import LiftedBlock
from ..lift.folding.shapes import skip_jumps
from ..syntax import nodes
from .columns import column_of_first, is_deeper
from .context import Context, NoPlace
from .loop_exits import is_returned_to
from .rules import Rules

if TYPE_CHECKING:
    from .structurer import Structurer


class Ends(NamedTuple):
    """The block after the statement, and the one that begins its ``else`` clause, if any."""

    after: LiftedBlock | None = None
    orelse: LiftedBlock | None = None


class TryExits:
    """Where the body of a try statement, ``inside``, and its handlers, ``handling``, continue.

    ``follow`` is where control goes when it falls off the end of the surrounding statements. ``is_of_group``: the
    handlers are ``except*`` clauses. Code that only the body reaches is the ``else`` clause if it is laid out before
    the handlers, and follows the statement if it is laid out after them.
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
        self.loop = [skip_jumps(block) for block in (context.break_to, context.continue_to) if block is not None]
        self.end = skip_jumps(follow)
        self.first = min(node.layout for node in handling)
        self.last = max(node.layout for node in handling)
        from_body, from_handler = self._left_to()
        self.from_handler = [block for block in from_handler if self._counts(block)]
        self.from_body = [p for p in from_body if self._counts(p) and not is_returned_to(writer, p, inside)]
        # Code before the handlers that only leaves or repeats the loop is a `break` or `continue` ending the body.
        self.from_body = [p for p in self.from_body if not (self._is_before_handlers(p) and self.only_loops(p))]
        self.handler_real = [block for block in self.from_handler if not self.is_constant(block)]
        self.body_real = [p for p in self.from_body if not self.is_constant(p) or self._is_behind(p)]

    def _counts(self, block: LiftedBlock) -> bool:
        if block is self.end:
            return True
        within = block in self.context.inside or self.writer.is_constant_exit(block)
        return block not in self.loop and within

    def _left_to(self) -> tuple[list[LiftedBlock], list[LiftedBlock]]:
        """Return the exits of the body and of the handlers, except for returns of values that were evaluated there:
        those belong to the part itself.
        """
        writer = self.writer
        both = [
            [p for p in writer.leaving(part) if not writer.is_constant_exit(p) or isinstance(p.test, nodes.Constant)]
            for part in (self.inside, self.handling)
        ]
        left = {block for blocks in both for block in blocks if not writer.is_constant_exit(block)}
        for block in left if len(left) > 1 else ():
            end = writer.final(block, shared=True)  # after what unwinds the statements around
            if end in self.loop and all(block in blocks for blocks in both):
                both = [[end if other is block else other for other in blocks] for blocks in both]
        return both[0], both[1]

    def _is_before_handlers(self, block: LiftedBlock) -> bool:
        """Whether the author wrote ``block`` before the handlers, by its line or by the order of the code."""
        if self.writer.flow.else_is_last:
            return block.layout < self.first
        line = block.evidence.exit_line
        return line is not None and line < self.first_line

    def _is_behind(self, block: LiftedBlock) -> bool:
        """Whether ``block`` is laid out after the handlers, and is not the rest of a return on a line above them."""
        evidence = block.evidence
        is_above = evidence.unwinds_for_return and evidence.line is not None and evidence.line < self.first_line
        return block.layout > self.last and not is_above

    # Predicates on one block

    def only_loops(self, block: LiftedBlock) -> bool:
        """Whether control leaves or repeats the loop from ``block``, after unwinding the surrounding statements."""
        return self.writer.final(block, shared=True) in self.loop

    def is_constant(self, block: LiftedBlock) -> bool:
        """Whether ``block`` returns a value that needs no evaluation, so that it may be in any statement, and does not
        follow this one.
        """
        evidence = block.evidence
        later = evidence.is_uncopied and not evidence.is_implicit_return and block.layout > self.last
        return self.writer.is_constant_exit(block) and not later and not self.is_written_after(block)

    def is_written_after(self, block: LiftedBlock) -> bool:
        """Whether the lines show that a ``return`` follows the statement, or may as well be in its ``else`` clause."""
        evidence, flow = block.evidence, self.writer.flow
        if block.kind != "return" or evidence.is_uncopied or evidence.is_implicit_return is not False:
            return False
        if block in self.from_handler and block not in self.from_body and block.predecessors <= self.handling:
            # Behind a copy of a ``finally`` body, it has the line of that.
            return evidence.is_behind_finally is not False and _follow_ends_of_handlers(block)
        if block.layout < self.first and not flow.else_is_last and not flow.handlers_are_last:
            return False  # it comes before the handlers, as an else clause does
        if evidence.unwinds_for_return and evidence.line is not None and evidence.is_behind_finally is False:
            return evidence.line > self.last_line
        if evidence.is_behind_finally is not None:
            return evidence.is_behind_finally
        return evidence.exit_line is not None and evidence.exit_line > self.last_line

    @cached_property
    def last_line(self) -> int:
        """The last line of the handlers, 0 if there are no lines."""
        return max(map(_own_line, self.handling))

    @cached_property
    def first_line(self) -> int:
        """The first line of the handlers, 0 if there are no lines."""
        lines = (line for node in self.handling for line in (node.evidence.line, node.evidence.exit_line) if line)
        return min(lines, default=0)

    # Blocks that several rules use

    @cached_property
    def others(self) -> list[LiftedBlock]:
        """Where the body continues, except for the block that follows anyway."""
        return [block for block in self.body_real if block is not self.end and not self.is_constant(block)]

    def body_but(self, *blocks: LiftedBlock | None) -> list[LiftedBlock]:
        """Return where the body continues, except for ``blocks`` and returns that may be anywhere."""
        return [block for block in self.body_real if block not in blocks and not self.is_constant(block)]


def _follow_ends_of_handlers(block: LiftedBlock) -> bool:
    """Whether ``block`` is on a line below all the ends of handlers that lead to it, which are no return statements."""
    line = block.evidence.exit_line
    if line is None:
        return False
    return all(one.evidence.keyword == "" and (one.evidence.line or line) < line for one in block.predecessors)


def _own_line(node: LiftedBlock) -> int:
    """Return the last line of ``node``, 0 if unknown. In place of a copy, a jump has the line of what was copied."""
    begins, ends = node.evidence.line, node.evidence.exit_line
    after = skip_jumps(node.next) if node.kind == "goto" else None
    if after is not None and ends is not None and ends == after.evidence.line:
        if node.statements:
            ends = node.statements[-1].line
        elif begins != ends:
            ends = begins
        elif node.evidence.keyword == "":
            return 0  # the end of a handler, without a line
    return ends or begins or 0


def _single(blocks: list[LiftedBlock]) -> LiftedBlock | None:
    if len(blocks) > 1:
        raise NoPlace("a try body that is left to several places", blocks)
    return blocks[0] if blocks else None


# The rules


def _else_breaks(exits: TryExits) -> Ends | None:
    """The body only leaves the loop, after the handlers, which continue with what follows: ``else: break``, where the
    compiler lays the clause out there.
    """
    if not exits.writer.flow.else_is_last or exits.end is None or exits.from_handler != [exits.end]:
        return None
    break_to, final = exits.context.break_to, exits.writer.final
    blocks = {skip_jumps(block) for node in exits.inside for block in node.successors} - exits.inside - {None}
    block = blocks.pop() if len(blocks) == 1 else None
    if block is None or break_to is None or block is skip_jumps(break_to) or block.layout < exits.last:
        return None
    return Ends(exits.follow, block) if final(block, shared=True) is final(break_to, shared=True) else None


def _break_below(exits: TryExits) -> Ends | None:
    """The body and the handlers continue with a jump out of the loop on a line below them all: a ``break`` that follows
    the statement.
    """
    if exits.context.break_to is None or exits.from_body or any(p not in exits.loop for p in exits.handler_real):
        return None
    part, out = exits.inside | exits.handling, skip_jumps(exits.context.break_to)
    left = [block for node in part for block in node.successors if block not in part]
    leaving = [_jumps_from(block) for block in left if skip_jumps(block) is out]
    below = {one for jumps in leaving for one in jumps if (one.evidence.exit_line or 0) > exits.last_line}
    if len(below) != 1 or out is skip_jumps(exits.context.continue_to):
        return None
    jump = below.pop()
    if jump.evidence.column != _column(exits) or len(jump.predecessors) < 2:
        return None
    falls = all(jump in jumps and not any(map(_is_written, jumps[: jumps.index(jump)])) for jumps in leaving)
    return Ends(jump) if falls else None


def _is_written(jump: LiftedBlock) -> bool:
    """Whether the jump has a line of its own: it is a ``break``, not the end of the statements before it."""
    lines: set[int | None] = {None}
    for one in jump.predecessors:
        lines.update((one.evidence.line, one.evidence.exit_line, *(statement.line for statement in one.statements)))
    return jump.evidence.exit_line not in lines


def _jumps_from(block: LiftedBlock) -> list[LiftedBlock]:
    """Return ``block`` and those after it that only jump."""
    found: list[LiftedBlock] = []
    following: LiftedBlock | None = block
    while following is not None and following.kind == "goto" and not following.statements and following not in found:
        found.append(following)
        following = following.next
    return found


def _leaves_loop_by_its_line(exits: TryExits) -> Ends | None:
    """The body goes to a jump of its own, on a line below the handlers, which leaves or repeats the loop: that is the
    ``else`` clause, or follows the statement if no handler does.
    """
    targets = {block for node in exits.inside for block in node.successors} - exits.inside
    block = targets.pop() if len(targets) == 1 else None
    while block is not None and block.layout < exits.first and block.kind == "goto" and not block.statements:
        block = block.next
    if block is None or block.layout < exits.last or block.kind != "goto" or block.statements or not exits.last_line:
        return None
    line = block.evidence.exit_line
    if line is None or line <= exits.last_line or len(block.predecessors) > 1 or not exits.only_loops(block):
        return None
    if exits.handler_real and exits.handler_real != [exits.end]:
        return None
    return Ends(exits.follow, block) if exits.from_handler else Ends(block)


def _handlers_end_the_code(exits: TryExits) -> Ends | None:
    """The handlers fall off the end of the code, where nobody wrote a return: what only the body reaches is ``else``.

    Clauses of groups can't have a return.
    """
    unwritten = (p for p in exits.from_handler if p.evidence.is_implicit_return or exits.is_of_group)
    finish = [block for block in unwritten if isinstance(block.test, nodes.Constant)]
    if len(finish) != 1 or exits.handler_real or exits.end is not None and exits.end is not finish[0]:
        return None
    private = exits.body_but(finish[0])
    if len(private) == 1 and (private[0].layout > exits.last or exits.is_of_group):
        return Ends(finish[0], private[0])
    return None


def _body_loops(exits: TryExits) -> Ends | None:
    """The body continues with the loop or leaves it, the handlers continue with what follows the statement."""
    end = exits.end
    beyond = [block for block in exits.handler_real if block not in exits.loop and block is not end]
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


def _follows_by_its_column(exits: TryExits) -> Ends | None:
    """The handlers continue with the loop, and what the body continues with is in the column of the statement; if it
    is deeper, it is the ``else`` clause.
    """
    real = [block for block in exits.handler_real if block is not exits.end]
    if exits.end is None or exits.end not in exits.loop or real or exits.is_of_group or len(exits.others) != 1:
        return None
    (block,) = exits.others
    column = _column(exits)
    if column is not None and is_deeper(block, column):
        return Ends(exits.follow, block)
    return Ends(block) if column is not None and column == column_of_first(block) else None


def _column(exits: TryExits) -> int | None:
    """Return the column of the statement, None if unknown."""
    columns = [one.region.column for one in exits.inside if one.region is not None and one.region.column is not None]
    return min(columns, default=None)


def _handlers_fall_off(exits: TryExits) -> Ends | None:
    """The handlers continue after the statement: code that the body alone continues with is its ``else`` clause.

    With the loop they may continue by a ``continue``, but a clause of groups can't hold one.
    """
    end = exits.end
    if end is None or end not in exits.from_handler or end in exits.loop and not exits.is_of_group:
        return None
    return Ends(exits.follow, _single(exits.others))


def _handlers_loop_by_their_lines(exits: TryExits) -> Ends | None:
    """The handlers continue with the loop, and the lines say that they do so without ``continue``: what the body
    continues with is the ``else`` clause if the compiler lays it out after them.
    """
    end = exits.end
    if len(_later_exits(exits)) != 1 or end is None or exits.handler_real != [end]:
        return None
    return Ends(exits.follow, _later_exits(exits)[0]) if _ends_by_line(exits.handling, end) else None


def _laid_out_behind(exits: TryExits) -> Ends | None:
    """What the body continues with after the handlers follows the statement."""
    later, body = _later_exits(exits), exits.body_real
    if not later or any(block not in exits.loop and block is not exits.end for block in exits.handler_real):
        return None
    return Ends(later[0], _single([block for block in body if block.layout < exits.last and block is not exits.end]))


def _handlers_go_on(exits: TryExits) -> Ends | None:
    """What the handlers continue with follows the statement."""
    real = exits.handler_real
    if not real:
        return None
    if len(real) > 1:
        raise NoPlace("handlers that go on at several places", real)
    return Ends(real[0], _single(exits.body_but(real[0])))


def _return_by_its_line(exits: TryExits) -> Ends | None:
    """The body continues with a return that its line puts after the statement."""
    rest = _rest(exits)
    return Ends(rest[0]) if len(rest) == 1 and exits.is_written_after(rest[0]) else None


def _body_goes_on_before(exits: TryExits) -> Ends | None:
    """What the body continues with is laid out before the handlers: the ``else`` clause. A return laid out after the
    handlers, with which they continue, follows the statement.
    """
    behind = [p for p in exits.from_handler if p.layout > exits.last and not _returns_from_inside(p)]
    returns = [p for p in behind if not is_returned_to(exits.writer, p, exits.handling)]
    return Ends(returns[0] if returns else None, _single(_rest(exits)))


def _returns_from_inside(block: LiftedBlock) -> bool:
    """Whether all that leads to the return is part of the return statement too: it leaves the handlers around. Behind a
    copy of a ``finally`` body, the return itself shows nothing.
    """
    itself = set() if block.evidence.is_behind_finally is False else {block}
    return all(one.evidence.unwinds_for_return for one in itself | block.predecessors)


def _later_exits(exits: TryExits) -> list[LiftedBlock]:
    """Return where the body continues after the handlers, except for the loop and the block that follows."""
    return [p for p in exits.body_real if p.layout > exits.last and p not in exits.loop and p is not exits.end]


def _rest(exits: TryExits) -> list[LiftedBlock]:
    """Return where the body continues, without returns that may be anywhere unless there is nothing else."""
    return exits.body_but() or exits.body_real


def _ends_by_line(handling: set[LiftedBlock], end: LiftedBlock) -> bool:
    """Whether the jumps of the handlers to ``end`` have the lines of the statements before them."""
    leaving = [node for node in handling if any(skip_jumps(block) is end for block in node.successors)]
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
    _break_below,
    _leaves_loop_by_its_line,
    _handlers_end_the_code,
    _body_loops,
    _all_fall_off,
    _follows_by_its_column,
    _handlers_fall_off,
    _handlers_loop_by_their_lines,
    _laid_out_behind,
    _handlers_go_on,
    _return_by_its_line,
    _body_goes_on_before,
)
