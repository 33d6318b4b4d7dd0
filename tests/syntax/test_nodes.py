"""Nodes: construction, equality, representation."""

from __future__ import annotations

import ast

import pytest

from depyf.decompiler.syntax import nodes as n

NAN = float("nan")


def test_fields_are_those_of_ast_in_their_order() -> None:
    left_out = {"ctx", "kind", "type_comment", "type_ignores"}
    added = {"type_params", "is_lazy", "default_value"}  # by versions newer than the host's
    compared = 0
    for name, ours in vars(n).items():
        theirs = getattr(ast, name, None)
        if not (isinstance(theirs, type) and isinstance(ours, type) and hasattr(theirs, "_fields")):
            continue
        if name in ("Module",) or not ours.fields:
            continue
        expected = tuple(field for field in theirs._fields if field not in left_out)
        own = tuple(field for field in ours.fields if field in expected or field not in added)
        assert sorted(own) == sorted(expected), name
        compared += 1
    assert compared > 50


def test_every_class_of_ast_has_a_node() -> None:
    abstract_or_old = {
        "AST", "Index", "ExtSlice", "Suite", "AugLoad", "AugStore", "Param", "Load", "Store", "Del", "Num", "Str",
        "Bytes", "NameConstant", "Ellipsis", "TypeIgnore", "FunctionType", "Interactive", "Expression",
    }  # fmt: skip
    missing = {
        name
        for name, kind in vars(ast).items()
        if isinstance(kind, type)
        and issubclass(kind, ast.AST)
        and not name.startswith("_")
        and name[0].isupper()
        and kind.__base__ not in (ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.slice)
        and name not in abstract_or_old
        and not hasattr(n, name)
    }
    assert missing == set()


def test_lists_and_optional_fields_default_to_empty() -> None:
    call = n.Call(n.Name("f"))
    assert (call.args, call.keywords) == ([], [])
    assert n.Call(n.Name("f")).args is not call.args
    assert n.Return().value is None
    assert n.arguments().kwonlyargs == []


def test_nodes_are_equal_by_structure_and_class() -> None:
    assert n.Name("x") == n.Name("x")
    assert n.Name("x") != n.Name("y")
    assert n.List([n.Name("x")]) != n.Tuple([n.Name("x")])
    assert n.List([n.Name("x")]) != n.List([n.Name("x"), n.Name("x")])
    assert n.Name("x") != "x"


def test_lines_and_comments_are_not_compared() -> None:
    first, second = n.Return(n.Name("x"), line=1), n.Return(n.Name("x"), line=2)
    second.comments.append("why")
    assert first == second


@pytest.mark.parametrize(
    ("left", "right"),
    [(1, True), (1, 1.0), (0.0, -0.0), ((1,), (True,)), (frozenset([1]), frozenset([1.0])), (0j, -0j), ("a", b"a")],
)  # fmt: skip
def test_constants_that_a_compiler_tells_apart_differ(left: object, right: object) -> None:
    assert n.Constant(left) != n.Constant(right)


@pytest.mark.parametrize("value", [1, NAN, (1, (NAN, -0.0)), frozenset([1, "a"]), ..., None, slice(1, None), 2j])
def test_equal_constants_are_equal(value: object) -> None:
    copy = eval(repr(value), {"nan": float("nan")})
    assert n.Constant(value) == n.Constant(copy)


def test_other_objects_are_equal_only_to_themselves() -> None:
    class Odd:
        def __eq__(self, other: object) -> bool:
            raise AssertionError("must not be asked")

    first, second = Odd(), Odd()
    assert n.Constant(first) == n.Constant(first)
    assert n.Constant(first) != n.Constant(second)


def test_deep_trees_compare_without_recursion() -> None:
    def chain() -> n.Expression:
        node: n.Expression = n.Name("x")
        for _ in range(100_000):
            node = n.Attribute(node, "y")
        return node

    assert chain() == chain()


def test_nodes_are_not_hashable() -> None:
    with pytest.raises(TypeError):
        hash(n.Name("x"))


def test_nodes_have_no_other_attributes() -> None:
    with pytest.raises(AttributeError):
        n.Name("x").ctx = None  # type: ignore[attr-defined]


def test_representation_leaves_out_what_is_empty() -> None:
    assert repr(n.Call(n.Name("f"), [n.Constant(1)])) == "Call(Name('f'), [Constant(1)])"
    assert repr(n.Pass()) == "Pass()"
