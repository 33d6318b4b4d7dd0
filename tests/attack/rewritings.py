"""Rewritings that change nothing a program can see: they make proven pairs that are not the same instructions."""

from __future__ import annotations

import ast
import copy
import random
from typing import Any, Callable, Iterator, List

_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)


def rewritten(tree: ast.Module, dice: random.Random, count: int) -> ast.Module:
    """A copy of ``tree`` with up to ``count`` of its statements written in another way."""
    tree = copy.deepcopy(tree)
    for _ in range(count):
        choice = list(_rewritings(tree))
        if choice:
            dice.choice(choice)()
    return ast.fix_missing_locations(tree)


def _rewritings(tree: ast.AST) -> Iterator[Callable[[], Any]]:
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if isinstance(body, list) and not isinstance(node, ast.Module):
                for place, statement in enumerate(body):
                    if isinstance(statement, ast.If):
                        yield from _of_if(body, place, statement)
                    elif isinstance(statement, ast.Return) and statement.value is not None:
                        yield lambda b=body, p=place: _named(b, p)
                    elif isinstance(statement, ast.While) and not statement.orelse:
                        yield lambda s=statement: _endless(s)


def _of_if(body: List[Any], place: int, s: Any) -> Iterator[Callable[[], Any]]:
    if s.orelse:
        yield lambda: _inverted(s)
        if isinstance(s.body[-1], _LEAVES):
            yield lambda: _flattened(body, place, s)
    elif isinstance(s.body[-1], _LEAVES) and place + 1 < len(body):
        yield lambda: _nested(body, place, s)
    if 1 < len(body) - place <= 4 and not isinstance(s.body[-1], _LEAVES):
        yield lambda: _tail_doubled(body, place, s)
    if isinstance(s.test, ast.BoolOp) and isinstance(s.test.op, ast.And) and not s.orelse:
        yield lambda: _split(s)


def _inverted(s: Any) -> None:
    s.test = s.test.operand if _is_not(s.test) else ast.UnaryOp(ast.Not(), s.test)
    s.body, s.orelse = s.orelse, s.body


def _is_not(test: Any) -> bool:
    return isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)


def _flattened(body: List[Any], place: int, s: Any) -> None:
    body[place + 1 : place + 1] = s.orelse
    s.orelse = []


def _nested(body: List[Any], place: int, s: Any) -> None:
    s.orelse = body[place + 1 :]
    del body[place + 1 :]


def _tail_doubled(body: List[Any], place: int, s: Any) -> None:
    rest = body[place + 1 :]
    del body[place + 1 :]
    s.body.extend(rest)
    s.orelse.extend(copy.deepcopy(rest))


def _split(s: Any) -> None:
    first, *others = s.test.values
    rest = others[0] if len(others) == 1 else ast.BoolOp(ast.And(), others)
    s.test, s.body = first, [ast.If(rest, s.body, [])]


def _named(body: List[Any], place: int) -> None:
    """Only the symbolic proof sees through this."""
    value = body[place].value
    body[place] = ast.Return(ast.Name("temporary", ast.Load()))
    body.insert(place, ast.Assign([ast.Name("temporary", ast.Store())], value))


def _endless(s: Any) -> None:
    s.body.insert(0, ast.If(ast.UnaryOp(ast.Not(), s.test), [ast.Break()], []))
    s.test = ast.Constant(True)
