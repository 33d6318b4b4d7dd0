"""Short text with names that say something: what is left out, merged and named, and what must not be."""

from __future__ import annotations

import types
import weakref
from typing import Any, Callable

import pytest
from one_engine import analyze

from depyf.decompiler.bytecode import load
from depyf.decompiler.names.dynamo import DYNAMO_HINTS
from depyf.decompiler.printing.printer import print_tree
from depyf.decompiler.syntax import nodes as n
from depyf.decompiler.unstructured import decompile_unstructured
from depyf.decompiler.unstructured.copies import drop_copies
from depyf.decompiler.unstructured.shorten import shorten


def with_names(function: Callable[..., Any], new: dict[str, str]) -> types.CodeType:
    """The code of ``function`` with other names for its local variables."""
    code = function.__code__
    return code.replace(co_varnames=tuple(new.get(name, name) for name in code.co_varnames))


def text_of(function: Callable[..., Any], **new: str) -> str:
    result = analyze(with_names(function, new))
    assert result.verdict.proven, (result.text, result.verdict.describe())
    assert not result.verdict.held, (result.text, result.verdict.describe())
    return result.text


def test_a_made_up_variable_goes_where_its_value_is_used_once():
    def f(a):
        t = a.enter
        u = t()
        del t
        return u[0]

    assert text_of(f, t="tmp_1", u="graph_out_0") == "def f(a):\n    return a.enter()[0]\n"
    assert "t = a.enter\n" in text_of(f)  # a name that somebody chose stays


def test_a_made_up_variable_keeps_alive_what_a_callee_has_a_weak_reference_to():
    def f(a, g):
        t = a.register
        u = a.stream(1)
        t(u, a.first)
        return g(a)

    class Events:
        def register(self, *objects):
            self.registered = [weakref.ref(one) for one in objects]

        def stream(self, number):
            return Events()

    text = text_of(f, t="tmp_1", u="tmp_2")
    names = {}
    exec(text, names)
    events = Events()
    events.first = Events()
    assert all(names["f"](events, lambda events: [one() is not None for one in events.registered]))


def test_a_made_up_variable_that_is_used_again_gets_a_name():
    def f(a, g):
        t = a["weight"]
        g(t)
        return t

    assert text_of(f, t="tmp_1") == "def f(a, g):\n    weight = a['weight']\n    g(weight)\n    return weight\n"


def test_variables_of_the_same_kind_are_told_apart():
    def f(net, g):
        t = net["norm"].p
        u = net["out"].p
        g(t["w"], t["b"])
        return g(u["w"], t["w"], t["w"])

    text = text_of(f, t="tmp_1", u="tmp_2")
    assert "norm_p" in text and "out_p" in text


def test_a_variable_of_ours_hides_no_builtin():
    def f(a, g):
        t = a.__dict__
        g(t)
        return t

    assert "dict_ = a.__dict__\n" in text_of(f, t="tmp_1")


def test_a_list_that_contains_itself():
    def f(a, g):
        t = [a]
        t += [t, 1]
        g(t)
        return t

    text = text_of(f, t="tmp_1")
    assert "+= [items, 1]\n" in text


def test_a_made_up_variable_that_may_be_unbound_stays():
    def f(a, g):
        if a:
            t = g()
        return t

    assert text_of(f, t="tmp_1").endswith("        tmp_1 = g()\n    return tmp_1\n")


def test_both_arms_of_a_branch_give_a_made_up_variable_its_value():
    def f(a, g):
        t = None
        if a:
            t = g.enter()
        g(1)
        return t

    text = text_of(f, t="tmp_1")
    assert "probe = g.enter() if a else None\n" in text


def test_a_conditional_expression_stands_where_it_is_used_if_nothing_happens_before():
    def f(a, g):
        t = None if a is None else a.x
        return g(a, t)

    def h(a, g):
        t = None if a is None else a.x
        return g(a.y, t)

    assert text_of(f, t="tmp_1") == "def f(a, g):\n    return g(a, None if a is None else a.x)\n"
    assert "x = None if a is None else a.x\n    return g(a.y, x)\n" in text_of(h, t="tmp_1").replace("tmp", "x")


def test_a_test_and_another_value():
    def f(a, g):
        t = g(a) and g(1)
        g(2)
        return t

    def h(a, g):
        t = g(a) or g(1) or a
        return g(t, t)

    assert "= g(a) and g(1)\n" in text_of(f, t="tmp_1")
    assert "= g(a) or g(1) or a\n" in text_of(h, t="tmp_1")


def test_keys_and_values():
    def f(a, g):
        for k, v in a.items():
            g(k, v)

    assert "for key, value in a.items():\n" in text_of(f, k="tmp_1", v="tmp_2")


def test_a_variable_of_ours_is_deleted_where_the_original_has_let_go():
    def f(a, g):
        t = g(a)
        u = t[0], t[1]
        del t
        return g(g(u[1]), u[0]) if u[0] else g(2)

    lines = text_of(f, t="graph_out_0", u="tmp_1").splitlines()
    assert [line.strip() for line in lines[2:]] == [
        "item, item_1 = result[0], result[1]",
        "del result",
        "return g(g(item_1), item) if item else g(2)",
    ]


def test_items_are_named_by_those_who_know():
    def f(a, g):
        t = h(a)  # noqa: F821
        u, v = t[0], t[1]
        del t
        return g(u, u, v, v)

    code = with_names(f, {"t": "graph_out_0", "u": "tmp_1", "v": "tmp_2"})

    def text_with(names: dict[str, list[str]]) -> str:
        return decompile_unstructured(load(code), carries=True, result_names=names, naming=DYNAMO_HINTS).text

    assert "    item, item_1 = result[0], result[1]\n" in text_with({})
    text = text_with({"h": ["lt", "x"]})
    assert "    lt, x = result[0], result[1]\n    del result\n    return g(lt, lt, x, x)\n" in text


def lines(text: str) -> list[n.Statement]:
    """Assignments ``t = u`` and deletions, a calculus small enough to write by hand."""
    body: list[n.Statement] = []
    for line in text.split("; "):
        if line.startswith("del "):
            body.append(n.Delete([n.Name(name) for name in line[4:].split(", ")]))
        elif "+=" in line:
            target, _, value = line.partition(" += ")
            body.append(n.AugAssign(n.Name(target), "+", n.Name(value)))
        elif "=" in line:
            target, _, value = line.partition(" = ")
            owner, _, attribute = value.partition(".")
            call = attribute.endswith("()")
            expression: n.Expression = n.Name(owner)
            if attribute:
                expression = n.Attribute(expression, attribute.rstrip("()"))
            name, _, attribute = target.partition(".")
            place: n.Expression = n.Attribute(n.Name(name), attribute) if attribute else n.Name(name)
            body.append(n.Assign([place], n.Call(expression) if call else expression))
        else:
            body.append(n.Return(n.Name(line)))
    return body


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("del a; del b", "del a, b"),
        ("t = x.a; u = x.b; x", "t, u = x.a, x.b; return x"),
        ("t = x.a; u = t.b; x", "t = x.a; u = t.b; return x"),  # the second needs the first
        ("t = x.a(); u = x.b; x", "t = x.a(); u = x.b; return x"),  # a call has a line of its own
        ("y = x.a; u = x.b; x", "y = x.a; u = x.b; return x"),  # a variable of the original
        ("t = x.a; t = x.b; x", "t = x.a; t = x.b; return x"),
        ("t = x.a(); t", "return x.a()"),
        ("t = x; t += y; x = t; del t; x", "x += y; return x"),
        ("t = x.a; t += y; x.a = t; x", "x.a += y; return x"),
        ("t = x.a(); t += y; x = t; x", "t = x.a(); t += y; x = t; return x"),
        ("t = x; t += y; x = t; t", "t = x; t += y; x = t; return t"),
    ],
)
def test_statements_are_merged(before: str, after: str):
    body = lines(before)
    shorten(body, {"t", "u"})
    assert print_tree(body).strip().replace("\n", "; ") == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("t = p.a(); y = t; y", "y = p.a(); return y"),
        ("t = p.a(); u = p.b(); y = t; y", "y = p.a(); u = p.b(); return y"),
        ("y = p.b(); t = p.a(); u = y; y = t; y", "y = p.b(); t = p.a(); u = y; y = t; return y"),  # y is needed before
        ("t = p.a(); p = t; p", "t = p.a(); p = t; return p"),  # a parameter
        ("t = p.a(); y = t; t", "t = p.a(); return t"),  # nothing reads y
        ("t = p.a(); y = t; del y; t", "y = p.a(); del y; return y"),
    ],
)
def test_copies_are_left_out(before: str, after: str):
    body = lines(before)
    drop_copies(body, {"t", "u"}, {"p"})
    assert print_tree(body).strip().replace("\n", "; ") == after
