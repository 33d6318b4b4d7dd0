"""Shortens the finished statements without a change of behaviour."""

from __future__ import annotations

from collections import Counter

from ..stack_machine.conditions import negation
from ..syntax import nodes as n
from .except_clauses import to_clauses


def polish(body: list[n.Statement], ours: set[str]) -> None:
    """Shorten ``body``; ``ours`` are variables that the original does not have."""
    classes = n.classes_in(body)
    for rewrite in (negate_empty_arms, _to_finally, to_clauses, _test_in_while, _flags_first, _flatten):
        n.rewrite_bodies(body, rewrite)
    if classes & {n.For, n.AsyncFor, n.With, n.AsyncWith}:
        uses = Counter(node.id for node in n.walk(body) if isinstance(node, n.Name))
        n.rewrite_bodies(body, lambda statements: _enter_directly(statements, uses, ours))
        n.rewrite_bodies(body, lambda statements: _bind_directly(statements, uses, ours))


def drop_unread(body: list[n.Statement], ours: set[str]) -> None:
    """Remove assignments to variables of ours that are never read."""
    changed = True
    while changed:
        changed = False
        stored = {id(t) for s in n.statements_in_order(body) if isinstance(s, n.Assign) for t in s.targets}
        read = {node.id for node in n.walk(body) if isinstance(node, n.Name) and id(node) not in stored}
        unread = ours - read
        for statements in n.bodies(body):
            kept: list[n.Statement] = []
            for statement in statements:
                target = statement.targets[0] if isinstance(statement, n.Assign) else None
                if not isinstance(target, n.Name) or target.id not in unread:
                    kept.append(statement)
                    continue
                changed = True
                value = statement.value  # type: ignore[attr-defined]
                if not (isinstance(value, n.Constant) or isinstance(value, n.Name) and value.id in ours):
                    kept.append(n.Expr(value, line=statement.line))
            statements[:] = kept


def _flags_first(body: list[n.Statement]) -> None:
    """``manager = a``, ``completed = False``, ``with manager`` -> the flag first."""
    for index in range(len(body) - 2):
        made, flag, statement = body[index : index + 3]
        if isinstance(made, n.Assign) and isinstance(flag, n.Assign) and isinstance(statement, (n.With, n.AsyncWith)):
            if isinstance(flag.value, n.Constant) and made.targets == [statement.items[0].context_expr]:
                body[index : index + 2] = [flag, made]


def _to_finally(body: list[n.Statement]) -> None:
    """Make a handler that raises again a ``finally`` if its statements also follow the ``try`` statement."""
    for index in range(len(body) - 1, -1, -1):
        statement = body[index]
        if not isinstance(statement, n.Try) or len(statement.handlers) != 1 or statement.handlers[0].type is not None:
            continue
        *statements, last = statement.handlers[0].body
        following = body[index + 1 : index + 1 + len(statements)]
        leaves = any(isinstance(node, (n.Return, n.Break, n.Continue)) for node in n.walk(statement.body))
        if isinstance(last, n.Raise) and last.exc is None and statements and following == statements and not leaves:
            del body[index + 1 : index + 1 + len(statements)]
            statement.handlers, statement.finalbody = [], statements


def _flatten(body: list[n.Statement]) -> None:
    """``if a: return ... else: b`` -> ``if a: return ...`` and ``b``."""
    for index in range(len(body) - 1, -1, -1):
        choice = body[index]
        if not isinstance(choice, n.If) or not choice.orelse:
            continue
        turned = isinstance(choice.test, n.UnaryOp) and choice.test.op == "not" and _leaves(choice.orelse)
        if _leaves(choice.body) and not turned:
            body[index + 1 : index + 1] = choice.orelse
            choice.orelse = []
        elif _leaves(choice.orelse):
            body[index + 1 : index + 1] = choice.body
            choice.test, choice.body, choice.orelse = negation(choice.test), choice.orelse, []


def _leaves(body: list[n.Statement]) -> bool:
    """Whether control never reaches the end of ``body``."""
    last = body[-1] if body else None
    if isinstance(last, n.If):
        return _leaves(last.body) and _leaves(last.orelse)
    return isinstance(last, (n.Return, n.Raise))


def negate_empty_arms(body: list[n.Statement]) -> None:
    for statement in body:
        if not statement.holds_bodies:
            continue
        for holder in [statement, *getattr(statement, "handlers", ())]:
            if not isinstance(statement, n.If) and getattr(holder, "body", None) == []:
                holder.body = [n.Pass()]
        if isinstance(statement, n.If) and not statement.body:
            if statement.orelse:
                statement.test, statement.body, statement.orelse = negation(statement.test), statement.orelse, []
            else:
                statement.body = [n.Pass()]


def _test_in_while(body: list[n.Statement]) -> None:
    """``while True: if a: break ...`` -> ``while not a: ...``."""
    for loop in body:
        if not isinstance(loop, n.While) or not isinstance(loop.test, n.Constant) or not isinstance(loop.body[0], n.If):
            continue
        first = loop.body[0]
        if len(first.body) == 1 and isinstance(first.body[0], n.Break):
            loop.test, rest = negation(first.test), first.orelse
        elif len(first.orelse) == 1 and isinstance(first.orelse[0], n.Break):
            loop.test, rest = first.test, first.body
        else:
            continue
        loop.body = [*rest, *loop.body[1:]] or [n.Pass()]


def _enter_directly(body: list[n.Statement], uses: Counter[str], ours: set[str]) -> None:
    """``t = a`` before ``for i in t`` or ``with t`` -> ``for i in a``, ``with a``, if nothing else uses ``t``."""
    for index in range(len(body) - 2, -1, -1):
        made, user = body[index : index + 2]
        used = getattr(user, "iter", None) or [item.context_expr for item in getattr(user, "items", ())][:1]
        [used] = used if isinstance(used, list) and used else [used]
        if not isinstance(made, n.Assign) or made.targets != [used] or not isinstance(used, n.Name):
            continue
        if used.id not in ours or uses[used.id] != 2:
            continue
        if isinstance(user, (n.With, n.AsyncWith)):
            user.items[0].context_expr = made.value
        elif isinstance(user, (n.For, n.AsyncFor)):
            made_by = made.value.func if isinstance(made.value, n.Call) else None
            is_made = made_by == n.Name("iter" if isinstance(user, n.For) else "aiter")
            user.iter = made.value.args[0] if is_made else made.value  # type: ignore[attr-defined]
        del body[index]


def _bind_directly(body: list[n.Statement], uses: Counter[str], ours: set[str]) -> None:
    """``for item in x: y = item`` -> ``for y in x``, if nothing else uses ``item``."""
    for statement in body:
        if not isinstance(statement, (n.For, n.AsyncFor)) or not isinstance(statement.target, n.Name):
            continue
        first = statement.body[0]
        name = statement.target.id
        if (
            isinstance(first, n.Assign)
            and isinstance(first.value, n.Name)
            and first.value.id == name
            and name in ours
            and uses[name] == 2
            and isinstance(first.targets[0], n.Name)
        ):
            statement.target = first.targets[0]
            del statement.body[0]
            if not statement.body:
                statement.body.append(n.Pass())
