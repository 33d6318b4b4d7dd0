"""``else`` clauses that only columns reveal: those of statements for which ``else`` makes no difference.

The code after ``if a: return`` does the same with and without ``else``. So does the code after a try statement whose
handlers all leave, and after a loop without ``break``. Code indented deeper than the statement is its clause.
"""

from __future__ import annotations

import itertools
from typing import Collection, Iterator, NamedTuple

from ...lift.values import case_of
from ...limits.budget import STEP, spend
from ...syntax import nodes
from ...syntax.transforms.tail_positions import drop_at_tail, tails
from ..context import LOOPS, TRIES, fails_an_assertion, has_break, leaves
from ..rules import Rules

_JUMPS = (nodes.Break, nodes.Continue)


class _StatementList(NamedTuple):
    """A list of statements; ``base`` is the column of the ``if`` that it belongs to if it begins with an ``elif``.

    ``is_clause``: it is the ``else`` clause of an ``if``.
    """

    body: list[nodes.Statement]
    base: int | None = None
    is_clause: bool = False


def write_else_clauses(body: list[nodes.Statement], skipped: Collection[str] = ()) -> bool:
    """Move statements into or out of ``else`` clauses according to their columns; return whether any moved."""
    changed = False
    seen: list[nodes.If] = []
    todo = [_StatementList(body)]
    while todo:
        block = todo.pop()
        base, known = block.base, None
        changed |= _below_all_of_elif(block, skipped)
        for index, statement in enumerate(block.body):  # what follows changes along
            if block.base is None and statement.column is not None:
                base = statement.column if base is None or statement.column < base else base
            if base is not None and base != known:
                changed |= _move_outside(block.body, index, base, skipped)
                known = base
            if not statement.holds_bodies:
                continue
            following = _after_body(statement, block.body[index + 1 :], base)
            if following is not None:
                changed = True
                block.body[index + 1 :] = following
            if isinstance(statement, TRIES):
                changed |= _join_returns(statement, block.body, index, base)
            inner = RULES.decide(statement, skipped)
            below = _below_clause(statement, base) if inner else []
            if below:
                changed = True
                block.body[index + 1 : index + 1] = below
            may_have = inner and not statement.orelse  # type: ignore[attr-defined]
            start = index + 1
            count = _deeper(inner, block.body, start, base, statement) if inner and may_have else 0
            if may_have and _passes_on(statement):
                count = len(block.body) - start
            if count:
                changed = True
                statement.orelse = block.body[start : start + count]  # type: ignore[attr-defined]
                del block.body[start : start + count]
            if index or not block.is_clause:  # a chain of `elif` may be long: it is one statement
                changed |= _join_jumps(statement, block.body, index)
            if statement.__class__ is nodes.If:
                seen.append(statement)
            todo += _blocks_in(statement, base)
    for one in seen:
        _mark_if_in_else(one)
    return changed


def _passes_on(statement: nodes.Statement) -> bool:
    """Whether it is an ``if`` that ends with a ``pass`` which compiles to a jump: all that follows is its ``else``."""
    last = statement.body[-1] if isinstance(statement, nodes.If) else None
    return isinstance(last, (nodes.Continue, nodes.Return)) and last.written in ("pass", "...")


def _blocks_in(statement: nodes.Statement, base: int | None) -> Iterator[_StatementList]:
    """Yield the lists of statements in ``statement``; an ``elif`` is in the column ``base`` of the ``if`` itself."""
    for part in filter(None, nodes.statement_bodies(statement)):
        is_clause = isinstance(statement, nodes.If) and part is statement.orelse
        is_elif = is_clause and _is_elif(part[0], statement.body)  # type: ignore[attr-defined]
        yield _StatementList(part, base if is_elif else None, is_clause)


def _deeper(
    inner: list[nodes.Statement], body: list[nodes.Statement], start: int, base: int | None, owner: nodes.Statement
) -> int:
    """Return how many statements of ``body``, from ``start`` on, are indented deeper than ``base``, the column of
    ``owner`` if it is known. They follow ``owner``, whose own body is ``inner``.

    0 if the columns are not conclusive.
    """
    if start == len(body) or not _is_below(inner, body[start]):
        return 0
    column = column_of_body(_own(inner, owner, base))
    if base is None:
        if column is None:
            return 0
        base = column - 2  # unknown, but the clause begins in the column of the body
    count = 0
    known = False
    for index in range(start, len(body)):
        following = body[index]
        there = _column_of(following, column, base)
        if there is None or index > start and _on_line_of(following, body[index - 1]):
            continue  # on the line of the previous statement, or unknown
        if there <= base + 1 and there != column:
            break
        may_be_elif = isinstance(owner, nodes.If) and isinstance(following, nodes.If)
        is_nested = count > 0 and column is not None and there > column  # in a clause of the statement before it
        if not is_nested and not _is_in_clause(there, column, base, may_be_elif=may_be_elif):
            continue
        count, known = index + 1 - start, True
    else:
        count = len(body) - start
    return count if known else 0


def _own(inner: list[nodes.Statement], owner: nodes.Statement, base: int | None) -> list[nodes.Statement]:
    """Return the statements of ``inner`` whose columns are those of the body of ``owner``, which begins in ``base``.

    A body on the line of its statement has no column of its own; a return may have the position of a with statement
    around it, and a jump may be a copy of one below the clause.
    """
    own = [one for one in inner if one.line is None or owner.line is None or one.line > owner.line]
    if base is None:
        return own
    return [one for one in own if not isinstance(one, _JUMPS) or one.column is None or one.column > base]
def _column_of(statement: nodes.Statement, column: int | None, base: int) -> int | None:
    """Return the column of ``statement``. That of ``while True``, which has no position, is as far left of its body as
    ``base`` is of ``column``.
    """
    if statement.column is None and isinstance(statement, nodes.While) and column is not None:
        inner = column_of_body(statement.body)
        return inner - (column - base) if inner is not None else None
    return statement.column


def _below_all_of_elif(block: _StatementList, skipped: Collection[str]) -> bool:
    """Move what is in the column of the whole statement out of each ``if`` that will be an ``elif`` behind a body that
    leaves, before its clause is filled: it goes below all of them. Return whether anything moved.
    """
    changed, found = False, [at for at, one in enumerate(block.body) if at and one.__class__ is nodes.If]
    base = column_of_body(block.body) if found and block.base is None else block.base
    for index in reversed(found):
        spend(STEP, "finding the clauses by their columns")
        one = block.body[index]
        if base is not None and isinstance(one, nodes.If) and one.column in (base + 2, base + 3):
            last, inner = one, RULES.decide(one, skipped)
            while inner and len(last.orelse) == 1 and isinstance(last.orelse[0], nodes.If):
                spend(STEP, "finding the clauses by their columns")
                last = last.orelse[0]
                inner = RULES.decide(last, skipped)
            if inner and last.orelse and _is_outside(last, inner, base):
                block.body[index + 1 : index + 1] = last.orelse
                last.orelse = []
                changed = True
            following = _after_body(one, block.body[index + 1 :], base)
            if following is not None:
                block.body[index + 1 :] = following
                changed = True
    return changed


def _after_body(
    statement: nodes.Statement, rest: list[nodes.Statement], base: int | None
) -> list[nodes.Statement] | None:
    """Move what begins in the column ``base`` in the body of an ``if`` whose ``else`` clause leaves below the clause;
    if there is no clause, the ``rest`` of the list becomes one. Without columns, what is on lines below the clause.
    Return the new rest; None if nothing moves.
    """
    if statement.__class__ is not nodes.If:
        return None
    orelse = statement.orelse or rest
    if not orelse or not leaves(orelse):
        return None
    body = statement.body
    start = next((at for at, one in enumerate(body) if at and _is_left_of(base, one) and _is_below(orelse, one)), 0)
    column = column_of_body(body[:start])
    if not start or base is not None and (column is None or column <= base) or base is None and not _last_line(orelse):
        return None
    if not statement.orelse:
        there = column_of_body(rest)
        may_be_elif = isinstance(rest[0], nodes.If) and rest[0].column == there
        if base is not None and not _is_in_clause(there or 0, column, base, may_be_elif=may_be_elif):
            return None
        statement.orelse, rest = rest, []
    following = body[start:]
    del body[start:]
    return following + rest


def _is_left_of(base: int | None, statement: nodes.Statement) -> bool:
    """Whether the statement begins in the column ``base`` or before; without columns it may, unless it is a jump, which
    may have the line of its target.
    """
    if statement.column is None:
        return base is None and not isinstance(statement, _JUMPS)
    return base is not None and statement.column <= base


def _join_returns(
    statement: nodes.Try | nodes.TryStar, body: list[nodes.Statement], index: int, base: int | None
) -> bool:
    """Where all handlers of the try statement at ``index`` end with copies of one return, which is below all that
    follows and in the column of the statement: move it there, and what follows into the ``else`` clause.
    """
    following = body[index + 1 :]
    returns = [one.body[-1] for one in statement.handlers if isinstance(one.body[-1], nodes.Return)]
    if not returns or len(returns) < len(statement.handlers) or statement.finalbody:
        return False
    if not following and not leaves(statement.orelse or statement.body):
        return False
    last, inner = returns[0], statement.body
    is_one = all(one == last and (one.line, one.column) == (last.line, last.column) for one in returns)
    if not is_one or last.line is None or last.column is None or last.column != base:
        return False
    if not _is_below([*body[:index], *inner, *statement.orelse, *following], last):
        return False
    if following:
        count = _deeper(inner, body, index + 1, base, statement)
        if statement.orelse or not leaves(following) or count != len(following):
            return False
    for handler in statement.handlers:
        handler.body[-1:] = [] if len(handler.body) > 1 else [nodes.Pass()]
    statement.orelse = statement.orelse or following
    body[index + 1 :] = [last]
    return True


def _join_jumps(statement: nodes.Statement, body: list[nodes.Statement], index: int) -> bool:
    """Where all paths through the ``if`` or try statement at ``index`` that do not leave otherwise end with one jump of
    a loop, which is below the statement and in its column, or with jumps without a column: move it there.
    """
    rest = body[index + 1 :]
    if statement.column is None or rest[1:] or not isinstance(statement, (nodes.If, *TRIES)):
        return False
    jumps = [tail[-1] for tail in tails([statement]) if isinstance(tail[-1], _JUMPS)]
    last = next((one for one in [*jumps, *rest] if one.column is not None), None)
    if not jumps or last is None or last.column != statement.column or not leaves([statement, *rest]):
        return False
    if not _is_below([statement], last):
        return False

    def is_same(one: nodes.Statement) -> bool:
        return type(one) is type(last) and (one.column is None or (one.line, one.column) == (last.line, last.column))

    if not all(map(is_same, [*jumps, *rest])):
        return False
    if len(statement.orelse) == 1 and is_same(statement.orelse[0]):
        statement.orelse.clear()
    drop_at_tail([statement], is_same, always=True)
    body[index + 1 :] = [last]
    return True


def _move_outside(body: list[nodes.Statement], start: int, base: int, skipped: Collection[str]) -> bool:
    """Move the ``else`` clauses of statements of ``body``, from ``start`` on, that begin in the column ``base`` of
    these statements below them; return whether any moved. All at once: the statements may be ``elif`` branches of one
    before them, and what is below ends that chain.
    """
    changed = False
    for index, statement in enumerate(itertools.islice(body, start, None), start):
        inner = RULES.decide(statement, skipped) if "orelse" in statement.holds_bodies else None
        if inner and _is_outside(statement, inner, base):
            changed = True
            body[index + 1 : index + 1] = statement.orelse  # type: ignore[attr-defined]
            statement.orelse = []  # type: ignore[attr-defined]
    return changed


def _is_outside(statement: nodes.Statement, inner: list[nodes.Statement], base: int) -> bool:
    """Whether the ``else`` clause of ``statement`` is in the statement's own column, so that it is not a clause."""
    orelse: list[nodes.Statement] = statement.orelse  # type: ignore[attr-defined]
    column = column_of_body(orelse) if orelse else None
    return column is not None and column == base and column != column_of_body(inner) and _is_below(inner, orelse[0])


def _below_clause(statement: nodes.Statement, base: int | None) -> list[nodes.Statement]:
    """Remove from the ``else`` clause of an ``if`` whose body leaves what begins in the column ``base``."""
    if not isinstance(statement, nodes.If) or base is None:
        return []
    orelse = statement.orelse
    if not orelse or column_of_body(orelse) == column_of_body(orelse[:1]):
        return []
    start = next((at for at, one in enumerate(orelse) if at and one.column is not None and one.column <= base), None)
    if start is None or not _is_below(orelse[:start], orelse[start]):
        return []
    below = orelse[start:]
    del orelse[start:]
    return below


def _is_in_clause(there: int, column: int | None, base: int, *, may_be_elif: bool) -> bool:
    """Whether a clause may begin in the column ``there``: in the ``column`` of the body above it, or one further right
    for a statement that begins with a parenthesis; or as an ``elif``.
    """
    if may_be_elif and there - base in (2, 3):
        return True
    return there - base in (3, 4, 8) if column is None else there > base and there - column in (0, 1)


def _is_below(inner: list[nodes.Statement], following: nodes.Statement) -> bool:
    """Whether ``following`` begins on a line below all of ``inner``.

    Jumps are ignored: they may have the line of their target.
    """
    return following.line is not None and _last_line(inner) < following.line


def _last_line(body: list[nodes.Statement]) -> int:
    """Return the last line on which a statement of ``body`` begins, except for jumps; 0 if unknown."""
    found = nodes.statements_in_order(body, ())
    return max((one.line for one in found if one.line is not None and not isinstance(one, _JUMPS)), default=0)


def _mark_if_in_else(statement: nodes.If) -> None:
    """Mark an ``if`` that is alone in the ``else`` clause but is not an ``elif``.

    It begins in the column of the statements above ``else``, perhaps behind a parenthesis, and its body further to the
    right; and there is a line left for ``else`` itself.
    """
    inner = statement.orelse[0] if len(statement.orelse) == 1 else None
    if not isinstance(inner, nodes.If) or inner.column is None or inner.line is None:
        return
    body, above = column_of_body(inner.body), column_of_body(statement.body)
    is_deeper = body is not None and above is not None and above <= inner.column < body
    is_deeper = is_deeper or body is None and inner.column == above or _is_step(statement.column, inner.column, body)
    if is_deeper and inner.line > _last_line(statement.body) + 1:
        inner.written = "if"


def _is_step(outer: int | None, column: int, body: int | None) -> bool:
    """Whether the columns of an ``if``, one in its ``else`` and the body of that show two steps of indentation."""
    if outer is None or body is None:
        return False
    return body - column == column - outer > len("el") + len("(")


def _on_line_of(following: nodes.Statement, before: nodes.Statement) -> bool:
    return following.line is not None and following.line == before.line


def _is_elif(statement: nodes.Statement, inner: list[nodes.Statement]) -> bool:
    """Whether ``statement`` is an ``elif``: its body is in the column of the body above it, ``inner``."""
    if not isinstance(statement, nodes.If):
        return False
    column = column_of_body(inner)
    return column is not None and column == column_of_body(statement.body)


def column_of_body(body: list[nodes.Statement]) -> int | None:
    """Return the column in which the statements of ``body`` begin; None if unknown."""
    columns = [one.column for one in body if one.column is not None]
    return min(columns) if columns else None


# The rules: each returns the body that precedes the clause which the statement may have


def _behind_a_leaving_if(statement: nodes.Statement) -> list[nodes.Statement] | None:
    """What follows an ``if`` whose body ends with a jump is its ``else``, or an ``elif``, if it is indented. An assert
    statement has none.
    """
    if statement.__class__ is not nodes.If or not leaves(statement.body):
        return None
    return statement.body if case_of(statement.test) is None and not _is_assert(statement) else None


def _is_assert(statement: nodes.If) -> bool:
    error = statement.body[0]
    return fails_an_assertion(statement.body) and error.line is not None and error.line == statement.line


def _behind_leaving_handlers(statement: nodes.Statement) -> list[nodes.Statement] | None:
    """What follows a try statement whose handlers all leave is its ``else`` if it is indented."""
    if not isinstance(statement, TRIES) or statement.finalbody or not statement.handlers:
        return None
    return statement.handlers[-1].body if all(leaves(one.body) for one in statement.handlers) else None


def _behind_a_loop(statement: nodes.Statement) -> list[nodes.Statement] | None:
    """What follows a loop without ``break`` is its ``else`` if it is indented."""
    if not isinstance(statement, LOOPS):
        return None
    return None if has_break(statement.body) else statement.body


RULES: Rules[nodes.Statement, list[nodes.Statement]] = Rules(
    "else",
    _behind_a_leaving_if,
    _behind_leaving_handlers,
    _behind_a_loop,
)
