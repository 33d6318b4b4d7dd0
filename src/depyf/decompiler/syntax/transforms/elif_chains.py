"""`else: if a: return x` with more statements after it -> `elif a: return x`, `else:` those statements."""

from __future__ import annotations

from .. import nodes as n
from ..node import Statement
from ..traverse import bodies
from .tail_positions import DEFINITIONS

_ENDS = (n.Return, n.Raise, n.Break, n.Continue)


def chain_elifs(body: list[Statement], kind: str) -> None:
    """Nest the rest after a branch that leaves in `else` if that makes a chain: it shows what belongs together.

    Where columns are known the tree already has each `else` of the source, unless there is no line for the keyword:
    then it is `elif`.
    """
    chained = [one for inner in bodies(body) for one in inner if one.__class__ is n.If and one.orelse[1:]]
    for one in chained:
        _chain_without_room(one)
    for inner in reversed(bodies(body) if chained else []):
        for statement in inner:
            if statement.__class__ is n.If and len(statement.orelse) == 2:
                first, second = statement.orelse
                if first.column is not None:
                    continue
                if isinstance(first, n.If) and not first.orelse and _ends(first):
                    first.orelse = [second]
                    statement.orelse = [first]


def _chain_without_room(statement: n.If) -> None:
    """Use `elif` where the second branch begins on the line after the first one: there is no line for `else`."""
    while len(statement.orelse) > 1:
        first, second = statement.orelse[:2]
        if not isinstance(first, n.If) or first.orelse or not _ends(first):
            return
        has_room = _is_below(statement.body, first, 1)
        if has_room or not (_is_below(first.body, second, 1) or isinstance(second, n.If)):
            return
        first.orelse = statement.orelse[1:]
        statement.orelse = [first]
        statement = first


def _is_below(body: list[Statement], following: Statement, between: int) -> bool:
    """Whether there are at least ``between`` lines between, or that is unknown."""
    lines = [one.line for one in n.statements_in_order(body, DEFINITIONS) if one.line is not None]
    return not lines or following.line is None or following.line > max(lines) + between


def _ends(statement: n.If) -> bool:
    return bool(statement.body) and isinstance(statement.body[-1], _ENDS)
