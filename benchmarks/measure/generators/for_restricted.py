"""RestrictedPython: statements, functions and expressions as its policy rewrites them."""

from __future__ import annotations

from RestrictedPython import compile_restricted_eval, compile_restricted_exec, compile_restricted_function
from RestrictedPython.transformer import RestrictingNodeTransformer

SOURCE = """
import math
from os import path as p
x = [a.b for a in items if a.c[0]]
x[1:2], y.z, (q, *r) = w
for i, (j, k) in pairs: print(i, j, k)
else: del x[0]
def f(a, b=1, *c, d=2, **e):
    global g
    g = a.attribute[b] + c[d:]
    e.update(**e)
    with open(a) as (h, l), b: print(h)
    return lambda m, *n: m.o(*n, **e)
class K(Base):
    attribute = 1
    def method(self, a): self.a = a; self.a.b[c] = 2; return self
try: f(1)(2)
except (ValueError, p.E) as error: error.args
finally: y += 1
while x: x = {k: v for k, v in z} or {s for s in t} or list(u for u in v)
assert x if y else z, not x
d = {"a": 1, **{}}; a, b = b, a; r = yielded = f"{x.y!r:>{w}}"
if (n := len(x)) > 3: pass
elif x[0][1].y < 3 != 4: print("%s" % x, end="")
def generator():
    yield x.y
    z = yield
    return z
"""
EXPRESSIONS = ["a.b[c](d, *e, **f)", "lambda a, (b): 1", "lambda a: a.b", "[a for b, c in d for a in b.e if c[0]]", "a if b else c",
               "-a + ~b * c ** d // e", "a and b or not c", "a < b <= c", "{a: b, **c}", "f'{a.b}'", "a[b:c, d]"]  # fmt: skip


class Own(RestrictingNodeTransformer):
    """As Zope's policies, it lets annotations and assignments to attributes through."""

    def visit_AnnAssign(self, node):
        return self.node_contents_visit(node)


def generate(folder):
    found = [compile_restricted_exec(SOURCE), compile_restricted_exec(SOURCE + "v: int = 1\n", policy=Own)]
    found += [compile_restricted_exec(part) for part in pieces()]
    found += [compile_restricted_eval(one) for one in EXPRESSIONS]
    found.append(compile_restricted_function("a, b=1, *c", "for i in c: print(i.j)\nreturn a.b[c]", "made", globalize=["g"]))
    return [one.code for one in found if one.code is not None]


def pieces():
    import ast

    for node in ast.parse(SOURCE).body:
        yield "\n".join(SOURCE.splitlines()[node.lineno - 1 : node.end_lineno])
