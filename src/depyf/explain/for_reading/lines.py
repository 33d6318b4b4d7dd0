"""Statements of a text, each in lines of its own, and in one where it fits."""

from __future__ import annotations

import ast
import re

from ...decompiler.proof.compile_worker import syntax_tree
from .edits import FunctionText

__all__ = ["in_one_line", "one_by_one"]

_LINE = 100
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def one_by_one(source: str) -> str:
    """`a, b = x, y` as two assignments, where neither value has the names: the recognisers look at single ones."""
    try:
        text = FunctionText(source)
    except (SyntaxError, ValueError):
        return source
    for statement in text.statements:
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            continue
        target, value = statement.targets[0], statement.value
        if not isinstance(target, ast.Tuple) or not isinstance(value, ast.Tuple) or len(target.elts) != len(value.elts):
            continue
        names = {node.id for node in target.elts if isinstance(node, ast.Name)}
        read = {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
        if len(names) == len(target.elts) and not names & read:
            pairs = zip(target.elts, value.elts)
            lines = [f"{text.text(name)} = {text.text(part)}" for name, part in pairs]
            text.replace(statement, ("\n" + " " * statement.col_offset).join(lines))
    return text.apply()


def in_one_line(source: str) -> str:
    """The text with each statement, or beginning of a function, in one line that has become short enough."""
    lines = source.split("\n")
    statements = [node for node in ast.walk(syntax_tree(source)) if isinstance(node, ast.stmt)]
    for one in sorted(statements, key=lambda node: -node.lineno):
        if hasattr(one, "body") and not isinstance(one, _FUNCTIONS):
            continue
        last = one.body[0].lineno - 1 if isinstance(one, _FUNCTIONS) else one.end_lineno
        part = lines[one.lineno - 1 : last]
        words = "\n".join([*part[:1], *(line.strip() for line in part[1:])])
        if len(part) < 2 or len(words) > _LINE + 2 * len(part) or "#" in words:
            continue
        for line in (re.sub(r",\n(?=[\]})])", "", words), words):  # the comma of a tuple of one item stays
            line = re.sub(r"(?<=[(\[{])\n|\n(?=[)\]}])", "", line).replace("\n", " ")
            if len(line) <= _LINE and _is_same(one, line.strip()):
                lines[one.lineno - 1 : last] = [line]
                break
    return "\n".join(lines)


def _is_same(statement: ast.stmt, text: str) -> bool:
    try:
        if isinstance(statement, _FUNCTIONS):
            return ast.dump(syntax_tree(f"{text} pass").body[0].args) == ast.dump(statement.args)
        return ast.dump(syntax_tree(text)) == ast.dump(ast.Module([statement], type_ignores=[]))
    except SyntaxError:
        return False
