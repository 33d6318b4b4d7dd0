"""The host's `ast` as our tree: what the round-trip tests print."""

from __future__ import annotations

import ast
from typing import Any

from depyf.decompiler.syntax import nodes

OPERATORS = {
    "Add": "+", "Sub": "-", "Mult": "*", "MatMult": "@", "Div": "/", "Mod": "%", "Pow": "**", "LShift": "<<",
    "RShift": ">>", "BitOr": "|", "BitXor": "^", "BitAnd": "&", "FloorDiv": "//", "And": "and", "Or": "or",
    "Invert": "~", "Not": "not", "UAdd": "+", "USub": "-", "Eq": "==", "NotEq": "!=", "Lt": "<", "LtE": "<=",
    "Gt": ">", "GtE": ">=", "Is": "is", "IsNot": "is not", "In": "in", "NotIn": "not in",
}  # fmt: skip
LEFT_OUT = {"ctx", "kind", "type_comment", "type_ignores"}


def from_ast(node: Any) -> Any:
    """The node of ours for a node of `ast`, and so for lists of them; anything else is itself."""
    if isinstance(node, list):
        return [from_ast(item) for item in node]
    if not isinstance(node, ast.AST):
        return node
    name = type(node).__name__
    if name in OPERATORS:
        return OPERATORS[name]
    if name in ("Index", "ExtSlice"):  # 3.8
        return from_ast(node.value) if name == "Index" else nodes.Tuple(from_ast(node.dims))
    new = getattr(nodes, name)(
        **{field: from_ast(getattr(node, field)) for field in node._fields if field not in LEFT_OUT}
    )
    if isinstance(new, nodes.Statement):
        new.line = getattr(node, "lineno", None)
    return new


def comparable(source: str) -> str:
    """A dump of the tree of a source that is equal for sources that mean the same."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            node.kind = None
    return ast.dump(tree)
