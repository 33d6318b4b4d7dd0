"""What the width and the column of an instruction tell of the word that was written; lies cost nothing but that."""

from __future__ import annotations

import ast
import random

import pytest

from depyf.decompiler.pipeline import analyze

SOURCE = '''class A:
    def idle_on_one_line(self): pass

    class B:
        @classmethod
        def idle_deeper(self, b):
            pass

    def documented(self):
        """A body by itself."""

    def documented_and_idle(self):
        """Not by itself."""
        pass

    def returns(self):
        return

    def returns_none(self):
        return None

    def idle(self):
        pass

    def calls_and_idles(self, a):
        a()
        pass

    def calls_and_dots(self, a):
        a()
        ...

    def calls_and_returns(self, a):
        a()
        return

    def calls_and_returns_none(self, a):
        a()
        return None

    def one_idles(self, a, b):
        if a and b:
            a()
        else:
            pass

    def one_returns(self, a, b):
        if a:
            return None
        b()

    def both_values(self, a):
        if a:
            return
        return 3
'''
WITHS = '''def f(a, b, c):
    with a:
        with b:
            c()
    with a as x, \\
         b as y:
        c()
    with a, \\
            b:
        c()
        a()
'''
NESTED = '''def f(a, b, c):
    if a:
        if b:
            c()
    if not a:
        if not b:
            if c in a:
                b()
                a()
    if (a and
            b):
        c()
    if a and \\
            b and \\
            c:
        c()
    for x in a:
        if a.b:
            if x == 3:
                continue
            c()
        if a.b:
            if x == 3:
                return 4
    if a:
        if b:
            b()
    elif a and b:
        b()
'''


def has_columns(code):
    return hasattr(code, "co_positions") and any(place[2] for place in code.co_positions())


def compiled(source):
    return compile(source, "case.py", "exec")


def test_the_words_of_the_author_come_back():
    result = analyze(compiled(SOURCE))
    if has_columns(result.code):
        assert result.source.split() == SOURCE.split(), result.source
    assert all(unit.verdict.exact for unit in result.walk())


def test_ellipsis_alone_comes_back_where_a_body_has_a_position():
    source = "def f(a):\n    ...\n"
    code = compiled(source)
    result = analyze(code)
    assert result.verdict.identical
    inner = next(one for one in code.co_consts if hasattr(one, "co_code"))
    widths = [p[3] - p[2] for p in getattr(inner, "co_positions", list)() if None not in p]
    assert ("..." in result.source) == (3 in widths)


@pytest.mark.parametrize("source", (WITHS, NESTED))
def test_statements_in_statements_and_parts_of_one_on_lines_of_their_own(source):
    result = analyze(compiled(source))
    tree = ast.parse(result.source)
    assert all(unit.verdict.exact for unit in result.walk())
    if has_columns(result.code):
        assert ast.dump(tree) == ast.dump(ast.parse(source))


def lying(source, seed):
    """The tree of ``source`` with places of which none is true."""
    dice = random.Random(seed)
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            node.col_offset = dice.choice((0, 4, 8, 11, 15, dice.randrange(40)))
            node.end_col_offset = node.col_offset + dice.choice((3, 4, 5, 6, 8, 11))
            if seed % 2:
                node.lineno = node.end_lineno = dice.randrange(1, 30)
    return tree


@pytest.mark.parametrize("source", (SOURCE, WITHS, NESTED))
@pytest.mark.parametrize("seed", range(20))
def test_places_that_lie_cost_no_proof(source, seed):
    result = analyze(compile(lying(source, seed), "case.py", "exec"))
    assert all(unit.verdict.proven for unit in result.walk())
    compile(result.source, "case.py", "exec")
