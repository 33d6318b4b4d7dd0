"""Where a statement never runs, and leaves no instructions: behind one that leaves, below a test that is never true."""

from __future__ import annotations

from typing import Iterator

from .. import nodes as n
from .tail_positions import DEFINITIONS

_JUMPS = (n.Return, n.Raise, n.Break, n.Continue)
_LOOPS = (n.While, n.For, n.AsyncFor)
_NEVER = (n.Constant(False), n.Constant(0), n.UnaryOp("not", n.Name("__debug__")))


def unreached_places(
    body: list[n.Statement], *, has_else: bool = False
) -> Iterator[tuple[list[n.Statement], int | None]]:
    """Yield such places in the order of the text: a suite to replace, with None, or a suite and an index in it.

    ``has_else``: also the missing ``else`` of a try statement whose body leaves, which older compilers do not drop.
    """
    for number, statement in enumerate(body, 1):
        never = statement.body if isinstance(statement, (n.If, n.While)) and statement.test in _NEVER else None
        if never is not None:
            yield never, None if all(isinstance(one, n.Pass) for one in never) else 0
        if has_else and isinstance(statement, (n.Try, n.TryStar)) and statement.handlers and not statement.orelse:
            if _leaves(statement.body[-1]):
                yield statement.orelse, None
        if statement.holds_bodies and not isinstance(statement, DEFINITIONS):
            for inner in n.statement_bodies(statement):
                yield from unreached_places(inner, has_else=has_else)
                if inner is never and not isinstance(inner[-1], (n.Pass, *_JUMPS)):
                    yield never, len(never)
        if _leaves(statement):
            yield body, number


def _leaves(statement: n.Statement) -> bool:
    """Whether no statement behind this one runs."""
    if isinstance(statement, n.While) and isinstance(statement.test, n.Constant) and statement.test.value:
        inner = n.statements_in_order(statement.body, (*DEFINITIONS, *_LOOPS))
        ends = [one for loop in n.statements_in_order(statement.body, DEFINITIONS) if isinstance(loop, _LOOPS)
                for one in n.statements_in_order(loop.orelse, (*DEFINITIONS, *_LOOPS))]  # fmt: skip
        return not any(isinstance(one, n.Break) for one in (*inner, *ends))
    return isinstance(statement, _JUMPS)
