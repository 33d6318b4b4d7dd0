"""Alternative forms of the same statements, one small change each. Which form the author wrote shows in how the
compiler lays out the code, not in what the code does.

No change has to be right: the caller compiles the text and compares. So a change may be proposed from the form of a
statement alone, whatever surrounds it.
"""

from __future__ import annotations

import copy
from typing import Iterator, List, NamedTuple, Optional, Protocol, Sequence, Tuple

from ..lift.folding.negation import negate
from ..syntax import nodes
from ..syntax.transforms.tail_positions import DEFINITIONS

_LOOPS = (nodes.For, nodes.AsyncFor, nodes.While)
_TRIES = (nodes.Try, nodes.TryStar)
_JUMPS = (nodes.Return, nodes.Raise, nodes.Break, nodes.Continue)
_TRUE = nodes.Constant(True)

_Form = Tuple[str, List[nodes.Statement]]
"""A kind of change, and the statements that it makes."""
Jump = Optional[nodes.Statement]
"""The jump equivalent to falling off the end of a body, or None."""


class TreeChange(Protocol):
    """A change of the tree that can be undone. ``kind`` is one of `KINDS`; it begins on ``line``."""

    @property
    def kind(self) -> str: ...

    @property
    def line(self) -> int | None: ...

    def make(self) -> None: ...

    def undo(self) -> None: ...


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
    falls: Jump
    breaks: Jump


def changes(body: list[nodes.Statement], kind: str, abandoned: Sequence[nodes.Expression] = ()) -> Iterator[FormChange]:
    """Yield every single change in the ``body`` of a code object of this kind; the tree itself is not modified.

    ``abandoned`` are the values of ``return`` statements that a ``finally`` body overrides.
    """
    suites = list(_suites(body, nodes.Return(None) if kind == "function" else None))
    abandons = any(_abandons(statement) for suite in suites for statement in suite.body)
    for suite in suites:
        for statement, name, after in _rewritten(suite):
            line = getattr(statement, "line", None)
            yield FormChange(suite.body, suite.body[:], after or [nodes.Pass()], name, line, statement)
        last = suite.body[-1]
        if isinstance(last, (nodes.Return, nodes.Pass)):
            for value in abandoned:
                after = [*suite.body[:-1], nodes.Return(value)]
                yield FormChange(suite.body, suite.body[:], after, "finally:abandoned-constant")
        elif abandons and isinstance(last, nodes.Expr):
            after = [*suite.body[:-1], nodes.Return(last.value)]
            yield FormChange(suite.body, suite.body[:], after, "finally:abandoned-value")


def _abandons(statement: nodes.Statement) -> bool:
    """Whether ``statement`` has a ``finally`` body that overrides a ``return``: it ends with a jump."""
    return isinstance(statement, _TRIES) and bool(statement.finalbody) and _leaves(statement.finalbody[-1])


def _suites(body: list[nodes.Statement], falls: Jump) -> Iterator[_Suite]:
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
                if isinstance(statement, _LOOPS) and inner is statement.body:
                    found.append(_Suite(inner, nodes.Continue(), after))
                elif isinstance(statement, _TRIES) and inner is statement.body and statement.orelse:
                    first = statement.orelse[0]
                    found.append(_Suite(inner, first if isinstance(first, _JUMPS) else None, suite.breaks))
                else:
                    found.append(_Suite(inner, after, suite.breaks))


def _rewritten(suite: _Suite) -> Iterator[tuple[nodes.Statement, str, list[nodes.Statement]]]:
    """Yield each replacement of the body, with the statement that it changes and the kind of change."""
    for kind, after in _with_other_end(suite):
        yield suite.body[-1], kind, after
    for index, statement in enumerate(suite.body):
        for kind, after in _instead(statement, suite.body[index + 1 :], suite.falls):
            yield statement, kind, suite.body[:index] + after


def _with_other_end(suite: _Suite) -> Iterator[_Form]:
    body, falls, breaks = suite
    last = body[-1]
    if falls is not None:
        if isinstance(last, nodes.Pass):
            yield "end:pass-as-jump", [*body[:-1], falls]
        elif _same_jump(last, falls):
            yield "end:jump-dropped", body[:-1]
        elif not isinstance(last, _JUMPS):
            yield "end:jump-added", [*body, falls]
    if isinstance(last, nodes.Break) and breaks is not None:
        yield "end:break-as-its-target", [*body[:-1], breaks]
    if breaks is not None and not isinstance(last, nodes.Break) and last == breaks:
        yield "end:as-break", [*body[:-1], nodes.Break()]


def _instead(statement: nodes.Statement, rest: list[nodes.Statement], falls: Jump) -> Iterator[_Form]:
    """Yield replacements of ``statement`` and the ``rest`` of the list after it."""
    if isinstance(statement, nodes.If):
        yield from _instead_of_if(statement, rest, falls)
    elif isinstance(statement, _TRIES):
        yield from _instead_of_try(statement, rest, falls)
    elif isinstance(statement, _LOOPS):
        yield from _instead_of_loop(statement, rest)
    elif isinstance(statement, nodes.Return) and isinstance(statement.value, nodes.IfExp):
        value = statement.value
        leave = nodes.If(value.test, [nodes.Return(value.body)])
        yield "return:conditional-as-if", [leave, nodes.Return(value.orelse)]
    elif isinstance(statement, nodes.Assign) and isinstance(statement.value, nodes.IfExp):
        value = statement.value
        arms = [[nodes.Assign(statement.targets, arm)] for arm in (value.body, value.orelse)]
        yield "assign:conditional-as-if", [nodes.If(value.test, *arms), *rest]  # type: ignore[arg-type]


def _instead_of_if(statement: nodes.If, rest: list[nodes.Statement], falls: Jump) -> Iterator[_Form]:
    if statement.orelse:
        yield from _instead_of_if_with_else(statement, rest, falls)
    else:
        yield from _instead_of_if_alone(statement, rest, falls)
    if rest and isinstance(rest[0], nodes.Return) and not isinstance(statement.body[-1], _JUMPS):
        copied = nodes.If(statement.test, [*statement.body, rest[0]], statement.orelse)
        yield "if:return-copied-into", [copied, *rest]
    yield from _instead_of_test(statement, rest)


def _instead_of_if_alone(statement: nodes.If, rest: list[nodes.Statement], falls: Jump) -> Iterator[_Form]:
    """Yield replacements of an ``if`` without ``else``."""
    test, body = statement.test, statement.body
    leaves = isinstance(body[-1], _JUMPS)
    if leaves and rest:
        yield from _instead_of_leaving_if(test, body, rest, falls)
    if falls is not None and not rest and not isinstance(body[0], _JUMPS):
        yield "if:guard-before-body", [nodes.If(negate(test), [falls]), *body]
    if body == [nodes.Pass()]:
        yield "if:pass-negated", [nodes.If(negate(test), body), *rest]
    if not leaves:
        yield "if:else-pass", [nodes.If(test, body, [nodes.Pass()]), *rest]
    yield "if:pass-else", [nodes.If(negate(test), [nodes.Pass()], body), *rest]


def _instead_of_leaving_if(
    test: nodes.Expression, body: list[nodes.Statement], rest: list[nodes.Statement], falls: Jump
) -> Iterator[_Form]:
    """Yield replacements of an ``if`` whose body ends with a jump: the rest may be its ``else`` clause."""
    yield "if:rest-into-else", [nodes.If(test, body, rest)]
    if len(body) > 1 and falls is not None and _same_jump(body[-1], falls):
        yield "if:rest-into-else-without-jump", [nodes.If(test, body[:-1], rest)]
    message = _failed(rest[0])
    if message:
        yield "if:as-assert", [nodes.Assert(test, message[0])]
    if len(body) == 1:
        yield "if:negated-around-rest", [nodes.If(negate(test), rest)]
        inner = [*rest, *([] if isinstance(rest[-1], _JUMPS) else body)]
        yield "if:negated-around-rest-jump-below", [nodes.If(negate(test), inner), *body]


def _instead_of_if_with_else(statement: nodes.If, rest: list[nodes.Statement], falls: Jump) -> Iterator[_Form]:
    test, body, orelse = statement.test, statement.body, statement.orelse
    if isinstance(body[-1], _JUMPS):
        yield "if:else-below", [nodes.If(test, body), *orelse, *rest]
    if isinstance(orelse[-1], _JUMPS):
        yield "if:negated-body-below", [nodes.If(negate(test), orelse), *body, *rest]
    if falls is not None and not rest:
        yield "if:else-below-jump", [nodes.If(test, _ended(body, falls)), *orelse]
        yield "if:negated-body-below-jump", [nodes.If(negate(test), _ended(orelse, falls)), *body]
    yield "if:negated", [nodes.If(negate(test), orelse, body), *rest]
    if body[-1] == orelse[-1]:
        yield "if:same-ends-below", [nodes.If(test, body[:-1] or [nodes.Pass()], orelse[:-1]), body[-1], *rest]


def _instead_of_test(statement: nodes.If, rest: list[nodes.Statement]) -> Iterator[_Form]:
    """Split an ``if`` with two conditions into nested ones."""
    test, body, orelse = statement.test, statement.body, statement.orelse
    if isinstance(test, nodes.IfExp):
        arms = [nodes.If(value, body, orelse) for value in (test.body, test.orelse)]
        yield "test:conditional-as-ifs", [nodes.If(test.test, [arms[0]], [arms[1]]), *rest]
    if isinstance(test, nodes.BoolOp):
        first, others = test.values[0], test.values[1:]
        second = others[0] if len(others) == 1 else nodes.BoolOp(test.op, others)
        if test.op == "and":
            yield "test:and-as-ifs", [nodes.If(first, [nodes.If(second, body, orelse)], orelse), *rest]
            front, back = test.values[:-1], test.values[-1]
            if len(front) > 1:
                inner = nodes.If(back, body, orelse)
                yield "test:last-and-as-if", [nodes.If(nodes.BoolOp("and", front), [inner], orelse), *rest]
        else:
            yield "test:or-as-elif", [nodes.If(first, body, [nodes.If(second, body, orelse)]), *rest]


def _instead_of_try(statement: nodes.Try | nodes.TryStar, rest: list[nodes.Statement], falls: Jump) -> Iterator[_Form]:
    make, body, handlers = type(statement), statement.body, statement.handlers
    orelse, final = statement.orelse, statement.finalbody
    if orelse and falls is not None and not rest:
        leaving = [nodes.ExceptHandler(one.type, one.name, _ended(one.body, falls)) for one in handlers]
        yield "try:else-below-jumps", [make(body, leaving, [], final), *orelse]
    if handlers and not orelse:
        yield from _instead_of_handlers(statement, rest)
    if handlers and final:
        yield "try:finally-around", [make([make(body, handlers, orelse)], [], [], final), *rest]
    if final and isinstance(body[-1], _JUMPS) and len(body) > 1:
        yield "try:jump-below-finally", [make(body[:-1], handlers, orelse, final), body[-1], *rest]


def _instead_of_handlers(statement: nodes.Try | nodes.TryStar, rest: list[nodes.Statement]) -> Iterator[_Form]:
    """Yield replacements of a try statement with handlers and no ``else``."""
    make, body, handlers, final = type(statement), statement.body, statement.handlers, statement.finalbody
    if rest:
        yield "try:rest-into-else", [make(body, handlers, rest, final)]
        yield "try:next-into-else", [make(body, handlers, rest[:1], final), *rest[1:]]
    if len(body) > 1:
        yield "try:last-into-else", [make(body[:-1], handlers, body[-1:], final), *rest]
    only = handlers[0] if len(handlers) == 1 and not final else None
    if only is not None and only.type is None and only.body == [nodes.Pass()] and rest:
        if isinstance(rest[0], _JUMPS):  # a jump out of a `finally` body swallows the exception
            yield "try:except-pass-as-finally", [make(body, [], [], rest[:1]), *rest[1:]]


def _instead_of_loop(
    statement: nodes.For | nodes.AsyncFor | nodes.While, rest: list[nodes.Statement]
) -> Iterator[_Form]:
    body, orelse = statement.body, statement.orelse
    if rest and not orelse:
        yield "loop:rest-into-else", [_loop(statement, body, rest)]
        if _leaves(rest[0]):
            after = rest[1:] if isinstance(statement, nodes.While) and statement.test == _TRUE else rest
            yield "loop:breaks-as-jump", [_loop(statement, _without_breaks(body, rest[0]), orelse), *after]
    first = body[0]
    if isinstance(statement, nodes.While) and statement.test == _TRUE:
        if isinstance(first, nodes.If) and first.body == [nodes.Break()] and not first.orelse:
            loop = nodes.While(negate(first.test), body[1:] or [nodes.Pass()], orelse)
            yield "loop:if-break-as-test", [loop, *rest]


def _ended(body: list[nodes.Statement], jump: nodes.Statement) -> list[nodes.Statement]:
    """Return ``body`` with ``jump`` wherever control falls off its end."""
    last = body[-1]
    if _leaves(last):
        return body
    if isinstance(last, nodes.If) and (last.orelse or _leaves(last.body[-1])):
        orelse = _ended(last.orelse, jump) if last.orelse else [jump]
        return [*body[:-1], nodes.If(last.test, _ended(last.body, jump), orelse)]
    return [*(body[:-1] if isinstance(last, nodes.Pass) else body), jump]


def _without_breaks(body: list[nodes.Statement], jump: nodes.Statement) -> list[nodes.Statement]:
    """Return the ``body`` of a loop with every ``break`` replaced by ``jump``."""
    found: list[nodes.Statement] = []
    for statement in body:
        if isinstance(statement, nodes.Break):
            statement = jump
        elif statement.holds_bodies and not isinstance(statement, (*DEFINITIONS, *_LOOPS)):
            statement = copy.copy(statement)
            for field in statement.holds_bodies:
                parts = []
                for part in getattr(statement, field):
                    if not isinstance(part, nodes.Statement):  # a handler or a case
                        part = copy.copy(part)
                        part.body = _without_breaks(part.body, jump)
                    parts.append(part)
                kept = all(isinstance(part, nodes.Statement) for part in parts)
                setattr(statement, field, _without_breaks(parts, jump) if kept else parts)
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


def _leaves(statement: nodes.Statement) -> bool:
    """Whether ``statement`` is a jump, or an assertion that always fails."""
    return isinstance(statement, _JUMPS) or bool(_failed(statement))


def _loop(
    statement: nodes.For | nodes.AsyncFor | nodes.While, body: list[nodes.Statement], orelse: list[nodes.Statement]
) -> nodes.Statement:
    if isinstance(statement, nodes.While):
        return nodes.While(statement.test, body, orelse)
    return type(statement)(statement.target, statement.iter, body, orelse)


def _same_jump(left: nodes.Statement, right: nodes.Statement) -> bool:
    return left == right or _returns_none(left) and _returns_none(right)


def _returns_none(statement: nodes.Statement) -> bool:
    if not isinstance(statement, nodes.Return):
        return False
    return statement.value is None or statement.value == nodes.Constant(None)
