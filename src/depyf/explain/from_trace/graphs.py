"""The text of a captured graph -> its operations and their lines.

`GraphModule.print_readable` writes one line of code for each operation, and above those of one line of the program a
comment (`torch/fx/graph.py`, `append_stacktrace_summary`): ``# File: train.py:12 in step, code: y = x.sin()``.
"""

from __future__ import annotations

import ast
import builtins
import re
from typing import Any

from ..guards.words import NO_CODE
from ..model import Graph, Node, SourceLine

__all__ = ["graph_from_text"]

_COMMENT = re.compile(r"^ *#")
_FILE = re.compile(r"(?P<file>.+?):(?P<line>\d{1,7}) in (?P<function>.+)$")
_LONGEST = 5000  # characters of a line that is parsed: Python's parser takes much stack for deep code
_NO_LINE = re.compile(r"^ *# *(?:No stacktrace found for following nodes)? *$")
_NAMED = re.compile(r"^ {8}(?P<name>\w+)(?:: \"[^\"]*\")? = ")
_INNER = re.compile(r"^    class ")  # the graphs of branches, after the one that calls them
_NUMBER = re.compile(r"_\d+$")
_FROM = ("torch.", "operator.", "_operator.", "math.", "builtins.")  # else what is before the name is a value
_OPERATORS: dict[Any, str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.MatMult: "matmul", ast.LShift: "lshift", ast.RShift: "rshift", ast.BitAnd: "and_",
    ast.BitOr: "or_", ast.BitXor: "xor", ast.Invert: "invert", ast.USub: "neg", ast.UAdd: "pos",
    ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne",
}  # fmt: skip
"""How torch.fx writes calls of functions of `operator`: `magic_methods` there, and `inplace_methods`."""


def graph_from_text(name: str, text: str) -> Graph:
    """The graph `name` from the payload of ``dynamo_output_graph``. Inputs and outputs are left out."""
    graph = Graph(name, unavailable="it was read from a log")
    line: SourceLine | None = None
    for at, one in enumerate(text.split("\n")):
        if at and _INNER.match(one):
            break
        if _COMMENT.match(one):
            place = _place(one)
            line = place or (None if _NO_LINE.match(one) else line)
        else:
            node = _node(one, line)
            graph.nodes += [node] if node is not None else []
    return graph


def _place(comment: str) -> SourceLine | None:
    """The line of the program that a comment names."""
    before, found, rest = comment.partition("File: ")
    head, code, text = rest.partition(", code:")
    place = _FILE.match(head) if found and code and before.endswith(("#", " ")) else None
    if place is None:
        return None
    return SourceLine(place["file"].strip(), int(place["line"]), text.strip(), place["function"])


def _node(text: str, line: SourceLine | None) -> Node | None:
    body: list[Any]
    try:
        if len(text) > _LONGEST:
            raise ValueError("too long")
        body = ast.parse(text.strip()).body
    except NO_CODE:  # a constant that has no literal, or deep code
        named = _NAMED.match(text)
        return Node("call_function", named["name"], _without_number(named["name"]), line) if named is not None else None
    if len(body) > 1 and isinstance(body[0], ast.AugAssign):  # ``x += 1;  iadd = x``
        name = _target(body[1])
        return Node("call_function", name, "operator.i" + _operator(body[0].op, name).rstrip("_"), line)
    if len(body) > 1 and isinstance(body[0], ast.Assign) and isinstance(body[0].targets[0], ast.Subscript):
        return Node("call_function", _target(body[1]), "operator.setitem", line)  # ``x[0] = 3;  setitem = x``
    if not body or not isinstance(body[0], (ast.Assign, ast.AnnAssign)) or not _target(body[0]):
        return None
    value = body[0].value
    if value is None or isinstance(value, (ast.Name, ast.Constant)):
        return None  # a parameter gets another name, or a name is freed
    return _described(_target(body[0]), value, line)


def _target(statement: Any) -> str:
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return targets[0].id if isinstance(targets[0], ast.Name) else ""


def _described(name: str, value: Any, line: SourceLine | None) -> Node:
    if isinstance(value, ast.Call):
        return _call(name, value, line)
    if isinstance(value, (ast.BinOp, ast.UnaryOp)):
        return Node("call_function", name, "operator." + _operator(value.op, name), line)
    if isinstance(value, ast.Compare):
        return Node("call_function", name, "operator." + _operator(value.ops[0], name), line)
    if isinstance(value, ast.Subscript):
        return Node("call_function", name, "operator.getitem", line)
    if isinstance(value, ast.Attribute):
        dotted = _dotted(value)
        if dotted.startswith("self."):
            return Node("get_attr", name, dotted[len("self.") :], line)
        return Node("call_function", name, "getattr", line)
    return Node("call_function", name, _without_number(name), line)


def _call(name: str, call: ast.Call, line: SourceLine | None) -> Node:
    dotted = _dotted(call.func)
    if dotted.startswith("self."):
        return Node("call_module", name, dotted[len("self.") :], line)
    if isinstance(call.func, ast.Attribute) and not dotted.startswith(_FROM):
        return Node("call_method", name, call.func.attr, line)
    if "." in dotted or hasattr(builtins, dotted):
        return Node("call_function", name, dotted, line)
    return Node("call_function", name, _without_number(name), line)  # what fx calls a function of another module


def _operator(operator: Any, name: str) -> str:
    return _OPERATORS.get(type(operator)) or _without_number(name)


def _without_number(name: str) -> str:
    return _NUMBER.sub("", name)


def _dotted(value: Any) -> str:
    parts: list[str] = []
    while isinstance(value, ast.Attribute):
        parts.append(value.attr)
        value = value.value
    return ".".join([value.id, *reversed(parts)]) if isinstance(value, ast.Name) else ""
