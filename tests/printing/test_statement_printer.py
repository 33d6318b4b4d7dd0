"""Statements as text."""

from __future__ import annotations

import ast

import pytest
from syntax_from_ast import from_ast

from depyf.decompiler.printing.printer import PrintError, print_tree, print_with_lines
from depyf.decompiler.syntax import nodes as n

x, y, z = n.Name("x"), n.Name("y"), n.Name("z")
one = n.Constant(1)

# Separated by lines of dashes; each is printed as it stands.
AS_IT_STANDS = '''
"""A module."""

import a
import a.b as c
from . import d
from ..e import f as g, h
from i import *

j = 1


@decorator
@other(1)
class K(L, metaclass=M):
    """A class."""

    n: int
    o: int = 1
    (p): int
    q.r: 's' = 2

    def t(self, /, u: int = 1, *v, w=2, **x: str) -> None:
        """A method."""
        return

    async def y(self):
        pass


class Z:
    def a(self):
        def b():
            pass

        return b
----
if a:
    pass
elif b:
    pass
elif c:
    pass
else:
    pass
----
if a:
    pass
else:
    if b:
        pass
    c
----
while (a, b):
    break
else:
    continue
----
if x := f():
    pass
while x := f():
    pass
(x := f())
x = (y := 1)
----
for a, (b, *c) in d:
    pass
else:
    pass
for a in (b, c):
    pass
for a[b] in c or d:
    pass
----
try:
    pass
except:
    pass
----
try:
    pass
except (A, B) as c:
    pass
except D:
    raise
else:
    pass
finally:
    pass
----
with a, b as c, d as (e, f):
    pass
with (a, b) as c:
    pass
with ((a, b)):
    pass
with (yield):
    pass
----
a = b = c
a, b = b, a
a = (b, c)
(a,) = b
[a, b] = c, d
*a, b = c
a.b = c[d] = e
a += b, c
a **= 2
a = yield
a = yield b, c
a = yield from b
a, b = yield c
----
def f():
    global a, b
    del a, b[c], d.e
    assert a
    assert a, 'b'
    raise
    raise A
    raise A from b
    return (yield)
    return (a, *b)
    return (a,)
    return ()
    yield
    yield a, b
    yield from a
    nonlocal c
    'not a docstring'
----
async def f():
    async for a in b:
        pass
    async with a as b, c:
        pass
    await a
    return [await b async for c in d]
'''


@pytest.mark.parametrize("text", [text.strip("\n") + "\n" for text in AS_IT_STANDS.split("----")])
def test_text_is_printed_as_it_stands(text: str) -> None:
    # These two differ from the text on purpose: a person would write them so, the printer is more careful.
    expected = text.replace("a += b, c", "a += (b, c)")
    assert print_tree(from_ast(ast.parse(text))) == expected


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (
            n.TryStar([n.Pass()], [n.ExceptHandler(x, "e", [n.Pass()])]),
            "try:\n    pass\nexcept* x as e:\n    pass\n",
        ),
        (
            n.FunctionDef(
                "f",
                n.arguments(),
                [n.Pass()],
                type_params=[n.TypeVar("T", x, y), n.TypeVarTuple("U"), n.ParamSpec("P", z)],
            ),
            "def f[T: x = y, *U, **P = z]():\n    pass\n",
        ),
        (n.ClassDef("C", type_params=[n.TypeVar("T")]), "class C[T]:\n    pass\n"),
        (n.TypeAlias(x, [n.TypeVar("T")], y), "type x[T] = y\n"),
        (n.Import([n.alias("a")], 1), "lazy import a\n"),
        (n.ImportFrom(None, [n.alias("a", "b")], 2), "from .. import a as b\n"),
        (n.If(x), "if x:\n    pass\n"),
        (n.Raw("a\n\n  b", line=1), "a\n\n  b\n"),
        (n.If(x, [n.Raw("a\n  b")]), "if x:\n    a\n      b\n"),
        (n.AnnAssign(x, y, n.Yield(z)), "x: y = yield z\n"),
    ],
)
def test_node_has_text(node: n.Node, text: str) -> None:
    assert print_tree(node) == text


PATTERNS = [
    (n.MatchValue(n.Constant(-1)), "-1"),
    (n.MatchValue(n.Attribute(x, "a")), "x.a"),
    (n.MatchValue(n.Constant("a " * 60)), repr("a " * 60)),
    (n.MatchSingleton(None), "None"),
    (n.MatchAs(), "_"),
    (n.MatchAs(None, "a"), "a"),
    (n.MatchAs(n.MatchOr([n.MatchValue(one), n.MatchAs()]), "a"), "1 | _ as a"),
    (n.MatchOr([n.MatchAs(n.MatchValue(one), "a"), n.MatchSequence([])]), "(1 as a) | []"),
    (n.MatchOr([n.MatchOr([n.MatchAs(), n.MatchAs()]), n.MatchAs()]), "(_ | _) | _"),
    (n.MatchSequence([n.MatchAs(None, "a"), n.MatchStar("b"), n.MatchStar()]), "[a, *b, *_]"),
    (n.MatchMapping([one, n.Attribute(x, "a")], [n.MatchAs(), n.MatchAs()], "r"), "{1: _, x.a: _, **r}"),
    (n.MatchClass(x, [n.MatchAs()], ["k"], [n.MatchValue(one)]), "x(_, k=1)"),
]


@pytest.mark.parametrize(("pattern", "text"), PATTERNS)
def test_pattern_has_text(pattern: n.pattern, text: str) -> None:
    assert print_tree(pattern) == text
    tree = n.Match(n.Tuple([x, y]), [n.match_case(pattern, z, [n.Break()])])
    assert print_tree(tree) == f"match (x, y):\n    case {text} if z:\n        break\n"


def test_comments_stand_above_their_statement() -> None:
    first = n.FunctionDef("f", n.arguments(), [n.Return(one)], [x])
    first.comments.append("about f")
    inner = n.If(y, [n.Pass()])
    inner.comments.append("two\n\nlines")
    tree: list[n.Statement] = [first, n.If(x, [n.Pass()], [inner])]
    assert print_tree(tree) == (
        "# about f\n@x\ndef f():\n    return 1\n\n\nif x:\n    pass\n# two\n#\n# lines\nelif y:\n    pass\n"
    )


def test_a_comment_has_no_end_but_that_of_its_line() -> None:
    statement = n.Pass()
    statement.comments.append("a\rb\x0cc\x00d\u2028e\ud800 and \u00e9")
    assert print_tree([statement]) == "# a\\rb\\x0cc\\x00d\\u2028e\\ud800 and \u00e9\npass\n"


def test_lines_are_those_of_the_statements() -> None:
    body = n.Expr(n.Call(n.Name("long"), [n.Name("argument" * 3), n.Name("argument" * 3)]), line=8)
    tree = n.Module(
        [
            n.FunctionDef("f", n.arguments(), [body, n.Return(one)], [x], line=5),
            n.If(x, [n.Pass(line=12)], [n.If(y, [n.Pass(line=14)], line=13)], line=11),
        ]
    )
    text, lines = print_with_lines(tree, width=40)
    by_line = {number: text.splitlines()[number - 1].strip() for number in lines}
    assert [(by_line[number], lines[number]) for number in sorted(lines)] == [
        ("@x", 5),
        ("def f():", 5),
        ("long(", 8),
        ("argument" * 3 + ",", 8),
        ("argument" * 3 + ",", 8),
        (")", 8),
        ("if x:", 11),
        ("pass", 12),
        ("elif y:", 13),
        ("pass", 14),
    ]


def test_lines_count_those_within_strings() -> None:
    text, lines = print_with_lines(
        [
            n.Expr(n.Constant("Doc.\n\nMore."), line=1),
            n.Assign([x], n.Constant("several\n" * 10), line=2),
            n.Pass(line=3),
        ]
    )
    assert text.splitlines()[max(lines) - 1] == "pass"
    assert [number for number, line in lines.items() if line == 1] == [1, 2, 3]
    assert [number for number, line in lines.items() if line == 3] == [len(text.splitlines())]


def test_long_chains_of_elif_need_no_recursion() -> None:
    node = n.If(x, [n.Pass()])
    for _ in range(3000):
        node = n.If(x, [n.Pass()], [node])
    assert print_tree(node).count("elif x:") == 3000


@pytest.mark.parametrize("node", [n.ExceptHandler(), n.Module([n.keyword("a", x)])])  # type: ignore[list-item]
def test_what_is_no_statement_is_an_error(node: n.Node) -> None:
    with pytest.raises(PrintError):
        print_tree(node)
