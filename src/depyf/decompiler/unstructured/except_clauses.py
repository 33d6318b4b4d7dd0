"""An exception match at the beginning of a handler -> ``except`` clauses."""

from __future__ import annotations

from ..syntax import nodes as n


def to_clauses(body: list[n.Statement]) -> None:
    """Split a handler that begins with a match into a clause for the matching class and one for the rest."""
    for statement in body:
        while isinstance(statement, n.Try) and statement.handlers:
            last = statement.handlers[-1]
            match = _match(last.body) if last.type is None or last.name is not None else None
            if match is None:
                break
            kind, yes, no = match
            clause = n.ExceptHandler(kind, last.name if _mentions(yes, last.name) else None, yes or [n.Pass()])
            statement.handlers.insert(-1, clause)
            last.body = no or [n.Pass()]
            if not _mentions(no, last.name):
                last.type = last.name = None
        if isinstance(statement, n.Try) and len(statement.handlers) > 1:
            last = statement.handlers[-1]
            again = last.body[0]
            if last.type is None and len(last.body) == 1 and isinstance(again, n.Raise) and again.exc is None:
                statement.handlers.pop()


def _mentions(body: list[n.Statement], name: str | None) -> bool:
    return any(isinstance(node, n.Name) and node.id == name for node in n.walk(body))


def _match(body: list[n.Statement]) -> tuple[n.Expression, list[n.Statement], list[n.Statement]] | None:
    """Return the class, the body for a match and the body otherwise; None if ``body`` is anything but a match."""
    attempt, choice = body if len(body) == 2 else (None, None)
    if not isinstance(attempt, n.Try) or not isinstance(choice, n.If):
        return None
    raised = attempt.body[0]
    if len(attempt.body) != 1 or not isinstance(raised, n.Raise) or raised.exc is not None or not attempt.handlers:
        return None
    yes = attempt.handlers[0]
    assign = yes.body[0]
    if yes.type is None or len(yes.body) != 1 or not isinstance(assign, n.Assign) or len(attempt.handlers) != 2:
        return None
    [target], value, test = assign.targets, assign.value, choice.test
    if not isinstance(value, n.Constant) or value.value is not True or not isinstance(target, n.Name):
        return None
    if isinstance(test, n.Name) and test.id == target.id:
        return yes.type, choice.body, choice.orelse
    if isinstance(test, n.UnaryOp) and isinstance(test.operand, n.Name) and test.operand.id == target.id:
        return yes.type, choice.orelse, choice.body
    return None
