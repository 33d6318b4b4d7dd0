"""``else`` clauses that only lines reveal, where there are no columns (up to CPython 3.10).

Behind ``if a: return b``, a last ``return`` or ``raise`` with one empty row before it is an ``else`` clause: counted in
the library of CPython 3.10, 696 of 797 are. Other tests right above such an ``if`` are then its ``elif`` clauses.
"""

from __future__ import annotations

from typing import Sequence

from ...bytecode import Instruction
from ...lift.values import case_of
from ...syntax import nodes
from ...syntax.transforms.redundant_return import returns_none
from ..context import fails_an_assertion, leaves


def write_else_lines(body: list[nodes.Statement], instructions: Sequence[Instruction]) -> bool:
    """Move last statements into ``else`` clauses according to their lines; return whether any moved."""
    for one in instructions:
        if one.position is not None and one.position[2] is not None:
            return False
    lines = {one.line for one in instructions}
    changed = False
    for suite in nodes.bodies(body):
        if len(suite) > 1 and _is_clause(suite[-1], suite[-2], lines):
            _move(suite)
            while len(suite) > 1 and _leaves_at(suite[-2]) is not None and _leaves_at(suite[-2]) == _above(suite[-1]):
                _move(suite)
            changed = True
    return changed


def _move(suite: list[nodes.Statement]) -> None:
    """Make the last statement the ``else`` clause of the one before."""
    last = suite.pop()
    assert isinstance(suite[-1], nodes.If)
    suite[-1].orelse = [last]


def _is_clause(statement: nodes.Statement, before: nodes.Statement, lines: set[int | None]) -> bool:
    if not isinstance(statement, (nodes.Return, nodes.Raise)) or statement.line is None:
        return False
    if returns_none(statement):
        return False  # it may be the implicit one
    return _leaves_at(before) == statement.line - 2 and statement.line - 1 not in lines


def _leaves_at(statement: nodes.Statement) -> int | None:
    """Return the line of the last statement of an ``if`` without ``else`` whose body leaves; None for others."""
    if not isinstance(statement, nodes.If) or statement.orelse or case_of(statement.test) is not None:
        return None
    if fails_an_assertion(statement.body) or not leaves(statement.body):
        return None
    return statement.body[-1].line


def _above(statement: nodes.Statement) -> int | None:
    return statement.line - 1 if statement.line is not None else None
