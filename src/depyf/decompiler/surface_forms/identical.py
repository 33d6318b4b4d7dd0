"""Search for an identical spelling of code that is exact, but whose dead code differs: that depends on `else` clauses.

On entry, the text compiles to the original's instructions. On exit, it compiles to the original's code object, or is
unchanged. A change moves the statements after an `if` or `try` that never falls through into its `else`, or out of
it, or makes a `continue` explicit. No change is trusted: the whole text must compile to the original.
"""

from __future__ import annotations

import copy
from typing import Iterator, NamedTuple

from ..bytecode import RawCode
from ..bytecode.dead_code import DeadCode, first_dead_difference
from ..proof.identical import differing_fields
from ..syntax import nodes
from ..syntax.transforms.tail_positions import DEFINITIONS
from .changes import FormChange
from .exact import Compile, Text, compiled_with, made

MOST = 12
"""The maximum number of changes to one body: more are rarely needed, and each costs several compilations."""
AT_ONCE = 4
"""The number of changes to try for one difference."""
IN_PAIRS = 2
"""The number of changes to combine with a second one if none suffices alone: an `else` in a branch may show in the
dead code only if the branch has an `else` as well."""
_JUMPS = (nodes.Return, nodes.Raise, nodes.Break, nodes.Continue)
_TRIES = (nodes.Try, nodes.TryStar)
_LATEST = 1 << 30


class _Step(NamedTuple):
    """Changes to be made in order, and the first difference in dead code after them, None if there is none."""

    changes: list[FormChange]
    dead: DeadCode | None


def spell_identically(
    body: list[nodes.Statement], raw: RawCode, recompiled: RawCode, printed: Text, compiled: Compile
) -> list[FormChange]:
    """Return the changes, to be made in order, after which the text of ``body`` compiles to ``raw`` itself; an empty
    list if none are found. ``recompiled`` is the code of the current text. ``body`` is restored at the end.
    """
    chosen: list[FormChange] = []
    dead = first_dead_difference(raw, recompiled)
    while dead is not None and len(chosen) < MOST:
        with made(chosen):
            step = _next_step(body, dead, raw, printed, compiled)
        if step is None:
            return []
        chosen += step.changes
        dead = step.dead
    return chosen if dead is None else []


def _next_step(
    body: list[nodes.Statement], dead: DeadCode, raw: RawCode, printed: Text, compiled: Compile, depth: int = 2
) -> _Step | None:
    """Return the changes that move the first difference furthest back; None if no change helps."""
    best: _Step | None = None
    options = list(_options(body, dead))[:AT_ONCE]
    for change in options:
        found = compiled_with(change, raw, printed, compiled)
        if found is None:
            continue
        if not any(differing_fields(raw, found)):
            return _Step([change], None)
        left = first_dead_difference(raw, found)
        if left is not None and left.position > dead.position:
            if best is None or best.dead is None or left.position > best.dead.position:
                best = _Step([change], left)
    if best is None and depth > 1:
        for change in options[:IN_PAIRS]:
            with made([change]):
                further = _next_step(body, dead, raw, printed, compiled, depth - 1)
            if further is not None:
                return _Step([change, *further.changes], further.dead)
    return best


def _options(body: list[nodes.Statement], dead: DeadCode) -> Iterator[FormChange]:
    """Yield the changes that may add or remove the dead code ``dead``, likeliest first."""
    found: list[tuple[tuple[bool, int], FormChange]] = []
    for suite in _suites(body):
        for index, statement in enumerate(suite):
            if not isinstance(statement, (nodes.If, *_TRIES)):
                continue
            line, rest = statement.line or 0, suite[index + 1 :]
            if dead.line is not None and line > dead.line:
                continue
            ends = dead.line in (_last_line(_branch(statement)), _last_line(rest))
            rank = not ends, (dead.line or _LATEST) - line
            found += [(rank, change) for change in _alternatives(suite, index, dead)]
    return (change for _, change in sorted(found, key=lambda one: one[0]))


def _branch(statement: nodes.If | nodes.Try | nodes.TryStar) -> list[nodes.Statement]:
    """Return the body of ``statement`` that precedes its `else`."""
    if isinstance(statement, nodes.If):
        return statement.body
    return statement.handlers[-1].body if statement.handlers else statement.body


def _alternatives(suite: list[nodes.Statement], index: int, dead: DeadCode) -> Iterator[FormChange]:
    """Yield alternative forms of the statement at ``index``, an `if` or `try`, and of those after it."""
    statement, rest = suite[index], suite[index + 1 :]
    if isinstance(statement, nodes.If):
        leaves = _leaves(statement.body)
        if not dead.missing:
            if statement.orelse and leaves:
                yield _instead(suite, index, len(suite), [_with_orelse(statement, []), *statement.orelse, *rest])
        elif statement.orelse and not leaves:
            with_continue = copy.copy(statement)
            with_continue.body = [*statement.body, nodes.Continue()]
            yield _instead(suite, index, index + 1, [with_continue])
        elif rest and leaves and not statement.orelse:
            yield from _with_else(suite, index, dead)
    elif isinstance(statement, _TRIES) and dead.missing and rest:
        if statement.handlers and not statement.orelse and not statement.finalbody:
            if all(_leaves(handler.body) for handler in statement.handlers):
                yield _instead(suite, index, len(suite), [_with_orelse(statement, rest)])


def _with_else(suite: list[nodes.Statement], index: int, dead: DeadCode) -> Iterator[FormChange]:
    """Move the statements after the `if` at ``index`` into its `else`: all, or up to the target of the dead jump."""
    size = len(suite)
    ends = [end for end in range(index + 2, size) if dead.target is not None and suite[end].line == dead.target]
    for end in [*ends[:1], size]:
        first, last = index, index  # of an `elif` chain: consecutive without a line in between
        while end == size and first > 0 and _may_be_elif(suite[first - 1], suite[first]):
            first -= 1
        while last + 2 < end and _may_be_elif(suite[last], suite[last + 1]) and _is_open(suite[last + 1]):
            last += 1
        for start, stop in dict.fromkeys([(first, last), (first, index), (index, index)]):
            chained = suite[stop + 1 : end]
            for statement in reversed(suite[start : stop + 1]):
                chained = [_with_orelse(statement, chained)]
            yield _instead(suite, start, end, chained)


def _with_orelse(statement: nodes.Statement, orelse: list[nodes.Statement]) -> nodes.Statement:
    changed = copy.copy(statement)
    assert isinstance(changed, (nodes.If, *_TRIES))
    changed.orelse = orelse
    return changed


def _instead(suite: list[nodes.Statement], start: int, end: int, after: list[nodes.Statement]) -> FormChange:
    return FormChange(suite, suite[:], [*suite[:start], *after, *suite[end:]], suite[start].line)


def _may_be_elif(statement: nodes.Statement, following: nodes.Statement) -> bool:
    """Whether the `if` ``following`` may be the `elif` of ``statement``."""
    if not isinstance(statement, nodes.If) or not isinstance(following, nodes.If) or not _is_open(statement):
        return False
    last = _last_line(statement.body)
    return last is None or following.line is None or following.line == last + 1


def _is_open(statement: nodes.Statement) -> bool:
    """Whether ``statement`` is an `if` without `else` whose body never falls through."""
    return isinstance(statement, nodes.If) and not statement.orelse and _leaves(statement.body)


def _suites(body: list[nodes.Statement]) -> Iterator[list[nodes.Statement]]:
    """Yield ``body`` and every list of statements in it, except for nested definitions."""
    found = [body]
    for suite in found:  # grows along
        yield suite
        for statement in suite:
            if not isinstance(statement, DEFINITIONS) and statement.holds_bodies:
                found += filter(None, nodes.statement_bodies(statement))


def _leaves(body: list[nodes.Statement]) -> bool:
    """Whether control never falls off the end of ``body``, as far as jumps and conditions tell."""
    last = body[-1] if body else None
    while isinstance(last, (nodes.With, nodes.AsyncWith)):
        last = last.body[-1]
    if isinstance(last, nodes.If):
        return bool(last.orelse) and _leaves(last.body) and _leaves(last.orelse)
    if isinstance(last, _TRIES):
        return _leaves(last.orelse or last.body) and all(_leaves(handler.body) for handler in last.handlers)
    return isinstance(last, _JUMPS)


def _last_line(body: list[nodes.Statement]) -> int | None:
    """Return the last line on which a statement of ``body`` begins."""
    return max((s.line for s in nodes.statements_in_order(body, DEFINITIONS) if s.line is not None), default=None)
