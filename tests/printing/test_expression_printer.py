"""Expressions as text: parentheses where they are needed, and only there."""

from __future__ import annotations

import ast

import pytest
from syntax_from_ast import from_ast

from depyf.decompiler.printing.printer import PrintError, print_tree
from depyf.decompiler.syntax import nodes as n

x, y = n.Name("x"), n.Name("y")

# Each of these is printed as it stands.
MINIMAL = """
a + b * c
(a + b) * c
a - (b - c)
a - b - c
a / b * c
a // (b * c)
a ** b ** c
(a ** b) ** c
-a ** b
(-a) ** b
a ** -b
2 ** -1
not a
not (a and b)
not a == b
(not a) == b
-(a + b)
~a.b
- -a
a or b and c
(a or b) and c
a and (b and c)
a < b <= c != d
(a < b) < c
a < (b < c)
a is not b
a not in b
a | b ^ c & d << e + f
(a | b) & c
a if b else c
a if b else c if d else e
(a if b else c) if d else e
a if (b if c else d) else e
(a if b else c) + d
lambda: 0
lambda a, b=1, *c, d, e=2, **f: a
lambda a, /, b, *, c: a
lambda *, a=1: a
(lambda: 0)()
lambda: (yield)
(lambda: a) if b else c
a if b else lambda: c
f(a, *b, c=d, **e)
f(*a, *(b or c))
f(a for a in b)
f((a for a in b), c)
f((yield))
f(a := b)
f((a := b), c)
[(a := b), c]
(a := b) + 1
a.b.c
(1).real
1.5.real
1j.imag
(-1).real
'a'.join(b)
(a + b).c
(await_ + b)[c]
a[b]
a[b, c]
a[b,]
a[()]
a[b:c]
a[:]
a[::b]
a[b:c:d]
a[b + 1:, ::-1, ...]
a[b:c,]
a[b][c](d)
()
(a,)
(a, b)
[a]
[]
{a}
{a: b, **c}
{}
[*a, *b]
{*a, b}
[a for a in b]
[a for a, b in c if d if e for f in g]
[a async for a in b]
{a for a in b}
{a: b for a, b in c}
[a if b else c for d in (e if f else g)]
[a for b in c if (d if e else f)]
[a for b in c if not d]
[(a, b) for c in d]
[lambda: a for b in c]
(a for a in b)
None
True
...
b'a'
1.5
1e+100
1e309
"""


@pytest.mark.parametrize("text", [line for line in MINIMAL.strip().splitlines() if line != "- -a"])
def test_text_is_printed_as_it_stands(text: str) -> None:
    expected = text.replace("[b,]", "[(b,)]").replace("f(*a, *(b or c))", text)
    assert print_tree(from_ast(ast.parse(text, mode="eval").body)) == expected


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (n.UnaryOp("-", n.UnaryOp("-", x)), "--x"),
        (n.Await(x), "await x"),
        (n.Await(n.Await(x)), "await (await x)"),
        (n.BinOp(n.Await(x), "**", y), "await x ** y"),
        (n.Await(n.BinOp(x, "**", y)), "await (x ** y)"),
        (n.Attribute(n.Await(x), "a"), "(await x).a"),
        (n.UnaryOp("-", n.Await(x)), "-await x"),
        (n.Yield(n.Tuple([x, y])), "(yield x, y)"),
        (n.BinOp(n.YieldFrom(x), "+", y), "(yield from x) + y"),
        (n.Set([]), "{*()}"),
        (n.Raw("<anything>"), "<anything>\n"),
        (n.Attribute(n.Raw("__x"), "a"), "__x.a"),
        # Constants that are folded
        (n.BinOp(n.Constant(-1), "**", x), "(-1) ** x"),
        (n.BinOp(x, "**", n.Constant(-1)), "x ** -1"),
        (n.Attribute(n.Constant((1, 2)), "a"), "(1, 2).a"),
        (n.Compare(x, ["in"], [n.Constant(frozenset([3, 1, 2]))]), "x in {1, 2, 3}"),
        (n.Subscript(x, n.Constant((1, 2))), "x[1, 2]"),
        (n.Subscript(x, n.Constant(slice(1, None, -1))), "x[1::-1]"),
        (n.Subscript(x, n.Constant((slice(None, 2), 0))), "x[:2, 0]"),
        (n.BinOp(n.Constant(3 + 4j), "*", x), "(3 + 4j) * x"),
        # Newer syntax
        (n.ListComp(n.Starred(x), [n.comprehension(x, y)]), "[*x for x in y]"),
        (n.DictComp(x, None, [n.comprehension(x, y)]), "{**x for x in y}"),
        (n.Subscript(x, n.Tuple([n.Starred(y), y])), "x[(*y, y)]"),
        (n.Subscript(x, n.Tuple([n.Slice(), n.Starred(y), y])), "x[:, *y, y]"),
        (n.Subscript(x, n.Tuple([n.Starred(y), n.Constant(slice(1, None))])), "x[*y, 1:]"),
    ],
)
def test_node_has_text(node: n.Node, text: str) -> None:
    assert print_tree(node) == text


def test_sums_of_many_terms_need_no_recursion() -> None:
    node: n.Expression = x
    for _ in range(10_000):
        node = n.BinOp(node, "+", y)
    assert print_tree(node, width=10**6) == "x" + " + y" * 10_000


def test_too_deep_nesting_is_an_error_that_says_so() -> None:
    node: n.Expression = x
    for _ in range(100_000):
        node = n.UnaryOp("-", node)
    with pytest.raises(PrintError, match="nested too deeply"):
        print_tree(node)


@pytest.mark.parametrize(
    "node",
    [
        n.BinOp(x, "and", y),
        n.BoolOp("+", [x, y]),
        n.UnaryOp("!", x),
        n.Compare(x, ["<>"], [y]),
        n.Constant(object()),
        n.Constant(compile("0", "", "eval")),
        n.Constant(frozenset()),
        n.Call(n.Pass()),
    ],
)
def test_what_has_no_text_is_an_error(node: n.Node) -> None:
    with pytest.raises(PrintError):
        print_tree(node)
