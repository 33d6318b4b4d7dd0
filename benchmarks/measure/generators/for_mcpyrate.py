"""mcpyrate: modules with macros of every kind."""

from __future__ import annotations

import sys
from pathlib import Path

MACROS = """
from mcpyrate.quotes import macros, q, u, n, a, s, t, h
from mcpyrate import gensym, namemacro, parametricmacro
import ast

def twice(tree, **kw):
    return q[(a[tree], a[tree])]

def block(tree, *, syntax, **kw):
    name = gensym("kept")
    with q as made:
        n[name] = u[3]
        try:
            with a:
                tree
        finally:
            print(n[name])
    return made

def decorated(tree, **kw):
    tree.body[:0] = [ast.Expr(q[h[print](u[tree.name])])]
    return tree

@parametricmacro
def with_argument(tree, *, args, **kw):
    return q[[t[args], a[tree]]]

@namemacro
def here(tree, **kw):
    return q[h[len]]
"""
USER = """
from macros_here import macros, twice, block, decorated, with_argument, here
x = twice[1 + 2]
with block:
    y = twice[x]
    for z in y: print(z)
@decorated
def f(a, *b): return twice[lambda c: (a, b, c)]
v = with_argument[x, y][x > y]
w = here("abc")
@decorated
async def g(a): return await a
class K:
    @decorated
    def m(self): return super().m
"""


def generate(folder):
    import mcpyrate.activate  # noqa: F401

    Path(folder, "macros_here.py").write_text(MACROS)
    Path(folder, "uses_macros.py").write_text(USER)
    sys.path.insert(0, folder)
    try:
        __import__("uses_macros")
    except Exception as error:
        print(type(error).__name__, error)


def rewritten(filename):
    return filename.endswith(("macros_here.py", "uses_macros.py"))
