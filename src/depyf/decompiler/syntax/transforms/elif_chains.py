"""`else: if a: return x` with one more statement after it -> `elif a: return x`, `else:` that statement."""

from __future__ import annotations

from .. import nodes as n
from ..node import Statement
from ..traverse import bodies

_ENDS = (n.Return, n.Raise, n.Break, n.Continue)


def chain_elifs(body: list[Statement], kind: str) -> None:
    """A branch that ends needs no `else` after it, but in a chain the `else` shows what belongs together.

    Where columns are known it is an `else` already if it was one.
    """
    for inner in reversed(list(bodies(body))):
        for statement in inner:
            if isinstance(statement, n.If) and len(statement.orelse) == 2:
                first, second = statement.orelse
                if first.column is not None:
                    continue
                if isinstance(first, n.If) and not first.orelse and first.body and isinstance(first.body[-1], _ENDS):
                    first.orelse = [second]
                    statement.orelse = [first]
