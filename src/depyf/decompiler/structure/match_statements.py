"""Match statements: chains of ``if`` whose tests are patterns."""

from __future__ import annotations

from ...errors import DecompilationError
from ..lift.values import CaseElse, Subject, case_of
from ..syntax import nodes
from .context import always_matches, ends, leaves


def join_cases(body: list[nodes.Statement]) -> list[nodes.Statement]:
    """Return ``body`` with each subject and the tests that follow it replaced by a match statement."""
    body = nodes.rewrite_bodies(body, _join)
    for loop in nodes.walk(body):
        if isinstance(loop, (nodes.For, nodes.AsyncFor, nodes.While)):
            _drop_jump(loop.body)
    return body


def _join(body: list[nodes.Statement]) -> None:
    for index in reversed(range(len(body))):
        statement = body[index]
        if isinstance(statement, Subject):
            cases: list[nodes.match_case] = []
            after = _take(body[index + 1 :], statement.number, cases, statement.has_default)
            if not cases:
                raise DecompilationError("a match statement without a case", stage="structure")
            if statement.has_default and not always_matches(cases[-1]):
                cases.append(nodes.match_case(nodes.MatchAs(), None, [nodes.Pass()]))
            after = _below(cases, statement.column) + after
            for pattern, following in statement.unreached:
                at = next((at for at, case in enumerate(cases) if case.pattern is following), len(cases))
                cases.insert(at, nodes.match_case(pattern, nodes.Constant(False), [nodes.Pass()]))
            body[index:] = [nodes.Match(statement.value, cases, line=statement.line), *after]


def _below(cases: list[nodes.match_case], column: int | None) -> list[nodes.Statement]:
    """Remove from the last case, the only one that does not leave, what begins in the ``column`` of the statement."""
    body = cases[-1].body
    if column is None or not all(ends(case.body) or leaves(case.body) for case in cases[:-1]):
        return []
    is_ours = len(cases) > 1 and cases[-1].guard is None and cases[-1].pattern == nodes.MatchAs()
    for start, one in enumerate(body):
        if one.column is not None and one.column <= column and (start or is_ours):
            after = body[start:]
            del body[start:]
            if not body:
                cases.pop()
            return after
    return []


def _take(
    body: list[nodes.Statement], number: int, cases: list[nodes.match_case], inside: bool
) -> list[nodes.Statement]:
    """Add the cases at the beginning of ``body`` to ``cases``; return what follows the match statement.

    ``inside``: ``body`` runs only if no earlier case has matched.
    """
    pending: list[list[nodes.Statement]] = []  # what follows each `if` whose `else` has the next case
    while True:
        first = body[0] if body else None
        parts = _parts(first.test, number) if isinstance(first, nodes.If) else None
        guard: nodes.Expression | None
        if isinstance(first, CaseElse) and first.number == number:
            pattern, guarded, rest = first.pattern, body[1] if len(body) > 1 else None, body[2:]
            if not isinstance(guarded, nodes.If) or guarded.line is None or guarded.line != first.line:
                cases.append(nodes.match_case(pattern, None, body[1:] or [nodes.Pass()]))
                body = []
                break
            guard, first = guarded.test, guarded  # on the line of the pattern
        elif isinstance(first, nodes.If) and parts is not None:
            (pattern, guard), rest = parts, body[1:]
        else:
            if inside and body:
                cases.append(nodes.match_case(nodes.MatchAs(), None, body))
                body = []
            break
        cases.append(nodes.match_case(pattern, guard, first.body))
        if first.orelse:
            pending.append(rest)
            body, inside = first.orelse, True
        else:
            body = rest
            if not ends(first.body) and not leaves(first.body) and not _begins_with_case(rest, number):
                break
    for rest in reversed(pending):
        body = body + rest
    return body


def _begins_with_case(body: list[nodes.Statement], number: int) -> bool:
    first = body[0] if body else None
    return isinstance(first, nodes.If) and _parts(first.test, number) is not None


def _drop_jump(body: list[nodes.Statement]) -> None:
    """Drop a final ``case _: continue`` that nobody wrote, by its line, from match statements at the end of a loop's
    ``body``, or of an ``if`` there: it is only the jump past the other cases.
    """
    todo = [body]
    while todo:
        block = todo.pop()
        last = block[-1] if block else None
        if isinstance(last, nodes.If):
            todo += [last.body, last.orelse]
        elif isinstance(last, nodes.Match):
            case = last.cases[-1]
            if len(last.cases) > 1 and always_matches(case) and case.pattern == nodes.MatchAs():
                if case.body == [nodes.Continue()] and not _is_written_below(case.body[0], last.cases[-2].body):
                    last.cases.pop()
            todo += [one.body for one in last.cases]


def _is_written_below(jump: nodes.Statement, body: list[nodes.Statement]) -> bool:
    """Whether ``jump`` is on a line below all of ``body``; a pattern may be as wide."""
    lines = [one.line for one in nodes.statements_in_order(body) if one.line is not None]
    return jump.line is not None and jump.line > max(lines, default=jump.line)


def _parts(test: nodes.Expression, number: int) -> tuple[nodes.pattern, nodes.Expression | None] | None:
    """Return the pattern and the guard of a case's test; None for any other test."""
    case = case_of(test)
    if case is None or case.number != number:
        return None
    if not isinstance(test, nodes.BoolOp):
        return case.pattern, None
    if test.op != "and":
        raise DecompilationError("a pattern that is one of several conditions", stage="structure")
    rest = test.values[1:]
    return case.pattern, rest[0] if len(rest) == 1 else nodes.BoolOp("and", rest)
