"""Tail positions of a body, from which control falls off its end, and redundant statements there."""

from __future__ import annotations

from typing import Callable, Iterator

from .. import nodes as n

_WITHS = (n.With, n.AsyncWith)
_TRIES = (n.Try, n.TryStar)
_LOOPS = (n.For, n.AsyncFor, n.While)

# Transforms stop at these: nested definitions are code objects of their own.
DEFINITIONS = (n.FunctionDef, n.AsyncFunctionDef, n.ClassDef)


def written_out(body: list[n.Statement], is_redundant: Callable[[n.Statement], bool]) -> set[int]:
    """The ids of redundant statements that have their own line: they are in the source.

    What the compiler adds has the line of a statement before it. The difference shows in the instructions:
    the compiler copies what it has added to each predecessor, but not what is in the source.
    """
    found: set[int] = set()
    latest: int | None = None
    for statement in n.statements_in_order(body, DEFINITIONS):
        line = statement.line
        if line is None or (statement.__class__ is n.Expr and isinstance(statement.value, n.Constant)):
            continue  # docstrings have no instructions
        if latest is None or line > latest:
            if latest is not None and is_redundant(statement):
                found.add(id(statement))
            latest = line
    return found


def drop_at_tail(
    body: list[n.Statement],
    is_redundant: Callable[[n.Statement], bool],
    *,
    always: bool,
    through_finally: bool = False,
) -> None:
    """Remove redundant last statements, also those in branches of the last statement.

    A branch that would be empty keeps the statement, which says more than `pass`; with `always` it becomes `pass`. The
    body itself always becomes `pass`. A statement with comments is kept unless it must go. `through_finally`: also at
    the ends of try statements with a finally clause.
    """
    work = [body]
    while work:
        tail = work.pop()
        while len(tail) > 1 and _is_dropped(tail[-1], is_redundant, always):
            tail.pop()
        if not tail:
            continue
        last = tail[-1]
        if _is_dropped(last, is_redundant, always):
            if always or tail is body:
                tail[:] = [n.Pass(line=last.line)]
            continue
        if isinstance(last, (n.If, *_LOOPS)) and last.orelse:
            if len(last.orelse) == 1 and _is_dropped(last.orelse[0], is_redundant, always):
                last.orelse.clear()
        work.extend(_arms(last, through_finally))


def tails(body: list[n.Statement]) -> Iterator[list[n.Statement]]:
    """``body`` and the lists of statements in it that end where it ends."""
    work = [body]
    while work:
        tail = work.pop()
        if tail:
            yield tail
            work.extend(_arms(tail[-1], through_finally=False))


def _is_dropped(statement: n.Statement, is_redundant: Callable[[n.Statement], bool], always: bool) -> bool:
    return is_redundant(statement) and (always or not statement.comments)


def _arms(statement: n.Statement, through_finally: bool) -> Iterator[list[n.Statement]]:
    """The bodies that end where the statement ends.

    None of a try statement with finally, unless `through_finally`: leaving its body by a jump runs another copy of the
    finally clause than falling off its end, and a return in the clause itself swallows exceptions.
    """
    if not statement.holds_bodies:
        return
    if isinstance(statement, n.If):
        yield statement.body
        yield statement.orelse
    elif isinstance(statement, _LOOPS):
        yield statement.orelse
    elif isinstance(statement, _WITHS):
        yield statement.body
    elif isinstance(statement, n.Match):
        for case in statement.cases:
            yield case.body
    elif isinstance(statement, _TRIES) and (through_finally or not statement.finalbody):
        for handler in statement.handlers:
            yield handler.body
        yield statement.orelse or statement.body
