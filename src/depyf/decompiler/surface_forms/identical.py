"""Search for an identical spelling of code that is exact, but whose dead code or jumps to jumps differ: they depend on
`else` clauses.

On entry, the text compiles to the original's instructions. On exit, it compiles to the original's code object, or is
unchanged. A change moves the statements after an `if` or `try` that never falls through into its `else`, or out of
it, or makes a `continue` explicit or implicit. No change is trusted: the whole text must compile to the original.
"""

from __future__ import annotations

import copy
import heapq
import itertools
from typing import Iterator, TypeVar

from ...errors import DecompilationError
from ..bytecode import RawCode
from ..bytecode.dead_code import DeadCode, first_dead_difference
from ..limits.budget import spend
from ..proof.identical import differing_fields
from ..syntax import nodes
from ..syntax.transforms.tail_positions import DEFINITIONS
from .changes import FormChange
from .exact import Compile, Text, made
from .kinds import Search

MOST = 12
"""The maximum number of changes to one body: more are rarely needed, and each costs several compilations."""
AT_ONCE = 8
"""The number of changes to try for one difference before moving on to bodies that are closer to the original."""
COST = 2
"""How much farther from the original a body counts once so many changes of it have been tried."""
WORK = 30_000
"""The budget for one code object: its instructions, plus a quarter of the text's characters, for each text compiled."""
_STEPS = 0.4
"""How much of the decompiler's budget each unit of work spends."""
_JUMPS = (nodes.Return, nodes.Raise, nodes.Break, nodes.Continue)
_TRIES = (nodes.Try, nodes.TryStar)
_LATEST = 1 << 30
_Branch = TypeVar("_Branch", nodes.If, nodes.ExceptHandler)


def spell_identically(
    body: list[nodes.Statement],
    raw: RawCode,
    recompiled: RawCode,
    printed: Text,
    compiled: Compile,
    search: Search | None = None,
) -> list[FormChange]:
    """Return the changes, to be made in order, after which the text of ``body`` compiles to ``raw`` itself; an empty
    list if none are found. ``recompiled`` is the code of the current text. ``body`` is restored at the end.
    """
    search = search or Search()
    dead = first_dead_difference(raw, recompiled)
    size, budget = sum(len(part.bytecode) // 2 for part in raw.walk()), WORK
    seen: set[str] = set()
    order = itertools.count(1)
    # The distance from the original, a tie-breaker, the changes made, how many further changes were tried, where next.
    waiting: list[tuple[int, int, list[FormChange], int, DeadCode]] = []
    if dead is not None:
        waiting.append((dead.far, 0, [], 0, dead))
    while waiting and budget > 0:
        far, _, chosen, tried, dead = heapq.heappop(waiting)
        with made(chosen):
            options = list(search.proposed(_options(body, dead)))
            for change in options[tried : tried + AT_ONCE]:
                with made([change]):
                    text = printed()
                    budget -= size + len(text or "") // 4
                    spend(_STEPS * (size + len(text or "") // 4), "the search for an identical spelling")
                    if text is None or text in seen:
                        continue
                    seen.add(text)
                    search.tries(change)
                    other = _compiled(raw, text, compiled)
                if other is None:
                    continue
                if not any(differing_fields(raw, other)):
                    return [*chosen, change]
                left = first_dead_difference(raw, other)
                if left is not None and len(chosen) + 1 < MOST:
                    heapq.heappush(waiting, (left.far + len(chosen), next(order), [*chosen, change], 0, left))
        if tried + AT_ONCE < len(options):
            heapq.heappush(waiting, (far + COST, next(order), chosen, tried + AT_ONCE, dead))
    return []


def _compiled(raw: RawCode, text: str, compiled: Compile) -> RawCode | None:
    """Return the code of the text; None if it is not valid Python."""
    try:
        return compiled(raw, text)
    except (DecompilationError, RecursionError):
        return None


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
    yield from (change for _, change in sorted(found, key=lambda one: one[0]))


def _branch(statement: nodes.If | nodes.Try | nodes.TryStar) -> list[nodes.Statement]:
    """Return the body of ``statement`` that precedes its `else`."""
    if isinstance(statement, nodes.If):
        return statement.body
    return statement.handlers[-1].body if statement.handlers else statement.body


def _alternatives(suite: list[nodes.Statement], index: int, dead: DeadCode) -> Iterator[FormChange]:
    """Yield alternative forms of the statement at ``index``, an `if` or `try`, and of those after it."""
    statement = suite[index]
    if isinstance(statement, nodes.If):
        yield from _alternatives_of_if(statement, suite, index, dead)
    elif isinstance(statement, _TRIES) and statement.handlers:
        yield from _alternatives_of_try(statement, suite, index, dead)


def _alternatives_of_if(
    statement: nodes.If, suite: list[nodes.Statement], index: int, dead: DeadCode
) -> Iterator[FormChange]:
    body, orelse, rest = statement.body, statement.orelse, suite[index + 1 :]
    leaves = _leaves(body)
    continued = _with_body(statement, [*body, nodes.Continue()])
    if orelse:
        if not leaves and dead.missing:
            yield _instead("dead:continue-before-else", suite, index, index + 1, [continued])
        if leaves and dead.is_extra:
            yield _instead("dead:else-below", suite, index, len(suite), [_with_orelse(statement, []), *orelse, *rest])
        if not leaves and not rest:
            after = [_with_orelse(continued, []), *orelse]
            yield _instead("dead:continue-instead-of-else", suite, index, len(suite), after)
        return
    if rest and leaves and dead.missing:
        yield from _with_else(suite, index, dead)
    if isinstance(body[-1], nodes.Continue) and dead.is_extra:
        after = [_with_orelse(_with_body(statement, _fallen(body)), rest)]
        yield _instead("dead:continue-as-else", suite, index, len(suite), after)
    if not leaves and dead.missing and dead.is_jump:
        yield _instead("dead:else-pass", suite, index, index + 1, [_with_orelse(statement, [nodes.Pass()])])


def _alternatives_of_try(
    statement: nodes.Try | nodes.TryStar, suite: list[nodes.Statement], index: int, dead: DeadCode
) -> Iterator[FormChange]:
    body, orelse, rest = statement.body, statement.orelse, suite[index + 1 :]
    if not orelse and dead.is_extra and len(body) > 1 and isinstance(body[-1], (nodes.Break, nodes.Continue)):
        fallen = copy.copy(statement)
        fallen.body = body[:-1]
        yield _instead("dead:jump-into-try-else", suite, index, index + 1, [_with_orelse(fallen, body[-1:])])
        if not rest:
            behind = copy.copy(fallen)
            behind.handlers = [_with_body(one, _fallen(one.body, type(body[-1]))) for one in statement.handlers]
            yield _instead("dead:jump-below-try", suite, index, index + 1, [behind, body[-1]])
    if dead.missing:
        if rest and not orelse and not statement.finalbody and all(_leaves(one.body) for one in statement.handlers):
            for end in _ends(suite, index, dead):
                yield _instead("dead:try-else", suite, index, end, [_with_orelse(statement, suite[index + 1 : end])])
        if not rest and not _leaves(statement.handlers[-1].body):
            *others, last = statement.handlers
            kept = last.body[:-1] if isinstance(last.body[-1], nodes.Pass) else last.body
            continued = copy.copy(statement)
            continued.handlers = [*others, _with_body(last, [*kept, nodes.Continue()])]
            yield _instead("dead:handler-continues", suite, index, index + 1, [continued])
    if not dead.is_extra:
        return
    if orelse:
        yield _instead("dead:try-else-below", suite, index, len(suite), [_with_orelse(statement, []), *orelse, *rest])
    elif any(isinstance(one.body[-1], nodes.Continue) for one in statement.handlers):
        fallen = copy.copy(statement)
        fallen.handlers = [_with_body(one, _fallen(one.body)) for one in statement.handlers]
        yield _instead("dead:try-continue-as-else", suite, index, len(suite), [_with_orelse(fallen, rest)])


def _fallen(
    body: list[nodes.Statement], jump: type[nodes.Statement] = nodes.Continue
) -> list[nodes.Statement]:
    """Return ``body`` without the ``jump`` at its end."""
    return (body[:-1] or [nodes.Pass()]) if isinstance(body[-1], jump) else body


def _with_else(suite: list[nodes.Statement], index: int, dead: DeadCode) -> Iterator[FormChange]:
    """Move the statements after the `if` at ``index`` into its `else`: all, or up to the target of the dead jump."""
    size = len(suite)
    for end in _ends(suite, index, dead):
        first, last = index, index  # of an `elif` chain: consecutive without a line in between
        while end == size and first > 0 and _may_be_elif(suite[first - 1], suite[first]):
            first -= 1
        while last + 2 < end and _may_be_elif(suite[last], suite[last + 1]) and _is_open(suite[last + 1]):
            last += 1
        for start, stop in dict.fromkeys([(first, last), (first, index), (index, index)]):
            chained = suite[stop + 1 : end]
            for statement in reversed(suite[start : stop + 1]):
                chained = [_with_orelse(statement, chained)]
            yield _instead("dead:else", suite, start, end, chained)


def _ends(suite: list[nodes.Statement], index: int, dead: DeadCode) -> list[int]:
    """Return where an `else` of the statement at ``index`` may end: at the target of the dead jump, or last."""
    size = len(suite)
    ends = [end for end in range(index + 2, size) if dead.target is not None and suite[end].line == dead.target]
    return [*ends[:1], size]


def _with_body(statement: _Branch, body: list[nodes.Statement]) -> _Branch:
    changed = copy.copy(statement)
    changed.body = body
    return changed


def _with_orelse(statement: nodes.Statement, orelse: list[nodes.Statement]) -> nodes.Statement:
    changed = copy.copy(statement)
    assert isinstance(changed, (nodes.If, *_TRIES))
    changed.orelse = orelse
    return changed


def _instead(
    kind: str, suite: list[nodes.Statement], start: int, end: int, after: list[nodes.Statement]
) -> FormChange:
    of = suite[start]
    return FormChange(suite, suite[:], [*suite[:start], *after, *suite[end:]], kind, of.line, of)


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
