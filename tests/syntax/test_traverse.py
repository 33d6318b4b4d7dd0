"""Walking and rewriting trees."""

from __future__ import annotations

import pytest

from depyf.decompiler.syntax import nodes as n


def test_walk_gives_parents_first_in_the_order_of_the_text() -> None:
    tree = n.If(n.Name("a"), [n.Expr(n.Name("b"))], [n.Expr(n.Name("c"))])
    assert [node.id for node in n.walk(tree) if isinstance(node, n.Name)] == ["a", "b", "c"]
    assert next(n.walk(tree)) is tree
    assert len(list(n.walk([tree, tree]))) == 12


def test_rewrite_replaces_children_before_parents() -> None:
    def fold(node: n.Node) -> n.Node:
        if isinstance(node, n.BinOp) and isinstance(node.left, n.Constant) and isinstance(node.right, n.Constant):
            return n.Constant(node.left.value + node.right.value)  # type: ignore[operator]
        return node

    tree = n.BinOp(n.BinOp(n.Constant(1), "+", n.Constant(2)), "+", n.Constant(3))
    assert n.rewrite(tree, fold) == n.Constant(6)


def test_rewrite_splices_and_removes_in_lists() -> None:
    def change(node: n.Node) -> object:
        if isinstance(node, n.Pass):
            return None
        if isinstance(node, n.Break):
            return [n.Expr(n.Name("x")), n.Continue()]
        return node

    tree = n.While(n.Name("a"), [n.Pass(), n.Break()])
    body = tree.body
    n.rewrite(tree, change)  # type: ignore[arg-type]
    assert tree.body is body
    assert body == [n.Expr(n.Name("x")), n.Continue()]


def test_rewrite_refuses_to_remove_what_is_not_in_a_list() -> None:
    with pytest.raises(TypeError, match="must be replaced by a node"):
        n.rewrite(n.Expr(n.Name("x")), lambda node: None if isinstance(node, n.Name) else node)


def test_rewrite_bodies_goes_inside_out_and_leaves_skipped_classes_alone() -> None:
    inner = n.If(n.Name("a"), [n.Pass()], [n.Break()])
    handler = n.ExceptHandler(None, None, [n.Continue()])
    definition = n.FunctionDef("f", n.arguments(), [n.Return()])
    body: list[n.Statement] = [inner, n.Try([definition], [handler])]
    seen: list[list[n.Statement]] = []
    n.rewrite_bodies(body, seen.append, (n.FunctionDef,))
    assert seen[-1] is body
    assert inner.body in seen and inner.orelse in seen and handler.body in seen
    assert definition.body not in seen


def test_long_chains_need_no_recursion() -> None:
    body: list[n.Statement] = [n.Pass()]
    for _ in range(5000):
        body = [n.If(n.Name("a"), [n.Pass()], body)]
    assert len(list(n.bodies(body))) == 10_001
    assert sum(isinstance(node, n.If) for node in n.walk(body)) == 5000
