"""Choices: which statements may as well be spelled otherwise, because no evidence decided how they are.

The columns of a statement, of what is in it and of what follows it decide where its clauses end. Only where one of them
is unknown, or contradicts the tree, has the structurer chosen; and only those choices are the search's to flip. Columns
never show whether there is an arm of only a `pass`: that stays open.
"""

from __future__ import annotations

from typing import Iterable, NamedTuple, Sequence

from ..bytecode import RawCode
from ..bytecode.kinds import kind_of
from ..syntax import nodes
from .changes import FormChange, changes

_COMPOUND = (nodes.If, nodes.Try, nodes.TryStar, nodes.For, nodes.AsyncFor, nodes.While)
_OF_PASS = frozenset({"if:pass-negated", "if:else-pass", "if:pass-else"})
"""Kinds of changes that write an arm which leaves no instruction, so no column either."""


class FormChoice(NamedTuple):
    """The statement on ``line`` may as well be written in other forms: ``kinds`` names the changes to them."""

    line: int | None
    kinds: tuple[str, ...]


def choices(body: list[nodes.Statement], raw: RawCode) -> list[FormChoice]:
    """Return the choices that were made in the finished ``body`` of ``raw``, in the order of its statements."""
    if not body or kind_of(raw) not in ("function", "class", "module"):
        return []
    found: dict[int, tuple[int | None, list[str]]] = {}
    for change in left_open(changes(body, kind_of(raw))):
        if change.of is not None:
            found.setdefault(id(change.of), (change.line, []))[1].append(change.kind)
    return [FormChoice(line, tuple(dict.fromkeys(kinds))) for line, kinds in found.values()]


def left_open(proposed: Iterable[FormChange]) -> list[FormChange]:
    """Return those of the ``proposed`` changes that contradict no evidence."""
    decided: dict[int, bool] = {}
    found = []
    for change in proposed:
        if change.of is not None and change.kind not in _OF_PASS:
            key = id(change.of)
            if key not in decided:
                decided[key] = is_decided(change.of, change.before)
            if decided[key]:
                continue
        found.append(change)
    return found


def is_decided(statement: nodes.Statement, suite: Sequence[nodes.Statement]) -> bool:
    """Whether columns say where the clauses of a ``statement`` of ``suite`` end.

    All of its parts are deeper than it, and the next statement, if there is one, is in its own column.
    """
    column = statement.column
    if column is None or not isinstance(statement, _COMPOUND):
        return False
    for part in filter(None, nodes.statement_bodies(statement)):
        if all(one == nodes.Pass() and one.column is None for one in part):
            continue
        if any(one.column is None or one.column <= column for one in part):
            is_elif = isinstance(statement, nodes.If) and part is statement.orelse and len(part) == 1
            if not (is_elif and isinstance(part[0], nodes.If) and part[0].column is not None):
                return False
    place = next((at for at, one in enumerate(suite) if one is statement), len(suite))
    return all(one.column == column for one in suite[place + 1 : place + 2])
