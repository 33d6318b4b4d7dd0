"""Alternative forms of the same statements, one small change each. Which form the author wrote shows in how the
compiler lays out the code, not in what the code does.

No change has to be right: the caller compiles the text and compares. So a change may be proposed from the form of a
statement alone, whatever surrounds it.
"""

from __future__ import annotations

import copy
from typing import Any, Collection, Iterator, List, NamedTuple, Optional, Sequence, Tuple, TypeVar

from ..lift.folding.negation import negate
from ..syntax import nodes
from ..syntax.transforms.tail_positions import DEFINITIONS

LOOPS = (nodes.For, nodes.AsyncFor, nodes.While)
TRIES = (nodes.Try, nodes.TryStar)
_JUMPS = (nodes.Return, nodes.Raise, nodes.Break, nodes.Continue)
_TRUE = nodes.Constant(True)

_Body = List[nodes.Statement]
_Form = Tuple[str, _Body]
"""A kind of change, and the statements that it makes."""
_Jump = Optional[nodes.Statement]
"""The jump equivalent to falling off the end of a body, or None."""
_Node = TypeVar("_Node", bound=nodes.Node)


class FormChange(NamedTuple):
    """Replaces the statements of ``body``, a list of the tree: ``before`` becomes ``after``. It begins on ``line``.

    ``kind`` is one of `KINDS`; ``of`` is the statement that it spells otherwise, if it is about one.
    """

    body: list[nodes.Statement]
    before: list[nodes.Statement]
    after: list[nodes.Statement]
    kind: str
    line: int | None = None
    of: nodes.Statement | None = None

    def make(self) -> None:
        self.body[:] = self.after

    def undo(self) -> None:
        self.body[:] = self.before


class _Suite(NamedTuple):
    """A list of statements, with the jumps equivalent to falling off its end and to a ``break`` in it."""

    body: list[nodes.Statement]
    falls: _Jump
    breaks: _Jump


def changes(
    body: _Body,
    kind: str,
    abandoned: Sequence[nodes.Expression] = (),
    clause_end: int | None = None,
    kinds: Collection[str] | None = None,
) -> Iterator[FormChange]:
    """Yield every single change in the ``body`` of a code object of this kind; the tree itself is not modified.

    ``abandoned`` are the values of ``return`` statements that a ``finally`` body overrides; ``clause_end`` is the line
    of what may follow a clause. ``kinds``: only changes of these kinds of a statement.
    """
    suites = list(_suites(body, nodes.Return(None) if kind == "function" else None))
    abandons = any(_abandons(statement) for suite in suites for statement in suite.body)
    for suite in suites:
        for index, name, after in _rewritten(suite, clause_end):
            if kinds is not None and name not in kinds:
                continue
            of = suite.body[index]
            after = suite.body[:index] + after or [nodes.Pass()]
            yield FormChange(suite.body, suite.body[:], after, name, of.line, of)
        last = suite.body[-1]
        values = list(abandoned) if isinstance(last, (nodes.Return, nodes.Pass)) else []
        if abandons and isinstance(last, nodes.Expr):
            values.append(last.value)
        for value in values:
            after = [*suite.body[:-1], nodes.Return(value)]
            yield FormChange(suite.body, suite.body[:], after, "finally:abandoned-return")


def _abandons(statement: nodes.Statement) -> bool:
    """Whether ``statement`` has a ``finally`` body that overrides a ``return``: it ends with a jump."""
    return isinstance(statement, TRIES) and bool(statement.finalbody) and _leaves(statement.finalbody)


def _suites(body: _Body, falls: _Jump) -> Iterator[_Suite]:
    """Yield ``body`` and every list of statements in it, outer ones first."""
    found = [_Suite(body, falls, None)]
    for suite in found:  # grows along
        yield suite
        for index, statement in enumerate(suite.body):
            if isinstance(statement, DEFINITIONS) or not statement.holds_bodies:
                continue
            following = suite.body[index + 1] if index + 1 < len(suite.body) else suite.falls
            after = following if isinstance(following, _JUMPS) else None
            for inner in filter(None, nodes.statement_bodies(statement)):
                if isinstance(statement, LOOPS) and inner is statement.body:
                    found.append(_Suite(inner, nodes.Continue(), after))
                elif isinstance(statement, TRIES) and inner is statement.body and statement.orelse:
                    first = statement.orelse[0]
                    found.append(_Suite(inner, first if isinstance(first, _JUMPS) else None, suite.breaks))
                else:
                    found.append(_Suite(inner, after, suite.breaks))


def _rewritten(suite: _Suite, clause_end: int | None) -> Iterator[tuple[int, str, _Body]]:
    """Yield where the suite changes, the kind of change, and what its statements from there on become."""
    body, falls, breaks = suite
    last = body[-1]
    if breaks is not None and last == breaks:
        yield len(body) - 1, "end:as-break", [nodes.Break()]
    elif breaks is not None and isinstance(last, nodes.Break):
        yield len(body) - 1, "end:break-as-its-target", [breaks]
    if falls is not None:
        if _same_jump(last, falls):
            yield len(body) - 1, "end:jump-dropped", []
        elif not isinstance(last, _JUMPS):
            yield len(body) - 1, "end:jump-added", _jumping(body[-1:], falls)
    for index, statement in enumerate(body):
        rest = body[index + 1 :]
        ends = [at for at, one in enumerate(rest) if at and clause_end is not None and one.line == clause_end]
        for kind, after in _instead(statement, rest, falls, [*ends[:1], len(rest)] if rest else []):
            yield index, kind, after


def _instead(statement: nodes.Statement, rest: _Body, falls: _Jump, ends: list[int]) -> Iterator[_Form]:
    """Yield replacements of ``statement`` and the ``rest`` of the list after it, of which a clause may have the first
    statements up to one of ``ends``.
    """
    if isinstance(statement, nodes.If):
        yield from _instead_of_if(statement, rest, falls, ends)
        yield from _instead_of_test(statement, rest)
    elif isinstance(statement, TRIES) and statement.handlers:
        yield from _instead_of_try(statement, rest, falls, ends)
    elif isinstance(statement, LOOPS) and rest and not statement.orelse:
        yield "loop:rest-into-else", [_with(statement, orelse=rest)]
        if _leaves(rest[:1]):
            is_endless = isinstance(statement, nodes.While) and statement.test == _TRUE
            loop = _with(statement, body=_without_breaks(statement.body, rest[0]))
            yield "loop:breaks-as-jump", [loop, *rest[is_endless:]]
    elif isinstance(statement, nodes.Return) and isinstance(statement.value, nodes.IfExp):
        value = statement.value
        leave = nodes.If(value.test, [nodes.Return(value.body)])
        yield "return:conditional-as-if", [leave, nodes.Return(value.orelse)]


def _instead_of_if(statement: nodes.If, rest: _Body, falls: _Jump, ends: list[int]) -> Iterator[_Form]:
    body, orelse, opposite = statement.body, statement.orelse, negate(statement.test)
    leaves = _leaves(body)
    if orelse:
        if leaves:
            yield "if:else-below", [_with(statement, orelse=[]), *orelse, *rest]
        elif falls is not None and not rest:
            yield "if:else-below-jump", [_with(statement, body=_ended(body, falls), orelse=[]), *orelse]
        if falls is not None and not rest:
            below = _with(statement, test=opposite, body=_ended(orelse, falls), orelse=[])
            yield "if:negated-body-below-jump", [below, *body]
        yield "if:negated", [_with(statement, test=opposite, body=orelse, orelse=body), *rest]
        return
    if leaves:
        if rest:
            yield from _with_elif(statement, rest)
        for end in ends:
            yield "if:rest-into-else", [_with(statement, orelse=rest[:end]), *rest[end:]]
        falls_too = isinstance(body[-1], nodes.Continue) or falls is not None and _same_jump(body[-1], falls)
        if rest and falls_too:
            yield "if:rest-into-else-without-jump", [_with(statement, body=_without_jump(body), orelse=rest)]
        if rest and _failed(rest[0]):
            yield "if:as-assert", [nodes.Assert(statement.test, _failed(rest[0])[0])]
    else:
        yield "if:else-pass", [_with(statement, orelse=[nodes.Pass()]), *rest]
    if falls is not None and not rest and not isinstance(body[0], _JUMPS):
        yield "if:guard-before-body", [nodes.If(opposite, [falls]), *body]
    if body == [nodes.Pass()]:
        yield "if:pass-negated", [_with(statement, test=opposite), *rest]
    yield "if:pass-else", [_with(statement, test=opposite, body=[nodes.Pass()], orelse=body), *rest]


def _with_elif(statement: nodes.If, rest: _Body) -> Iterator[_Form]:
    """Yield what makes each ``if`` right below one that leaves an ``elif``, and what follows the ``else``."""
    chain = [statement]
    for one in rest[:-1]:
        last = last_line(chain[-1].body)
        is_next = one.line in (None, last + 1) if last is not None else True
        if not isinstance(one, nodes.If) or one.orelse or not _leaves(one.body) or not is_next:
            break
        chain.append(one)
    below = rest[len(chain) - 1 :]
    for one in reversed(chain):
        below = [_with(one, orelse=below)]
    if len(chain) > 1:
        yield "if:rest-into-else", below


def _instead_of_test(statement: nodes.If, rest: _Body) -> Iterator[_Form]:
    """Split an ``if`` with two conditions into nested ones."""
    test, body, orelse = statement.test, statement.body, statement.orelse
    if isinstance(test, nodes.IfExp):
        arms = [nodes.If(value, body, orelse) for value in (test.body, test.orelse)]
        yield "test:conditional-as-ifs", [_with(statement, test=test.test, body=[arms[0]], orelse=[arms[1]]), *rest]
    if isinstance(test, nodes.BoolOp):
        first, others = test.values[0], test.values[1:]
        second = nodes.If(others[0] if len(others) == 1 else nodes.BoolOp(test.op, others), body, orelse)
        if test.op == "and":
            yield "test:and-as-ifs", [_with(statement, test=first, body=[second]), *rest]
        else:
            yield "test:or-as-elif", [_with(statement, test=first, orelse=[second]), *rest]


def _instead_of_try(
    statement: nodes.Try | nodes.TryStar, rest: _Body, falls: _Jump, ends: list[int]
) -> Iterator[_Form]:
    body, handlers, orelse = statement.body, statement.handlers, statement.orelse
    if statement.finalbody and isinstance(body[-1], _JUMPS) and len(body) > 1:
        yield "try:jump-below-finally", [_with(statement, body=body[:-1]), body[-1], *rest]
    if orelse:
        if falls is not None and not rest:
            leaving = [_with(one, body=_ended(one.body, falls)) for one in handlers]
            yield "try:else-below-jumps", [_with(statement, handlers=leaving, orelse=[]), *orelse]
        yield "try:else-below", [_with(statement, orelse=[]), *orelse, *rest]
        return
    for end in ends:
        yield "try:rest-into-else", [_with(statement, orelse=rest[:end]), *rest[end:]]
    fallen = [_with(one, body=_without_jump(one.body, nodes.Continue)) for one in handlers]
    if fallen != handlers:
        yield "try:rest-into-else-without-jumps", [_with(statement, handlers=fallen, orelse=rest)]
    if len(body) > 1:
        yield "try:last-into-else", [_with(statement, body=body[:-1], orelse=body[-1:]), *rest]
        if isinstance(body[-1], (nodes.Break, nodes.Continue)) and not rest:
            fallen = [_with(one, body=_without_jump(one.body, type(body[-1]))) for one in handlers]
            yield "try:jump-below", [_with(statement, body=body[:-1], handlers=fallen), body[-1]]
    if len(handlers) == 1 and handlers[0].type is None and handlers[0].body == [nodes.Pass()] and rest:
        if not statement.finalbody and isinstance(rest[0], _JUMPS):  # a jump out of a `finally` body swallows
            yield "try:except-pass-as-finally", [_with(statement, handlers=[], finalbody=rest[:1]), *rest[1:]]


def _with(node: _Node, **fields: Any) -> _Node:
    """Return a copy of ``node`` with other ``fields``."""
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _jumping(body: _Body, jump: nodes.Statement) -> _Body:
    """Return ``body`` with ``jump`` at its end."""
    return [*(body[:-1] if isinstance(body[-1], nodes.Pass) else body), jump]


def _without_jump(body: _Body, jump: Any = _JUMPS) -> _Body:
    """Return ``body`` without the ``jump`` at its end."""
    return (body[:-1] or [nodes.Pass()]) if isinstance(body[-1], jump) else body


def _ended(body: _Body, jump: nodes.Statement) -> _Body:
    """Return ``body`` with ``jump`` wherever control falls off its end."""
    last = body[-1]
    if _leaves(body):
        return body
    if isinstance(last, nodes.If) and (last.orelse or _leaves(last.body)):
        orelse = _ended(last.orelse, jump) if last.orelse else [jump]
        return [*body[:-1], _with(last, body=_ended(last.body, jump), orelse=orelse)]
    return _jumping(body, jump)


def _without_breaks(body: _Body, jump: nodes.Statement) -> _Body:
    """Return the ``body`` of a loop with every ``break`` replaced by ``jump``."""
    found: _Body = []
    for statement in body:
        if isinstance(statement, nodes.Break):
            statement = jump
        elif statement.holds_bodies and not isinstance(statement, (*DEFINITIONS, *LOOPS)):
            statement = copy.copy(statement)
            for field in statement.holds_bodies:
                parts = getattr(statement, field)
                if any(not isinstance(part, nodes.Statement) for part in parts):  # handlers or cases
                    parts = [_with(part, body=_without_breaks(part.body, jump)) for part in parts]
                else:
                    parts = _without_breaks(parts, jump)
                setattr(statement, field, parts)
        found.append(statement)
    return found


def _failed(statement: nodes.Statement) -> list[nodes.Expression | None]:
    """Return a list with the message, or None, of the assertion that always fails in ``statement``; empty if it is not
    one.
    """
    if isinstance(statement, nodes.Assert) and statement.test == nodes.Constant(False):
        return [statement.msg]
    error = statement.exc if isinstance(statement, nodes.Raise) and statement.cause is None else None
    if isinstance(error, nodes.Call) and len(error.args) == 1 and not error.keywords:
        return [error.args[0]] if error.func == nodes.Name("AssertionError") else []
    return [None] if error == nodes.Name("AssertionError") else []


def _leaves(body: _Body) -> bool:
    """Whether control never falls off the end of ``body``, as far as jumps and conditions tell."""
    last = body[-1] if body else None
    while isinstance(last, (nodes.With, nodes.AsyncWith)):
        last = last.body[-1]
    if isinstance(last, nodes.If):
        return bool(last.orelse) and _leaves(last.body) and _leaves(last.orelse)
    if isinstance(last, TRIES):
        return _leaves(last.orelse or last.body) and all(_leaves(handler.body) for handler in last.handlers)
    return isinstance(last, _JUMPS) or last is not None and bool(_failed(last))


def last_line(body: _Body) -> int | None:
    """Return the last line on which a statement of ``body`` begins."""
    return max((s.line for s in nodes.statements_in_order(body, DEFINITIONS) if s.line is not None), default=None)


def _same_jump(left: nodes.Statement, right: nodes.Statement) -> bool:
    return left == right or _returns_none(left) and _returns_none(right)


def _returns_none(statement: nodes.Statement) -> bool:
    return isinstance(statement, nodes.Return) and statement.value in (None, nodes.Constant(None))
