"""`return None` where control falls off the end anyway.

Before: every path of a code object ends in a return, because the compiler adds the last one. After: no `return` or
`return None` is left where no statement follows, except for those in the source, as shown by their lines or width; a
module or a class, where returns are not allowed, has none at its end. One as wide as `pass` becomes `pass`.
"""

from __future__ import annotations

from .. import nodes as n
from .tail_positions import DEFINITIONS, drop_at_tail, tails, written_out


def drop_redundant_return(body: list[n.Statement], kind: str) -> None:
    """Drop the returns of None at the ends of a body."""
    if kind != "function":
        if body and returns_none(body[-1]) and body[-1].written in _IDLE:
            body[-1] = _idle(body[-1])
        drop_at_tail(body, returns_none, always=True, through_finally=True)
        return
    kept = written_out(body, returns_none)
    last_pass = _pass_at_end(body[-2]) if len(body) > 1 and id(body[-1]) in kept else None
    if last_pass is not None and body[-1].column is None:
        last_pass.line = body.pop().line  # it compiles to nothing, and what follows has its line
    drop_at_tail(
        body,
        lambda one: returns_none(one) and one.written is None and id(one) not in kept,
        always=False,
    )
    for tail in tails(body):
        last = tail[-1]
        if returns_none(last) and last.written in _IDLE:
            tail[-1] = _idle(last)


def _pass_at_end(statement: n.Statement) -> n.Pass | None:
    """The `pass` of unknown line with which the text of a compound statement ends."""
    while statement.holds_bodies and not isinstance(statement, DEFINITIONS):
        *_, part = filter(None, n.statement_bodies(statement))
        statement = part[-1]
    return statement if isinstance(statement, n.Pass) and statement.line is None else None


def _idle(last: n.Statement) -> n.Statement:
    """The source form of an implicit return."""
    made = n.Pass(line=last.line) if last.written == "pass" else n.Expr(n.Constant(...), line=last.line)
    made.written = last.written
    return made


_IDLE = ("pass", "...")


def returns_none(statement: n.Statement) -> bool:
    """Whether a statement is `return` or `return None`."""
    if statement.__class__ is not n.Return:
        return False
    value = statement.value
    return value is None or (isinstance(value, n.Constant) and value.value is None)
