"""Columns tell what is an else clause where that makes no difference; columns that lie cost nothing but that."""

from __future__ import annotations

import ast
import random

import pytest

from depyf.decompiler.driver.settings import DEFAULT
from depyf.decompiler.pipeline import analyze
from depyf.decompiler.structure import write_else_clauses
from depyf.decompiler.structure.by_position.else_clauses import RULES
from depyf.decompiler.syntax import nodes

SOURCES = (
    """def f(a, b):
    if a:
        return 1
    if not b:
        return 2
    else:
        a = b
    return a
""",
    """def f(a, b):
    for c in a:
        if c:
            continue
        elif b:
            break
        elif a:
            raise b
        else:
            try:
                b = c()
            except KeyError:
                return None
            else:
                a.append(b)
        print(c)
    while a():
        b()
    else:
        print(a)
    return b
""",
)


def statement(text, line, column):
    """A statement of this name, at this place; `if name` returns, others are calls."""
    name = nodes.Name(text.split()[-1])
    if text.startswith("if"):
        body = nodes.Return(name, line=line + 1)
        body.column = column + 4 - column % 4 if column is not None else None  # an `elif` seems to begin at 2
        found = nodes.If(name, [body], line=line)
    else:
        found = nodes.Expr(name, line=line)
    found.column = column
    return found


def shape(body):
    """Names, with those of else clauses in a list behind their statement."""
    found = []
    for one in body:
        found.append((one.test if isinstance(one, nodes.If) else one.value).id)
        if getattr(one, "orelse", None):
            found.append(shape(one.orelse))
    return found


@pytest.mark.parametrize(
    ("places", "shaped"),
    [
        ([("if a", 1, 0), ("b", 3, 0)], ["a", "b"]),
        ([("if a", 1, 0), ("b", 4, 4), ("c", 5, 0)], ["a", ["b"], "c"]),
        ([("if a", 1, 0), ("if b", 3, 2), ("if c", 5, 2), ("d", 8, 4)], ["a", ["b", ["c", ["d"]]]]),
        ([("if a", 1, 0), ("if b", 4, 4), ("c", 6, 4)], ["a", ["b", "c"]]),
        ([("if a", 1, 4), ("b", 4, 9)], ["a", ["b"]]),  # a parenthesis in front of it
        ([("if a", 1, 0), ("b", 3, None)], ["a", "b"]),
        ([("if a", 1, 0), ("b", 3, 17)], ["a", "b"]),  # where nothing can stand
        ([("if a", 5, 0), ("b", 3, 4)], ["a", "b"]),  # above it
        ([("if a", 1, None), ("b", 4, 4)], ["a", "b"]),
    ],
)
def test_what_stands_further_to_the_right_is_the_clause(places, shaped):
    body = [statement(*place) for place in places]
    assert write_else_clauses(body) is any(isinstance(one, list) for one in shaped)
    assert shape(body) == shaped


def code_of(tree):
    return compile(tree, "case.py", "exec")


def has_columns(code):
    return hasattr(code, "co_positions") and any(place[2] for place in code.co_positions())


@pytest.mark.parametrize("source", SOURCES)
def test_the_clauses_of_the_author_come_back(source):
    result = analyze(code_of(source))
    if has_columns(result.code):
        assert result.source == source
    assert all(unit.verdict.identical for unit in result.walk())


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("seed", range(40))
def test_columns_that_lie_cost_nothing_but_clauses(source, seed):
    dice = random.Random(seed)
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            node.col_offset = dice.choice((0, 2, 4, 8, dice.randrange(40)))
            node.end_col_offset = node.col_offset + dice.randrange(1, 12)
            if seed % 2:
                node.lineno = node.end_lineno = dice.randrange(1, 30)
    code = code_of(tree)
    result, without = analyze(code), analyze(code, settings=DEFAULT._replace(skip_rules=frozenset(RULES.rules)))
    # From 3.13 on lines that lie can make an exception table that no source gives.
    assert [unit.verdict.exact for unit in result.walk()] == [unit.verdict.exact for unit in without.walk()]
    assert result.verdict.exact
    namespace: dict = {}
    exec(result.source, namespace)
