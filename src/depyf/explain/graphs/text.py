"""Graphs as Python functions to read: the user's line after each operation, no bookkeeping of torch.fx.

Works on text alone: torch may have changed the graph since, or have thrown it away.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field

from ..for_reading.edits import FunctionText
from ..model import Node
from ..names import file_name, stable, without_addresses

__all__ = ["GraphText", "source_of"]

_FREES = re.compile(r";  (?:\w+ = )+None(?=\s*(?:#.*)?$)", re.MULTILINE)
_ASSIGNED = re.compile(r"^    (\w+) = ")
_OF_PROGRAM = re.compile(r"[LG]__[a-zA-Z]\w*$")  # up to torch 2.5: the name that Dynamo makes of "L['self'].lin"
_WANT_MODULES = ("autograd_function_apply", "tag_activation_checkpoint")  # operators that look into a graph's module


@dataclass
class GraphText:
    """What the source of a graph is made of.

    Args:
        name: of the function.
        code: what torch.fx generated for the graph's module.
        nodes: all of the graph's, in order.
        inputs: placeholders and what is known of each, in words.
        shapes: ``f32[10, 3]`` of each node, by its name; "" where that is not known.
        attributes: what the graph reads from its module.
        children: graphs in attributes of the module, by attribute.
    """

    name: str
    code: str
    nodes: list[Node]
    inputs: list[tuple[str, str]] = field(default_factory=list)
    shapes: dict[str, str] = field(default_factory=dict)
    attributes: set[str] = field(default_factory=set)
    children: dict[str, GraphText] = field(default_factory=dict)


def source_of(graph: GraphText) -> str:
    """The graph as a function, graphs in it as functions of their own in front."""
    inner = [source_of(child) for child in graph.children.values()]
    return "".join(text + "\n\n" for text in inner) + _readable(graph)


def _readable(graph: GraphText) -> str:
    code = _FREES.sub("", graph.code).strip()
    code = code[code.index("def forward") :] if "def forward" in code else code
    code = re.sub(r"^def forward\(self(?:, )?", f"def {graph.name}(", code)
    text = FunctionText(code)
    _drop_parameter_aliases(text)
    source = stable(text.apply())
    if graph.children or graph.attributes:
        source = _with_self(source, graph)
    return _with_comments(source, graph).rstrip() + "\n"


def _drop_parameter_aliases(text: FunctionText) -> None:
    """`l_a_ = L_a_` goes, and with it the type in the header: the parameter's own name is used below."""
    arguments = text.function.args
    for argument in arguments.args:
        if argument.annotation is not None:
            text.replace(argument, argument.arg)
    parameters = set(text.parameters)
    for statement in text.function.body:
        if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Name):
            break
        target = statement.targets[0]
        if statement.value.id not in parameters or not isinstance(target, ast.Name) or text.stores(target.id) != 1:
            break
        for mention in text.mentions[target.id]:
            if isinstance(mention.ctx, ast.Load):
                text.replace(mention, statement.value.id)
        text.remove([statement])


def _with_self(source: str, graph: GraphText) -> str:
    """Gives the function the `self` it reads its attributes from: inner graphs by name, other things by note."""
    others = sorted(graph.attributes - set(graph.children))
    header, _, body = source.partition("\n")
    form = "as_module({}_{})" if any(name in source for name in _WANT_MODULES) else "{}_{}"
    named = [other for other in others if _OF_PROGRAM.match(other)]
    others = [other for other in others if other not in named]
    parts = [f"{child}={form.format(graph.name, child)}" for child in graph.children]
    parts += [f"{other}=of_program({other!r})" for other in named]
    given = "    self = types.SimpleNamespace({})".format(", ".join(parts))
    if others:
        given += "  # of the module that holds the graph, not on this page: {}".format(", ".join(others))
    return header + "\n" + given + "\n" + body


def _with_comments(source: str, graph: GraphText) -> str:
    """The user's line after the first operation which it made, and the shape of every input and operation."""
    lines = source.split("\n")
    by_name = {node.name: node for node in graph.nodes}
    comments: dict[int, tuple[str, str]] = {}
    last: tuple[str, int] = ("", 0)
    for at, text in enumerate(lines):
        target = _ASSIGNED.match(text)  # torch.fx writes one statement a line
        node = by_name.get(target.group(1)) if target is not None else None
        if node is None or node.op == "placeholder":
            continue
        line, where = node.user_line, ""
        if line is not None and (line.filename, line.line) != last:
            where = f"{file_name(line.filename)}:{line.line}  {line.text}"
            last = (line.filename, line.line)
        comments[at] = (graph.shapes.get(node.name, ""), where)
    width = max([len(lines[at]) for at in comments if len(lines[at]) < 72] or [0])
    column = max([len(shape) for shape, _ in comments.values() if len(shape) < 24] or [0])
    for at, (shape, where) in comments.items():
        if shape or where:
            comment = "{:<{}}  {}".format(shape, column, where).rstrip()
            lines[at] = "{:<{}}  # {}".format(lines[at], width, without_addresses(comment))
    inputs = [f"    # {name}: {words}" for name, words in graph.inputs if words]
    return "\n".join(lines[:1] + inputs + lines[1:])
