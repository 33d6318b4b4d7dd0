"""Shortens the finished statements without a change of behaviour."""

from __future__ import annotations

from collections import Counter

from ..stack_machine.conditions import negation
from ..syntax import nodes as n
from .except_clauses import to_clauses


def polish(body: list[n.Statement], ours: set[str]) -> list[n.Statement]:
    """Shorten ``body`` and return it; ``ours`` are variables that the original does not have."""
    _drop_unread(body, ours)
    n.rewrite_bodies(body, _negate_empty_arms)
    n.rewrite_bodies(body, to_clauses)
    n.rewrite_bodies(body, _test_in_while)
    uses = Counter(node.id for node in n.walk(body) if isinstance(node, n.Name))
    n.rewrite_bodies(body, lambda statements: _iterate_directly(statements, uses, ours))
    n.rewrite_bodies(body, lambda statements: _bind_directly(statements, uses, ours))
    return body


def _drop_unread(body: list[n.Statement], ours: set[str]) -> None:
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


def _negate_empty_arms(body: list[n.Statement]) -> None:
    for statement in body:
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


def _iterate_directly(body: list[n.Statement], uses: Counter[str], ours: set[str]) -> None:
    """``iterator = iter(x)`` before ``for i in iterator`` -> ``for i in x``, if nothing else uses the iterator."""
    index = 0
    while index + 1 < len(body):
        made, loop = body[index], body[index + 1]
        if (
            isinstance(made, n.Assign)
            and isinstance(loop, (n.For, n.AsyncFor))
            and isinstance(loop.iter, n.Name)
            and isinstance(made.targets[0], n.Name)
            and made.targets[0].id == loop.iter.id
            and loop.iter.id in ours
            and uses[loop.iter.id] == 2
            and isinstance(made.value, n.Call)
            and isinstance(made.value.func, n.Name)
            and made.value.func.id == ("iter" if isinstance(loop, n.For) else "aiter")
        ):
            loop.iter = made.value.args[0]
            del body[index]
        if (
            isinstance(made, n.Assign)
            and isinstance(loop, (n.With, n.AsyncWith))
            and isinstance(loop.items[0].context_expr, n.Name)
            and isinstance(made.targets[0], n.Name)
            and made.targets[0].id == loop.items[0].context_expr.id
            and made.targets[0].id in ours
            and uses[made.targets[0].id] == 2
        ):
            loop.items[0].context_expr = made.value
            del body[index]
        index += 1


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
