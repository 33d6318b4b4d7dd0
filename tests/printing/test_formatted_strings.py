"""f-strings that Python 3.8 can read, whatever is in their braces."""

from __future__ import annotations

import ast

import pytest
from syntax_from_ast import comparable, from_ast

from depyf.decompiler.printing.printer import PrintError, print_tree
from depyf.decompiler.syntax import nodes as n
from depyf.decompiler.syntax.grammar import Grammar

x = n.Name("x")


def braces(value: n.Expression, conversion: int = -1, spec: n.Expression | None = None) -> n.FormattedValue:
    return n.FormattedValue(value, conversion, spec)


def item(key: object) -> n.Expression:
    return n.Subscript(x, n.Constant(key))


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (n.JoinedStr([]), "f''"),
        (n.JoinedStr([n.Constant("a{b}"), braces(x)]), "f'a{{b}}{x}'"),
        (braces(x), "f'{x}'"),
        (n.JoinedStr([braces(x, ord("r"), n.JoinedStr([n.Constant(">"), braces(n.Name("w"))]))]), "f'{x!r:>{w}}'"),
        (n.JoinedStr([braces(x, -1, n.Constant("02d"))]), "f'{x:02d}'"),
        (n.JoinedStr([braces(item("a"))]), "f'{x[\"a\"]}'"),
        (n.JoinedStr([n.Constant("it's "), braces(x)]), 'f"it\'s {x}"'),
        (n.JoinedStr([n.Constant("it's "), braces(item("a"))]), "f\"it's {x['a']}\""),
        (n.JoinedStr([n.Constant("\n"), braces(x)]), "f'\\n{x}'"),
        (n.JoinedStr([braces(n.Call(n.Attribute(n.Constant("\n"), "join"), [x]))]), "f\"\"\"{'''\n'''.join(x)}\"\"\""),
        (n.JoinedStr([braces(n.Lambda(n.arguments(), x))]), "f'{(lambda: x)}'"),
        (n.JoinedStr([braces(n.Set([x]))]), "f'{ {x}}'"),
        (n.JoinedStr([braces(n.NamedExpr(x, n.Constant(1)))]), "f'{(x := 1)}'"),
        (n.TemplateStr([n.Interpolation(x, " x ", ord("r"))]), "t'{ x !r}'"),
    ],
)
def test_node_has_text(node: n.Node, text: str) -> None:
    assert print_tree(node) == text


@pytest.mark.parametrize(
    "node",
    [
        item("it's"),
        item('say "a"'),
        n.JoinedStr([braces(item("a"))]),
        n.JoinedStr([n.Constant("it's "), braces(n.JoinedStr([braces(item("a"))]))]),
        n.Call(n.Attribute(n.Constant("\n'"), "join"), [n.Subscript(x, n.Constant("list"))]),
    ],
)
def test_any_quotes_in_braces_can_be_read(node: n.Expression) -> None:
    values = {"it's": "one", 'say "a"': "two", "a": "three", "list": ["four", "five"]}
    text = print_tree(n.JoinedStr([n.Constant('"'), braces(node)]))
    assert eval(text, {"x": values}) == '"' + eval(print_tree(node), {"x": values})


SOURCES = [
    "f'{x!s:{y}.{z!r}}'",
    "f'{x:%H:%M}' 'tail'",
    'f\'{a["b"]}{c["""d"""]}\'',
    "f'{a if b else c}{a, b}{[i for i in j]}{d!r:>{w}}'",
    "f'''{a['b']}\n{c[\"d\"]}\n{f\"{e}\"}\nsome text that is long enough to be several lines {{}}'''",
    "f'{x}' f\"{y['k']}\" '{z}'",
    "f'{(lambda: 1)()}{ {1: 2}[1]}'",
    "f'\\N{EM DASH}{x}\\\\N{{}}'",
    "f'{x == y}{x != y}'",
    "f'{x=}'",
    "f\"{f'{x!r}'}\"",
]


@pytest.mark.parametrize("source", SOURCES)
def test_round_trip(source: str) -> None:
    assert comparable(print_tree(from_ast(ast.parse(source)))) == comparable(source)


@pytest.mark.parametrize(
    "node",
    [
        n.JoinedStr([braces(item("\\"))]),
        n.JoinedStr([braces(item("\0"))]),
        n.JoinedStr([braces(item("'''\"\"\""))]),
    ],
)
def test_what_only_newer_versions_read_is_an_error_unless_allowed(node: n.Node) -> None:
    with pytest.raises(PrintError, match=r"3\.11"):
        print_tree(node)
    assert print_tree(node, grammar=Grammar(nested_quotes=True)).startswith("f'{x[")


@pytest.mark.parametrize(
    "node",
    [
        n.JoinedStr([x]),
        n.JoinedStr([n.Constant(1)]),
        n.JoinedStr([braces(x, ord("x"))]),
        n.JoinedStr([braces(x, -1, n.Constant("{"))]),
    ],
)
def test_what_is_no_formatted_string_is_an_error(node: n.Node) -> None:
    with pytest.raises(PrintError):
        print_tree(node, grammar=Grammar(nested_quotes=True))
