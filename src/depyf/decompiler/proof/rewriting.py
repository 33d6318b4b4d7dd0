"""What is changed in the tree of a text before it is compiled, since the original was not compiled from text.

Needs only the standard library of CPython 3.7 to 3.15: other versions' compilers load it (compile_worker.py).
"""

from __future__ import annotations

import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

if TYPE_CHECKING or __package__:
    from .pytest_asserts import rewrite_module
else:
    from pytest_asserts import rewrite_module


def rewrite(tree: Any, request: dict[str, Any]) -> None:
    """Change ``tree`` as the ``asserts`` and ``slices`` of ``request`` say (see ``compile_request``)."""
    if request.get("asserts"):
        rewrite_module(tree, **request["asserts"])
    if request.get("slices"):
        _BuildSlices().visit(tree)


class _BuildSlices(ast.NodeTransformer):
    """Replaces calls of ``slice`` by slices."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        plain = isinstance(node.func, ast.Name) and node.func.id == "slice" and not node.keywords
        if not plain or len(node.args) not in (2, 3) or not issubclass(ast.Slice, ast.expr):  # a node of its own in 3.8
            return node
        return ast.copy_location(ast.Slice(*node.args), node)
