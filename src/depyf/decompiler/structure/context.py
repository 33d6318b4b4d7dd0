"""The structurer's position: the loop that break and continue belong to, and the nodes that may be written here."""

from __future__ import annotations

from typing import Callable

from ...errors import DecompilationError
from ..flowgraph import Region
from ..lift import LiftedBlock
from ..lift.values import AssertionClass
from ..syntax import nodes

LOOPS = (nodes.For, nodes.AsyncFor, nodes.While)
TRIES = (nodes.Try, nodes.TryStar)
_JUMPS = {nodes.Return, nodes.Raise, nodes.Break, nodes.Continue}


class Context:
    """``inside`` holds the nodes of the statement being written; ``break_to`` and ``continue_to`` are the loop's."""

    __slots__ = ("inside", "break_to", "continue_to")

    def __init__(
        self,
        inside: set[LiftedBlock],
        break_to: LiftedBlock | None = None,
        continue_to: LiftedBlock | None = None,
    ) -> None:
        self.inside = inside
        self.break_to = break_to
        self.continue_to = continue_to

    def within(self, nodes: set[LiftedBlock]) -> Context:
        """Return the context for a statement's body that consists of ``nodes``."""
        return Context(nodes & self.inside, self.break_to, self.continue_to)

    def in_loop(
        self, nodes: set[LiftedBlock], break_to: LiftedBlock | None, continue_to: LiftedBlock | None
    ) -> Context:
        """Return the context for a loop's body."""
        return Context(nodes & self.inside, break_to, continue_to)


class NoPlace(DecompilationError):
    """No statement of Python expresses a jump to ``targets``, from ``source`` if known.

    One may exist for another form of the graph: with a copy of a target, or a loop around the source.
    """

    def __init__(self, reason: str, targets: list[LiftedBlock], source: LiftedBlock | None = None) -> None:
        super().__init__(reason, stage="structure")
        self.targets = targets
        self.source = source


class SeveralEntries(DecompilationError):
    """Control also enters the body of ``region`` at ``target``, which is not its first block."""

    def __init__(self, region: Region, target: LiftedBlock) -> None:
        super().__init__("a try statement that is entered at several places", stage="structure")
        self.region = region
        self.target = target


def labelled_exit(source: LiftedBlock, target: LiftedBlock) -> NoPlace:
    """Return the error for a jump that leaves several statements at once."""
    reason = f"control goes from block {source.index} to block {target.index}, past the end of a statement around it"
    return NoPlace(reason, [target], source)


def always_matches(case: nodes.match_case) -> bool:
    """Whether the case is ``case _`` or ``case name``."""
    return case.guard is None and isinstance(case.pattern, nodes.MatchAs) and case.pattern.pattern is None


def ends(body: list[nodes.Statement]) -> bool:
    """Whether control certainly never falls off the end of ``body``, judging by jumps, conditions and cases."""
    return _never_falls_off(body, _cases)


def leaves(body: list[nodes.Statement]) -> bool:
    """Whether control certainly never falls off the end of ``body``, judging by jumps, conditions and handlers."""
    return _never_falls_off(body, _handlers)


def _cases(statement: nodes.Statement) -> list[list[nodes.Statement]]:
    if not isinstance(statement, nodes.Match) or not always_matches(statement.cases[-1]):
        return []
    return [case.body for case in statement.cases]


def _handlers(statement: nodes.Statement) -> list[list[nodes.Statement]]:
    if not isinstance(statement, TRIES):
        return []
    return [statement.orelse or statement.body, *(one.body for one in statement.handlers)]


def _never_falls_off(
    body: list[nodes.Statement], parts: Callable[[nodes.Statement], list[list[nodes.Statement]]]
) -> bool:
    """``parts``: the bodies of a last statement, one of which is left last; none for other statements."""
    todo = [body]
    while todo:
        last = todo.pop()[-1]
        if last.__class__ in _JUMPS:
            continue
        if not last.holds_bodies:
            return False
        inner = [last.body, last.orelse] if isinstance(last, nodes.If) and last.orelse else parts(last)
        if inner:
            todo += reversed(inner)  # the shallowest first: most chains of `elif` fall off their first body
        elif not isinstance(last, nodes.While) or last.test != nodes.Constant(True) or has_break(last.body):
            return False
    return True


def has_break(body: list[nodes.Statement]) -> bool:
    """Whether a ``break`` in ``body`` ends the loop around it."""
    todo = [body]
    while todo:
        for statement in todo.pop():
            if statement.__class__ is nodes.Break:
                return True
            if not statement.holds_bodies:
                continue
            if isinstance(statement, LOOPS):
                todo.append(statement.orelse)
            else:
                todo += nodes.statement_bodies(statement)
    return False


def fails_an_assertion(body: list[nodes.Statement]) -> bool:
    """Whether the ``if`` may be an assert statement, whose keyword is longer."""
    error = body[0].exc if body and type(body[0]) is nodes.Raise else None
    return error is not None and isinstance(error.func if error.__class__ is nodes.Call else error, AssertionClass)
