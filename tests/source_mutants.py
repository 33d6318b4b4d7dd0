"""Plants bugs into source text: each mutant differs from the text in one place."""

from __future__ import annotations

import ast
import copy
from typing import Callable, Iterator, List, Tuple

Edit = Tuple[str, Callable[[], None]]


def mutants(source: str, first: int = 0, step: int = 1) -> Iterator[Tuple[str, str]]:
    """(kind of bug, text with the bug) for every ``step``-th place of ``source`` where one of the known bugs fits."""
    count = len(list(_edits(ast.parse(source))))
    for number in range(first, count, step):
        tree = ast.parse(source)
        kind, edit = list(_edits(tree))[number]
        edit()
        text = ast.unparse(ast.fix_missing_locations(tree))
        if text != ast.unparse(ast.parse(source)):
            yield kind, text


def _edits(tree: ast.AST) -> Iterator[Edit]:
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if isinstance(body, list) and body and isinstance(node, ast.AST) and not isinstance(node, ast.Module):
                yield from _statements(body)
        yield from _expressions(node)


def _statements(body: List[ast.stmt]) -> Iterator[Edit]:
    for place, statement in enumerate(body):
        if isinstance(statement, (ast.Nonlocal, ast.Global)):
            continue
        yield "statement lost", lambda place=place: body.__setitem__(place, ast.Pass())
        yield "statement doubled", lambda place=place: body.insert(place, copy.deepcopy(body[place]))
        if place + 1 < len(body):
            yield "statements swapped", lambda place=place: _swap(body, place, place + 1)
        if isinstance(statement, ast.If):
            yield "arms swapped", lambda s=statement: _arms(s)
            yield "condition negated", lambda s=statement: setattr(s, "test", ast.UnaryOp(ast.Not(), s.test))
            yield (
                "arm always taken",
                lambda place=place, s=statement: body.__setitem__(slice(place, place + 1), [ast.Expr(s.test), *s.body]),
            )
        if isinstance(statement, ast.Try):
            if place + 1 < len(body):
                yield "code moved into try", lambda place=place, s=statement: s.body.append(body.pop(place + 1))
            yield "code moved out of try", lambda place=place, s=statement: body.insert(place, s.body.pop(0))
            if statement.finalbody:
                yield "finally swallows", lambda s=statement: _swallow(s)
        if isinstance(statement, ast.Return) and statement.value is not None:
            yield "other return", lambda s=statement: setattr(s, "value", ast.Constant(None))
            yield "return lost", lambda place=place, s=statement: body.__setitem__(place, ast.Expr(s.value))
        if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            yield (
                "augmented assignment made plain",
                lambda place=place, s=statement: body.__setitem__(
                    place, ast.Assign([s.target], ast.BinOp(ast.Name(s.target.id, ast.Load()), s.op, s.value), lineno=1)
                ),
            )


def _expressions(node: ast.AST) -> Iterator[Edit]:
    if isinstance(node, ast.Call):
        for place, argument in enumerate(node.args):
            yield "argument lost", lambda place=place: node.args.__delitem__(place)
            if isinstance(argument, ast.Starred):
                yield "star lost", lambda place=place, a=argument: node.args.__setitem__(place, a.value)
            if place:
                yield "arguments swapped", lambda place=place: _swap(node.args, place - 1, place)
        for place, keyword in enumerate(node.keywords):
            yield "keyword lost", lambda place=place: node.keywords.__delitem__(place)
            if keyword.arg:
                yield "other keyword", lambda k=keyword: setattr(k, "arg", k.arg + "_x")
    elif isinstance(node, ast.Attribute) and node.attr != "__closure__":
        yield "other attribute", lambda: setattr(node, "attr", node.attr + "_x")
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and type(node.slice.value) is int:
        if isinstance(node.value, ast.Attribute) and node.value.attr == "__closure__":
            return
        yield "other index", lambda: setattr(node, "slice", ast.Constant(node.slice.value + 1))  # type: ignore
        yield "index of another type", lambda: setattr(node, "slice", ast.Constant(float(node.slice.value)))  # type: ignore
    elif isinstance(node, ast.Constant) and type(node.value) in (int, str, bool):
        yield "other constant", lambda: setattr(node, "value", "other")
    elif isinstance(node, (ast.List, ast.Tuple)) and isinstance(node.ctx, ast.Load):
        if node.elts:
            yield "item lost", lambda: node.elts.pop()
            yield (
                "list for tuple",
                lambda: setattr(node, "__class__", ast.Tuple if isinstance(node, ast.List) else ast.List),
            )
    elif isinstance(node, ast.Compare):
        yield (
            "other comparison",
            lambda: node.ops.__setitem__(0, ast.Eq() if not isinstance(node.ops[0], ast.Eq) else ast.Is()),
        )
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        yield "another global or variable", lambda: setattr(node, "id", "another")


def _swap(items: list, a: int, b: int) -> None:  # type: ignore[type-arg]
    items[a], items[b] = items[b], items[a]


def _arms(statement: ast.If) -> None:
    statement.body, statement.orelse = statement.orelse or [ast.Pass()], statement.body


def _swallow(statement: ast.Try) -> None:
    statement.handlers = [ast.ExceptHandler(ast.Name("BaseException", ast.Load()), None, statement.finalbody)]
    statement.finalbody = []
