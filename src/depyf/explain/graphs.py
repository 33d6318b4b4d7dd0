"""Graphs as Python functions to read: the user's line behind each operation, no bookkeeping of torch.fx."""

from __future__ import annotations

import ast
import re
import types
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

from depyf.explain.code_objects import cell_contents
from depyf.explain.edits import FunctionText
from depyf.explain.graph_globals import global_lines
from depyf.explain.guard_words import user_spelling
from depyf.explain.model import Graph, Node, SourceLine
from depyf.explain.names import file_name, stable, without_addresses
from depyf.explain.torch_behavior import input_source

__all__ = ["find_graph_module", "graph_from_module", "reachable", "result_names", "user_line_of"]

_TRACE_LINE = re.compile(r'^\s*File "(?P<file>.*)", line (?P<line>\d+), in (?P<function>.*)$')
_FREES = re.compile(r";  (?:\w+ = )+None(?=\s*(?:#.*)?$)", re.MULTILINE)
_OF_PROGRAM = re.compile(r"[LG]__[a-zA-Z]\w*$")  # up to torch 2.5: the name that Dynamo makes of "L['self'].lin"
_SHORT_DTYPE = {"float": "f", "bfloat": "bf", "int": "i", "uint": "u", "complex": "c", "bool": "b"}
_WANT_MODULES = ("autograd_function_apply", "tag_activation_checkpoint")  # operators that look into a graph's module
_MOST_OBJECTS = 2000  # a compiled function reaches the whole program sooner or later


def graph_from_module(module: Any, name: str, global_name: str = "") -> Graph:
    """The model of what Dynamo captured.

    Args:
        module: a `torch.fx.GraphModule`.
        name: stable name of the function which calls it (`__compiled_fn_1`).
        global_name: what this process calls that function.

    Never raises for a graph without metadata: it then has no user lines.
    """
    graph = Graph(name=name, global_name=global_name, graph_module=module)
    for node in module.graph.nodes:
        graph.nodes.append(
            Node(
                op=str(node.op),
                name=str(node.name),
                target=_module_words(module, node) if node.op == "call_module" else _target_words(node.target),
                user_line=user_line_of(node),
                module=_module_path(node),
            )
        )
        if node.op == "placeholder":
            graph.placeholders.append(str(node.target))
    graph.source = _function_source(module, name, graph)
    graph.global_lines = global_lines(module)
    return graph


def find_graph_module(function: Any) -> Any:
    """The graph which Dynamo captured, from the function its backend made of it; None when it is out of reach.

    A backend may return the graph's own `forward`, or a function which holds it in a closure or an attribute: AOT
    Autograd's keeps bound methods of the original module. The walk is breadth first and takes the first graph with
    Dynamo's `compile_subgraph_reason`, else the first graph of all.
    """
    first = None
    for found in reachable(function):
        if _is_graph_module(found):
            if hasattr(found, "compile_subgraph_reason"):
                return found
            first = first or found
    return first


def result_names(graph: Graph) -> List[str]:
    """Names of what the graph returns, one per result, in order; empty when it returns no plain tuple of names."""
    try:
        functions = [s for s in ast.parse(graph.source).body if isinstance(s, ast.FunctionDef) and s.name == graph.name]
    except SyntaxError:
        return []
    returns = [s for function in functions for s in function.body if isinstance(s, ast.Return)]
    if len(returns) != 1 or not isinstance(returns[0].value, ast.Tuple):
        return []
    return [e.id if isinstance(e, ast.Name) else "result_{}".format(i) for i, e in enumerate(returns[0].value.elts)]


# ---- reaching the graph


def _is_graph_module(thing: Any) -> bool:
    return any(cls.__name__ == "GraphModule" and cls.__module__.startswith("torch.fx") for cls in type(thing).__mro__)


def reachable(start: Any) -> Iterator[Any]:
    """What a compiled function holds, directly or not, breadth first: closures, attributes, what methods belong to."""
    waiting: List[Any] = [start]
    seen: Set[int] = set()
    while waiting and len(seen) < _MOST_OBJECTS:
        thing = waiting.pop(0)
        if thing is None or id(thing) in seen:
            continue
        seen.add(id(thing))
        yield thing
        if _is_graph_module(thing):
            continue
        if isinstance(thing, types.MethodType):
            waiting += [thing.__self__, thing.__func__]
        if isinstance(thing, types.BuiltinMethodType) and isinstance(thing.__self__, type):
            waiting.append(thing.__self__)  # `apply` of an autograd function
        if isinstance(thing, types.FunctionType):
            waiting += cell_contents(thing).values()
        module = type(thing).__module__ or ""
        if isinstance(thing, types.FunctionType) or module.startswith("torch."):
            waiting += list(getattr(thing, "__dict__", {}).values())


# ---- one node


def user_line_of(node: Any) -> Optional[SourceLine]:
    """The innermost line of the user's program in a node's stack trace: torch's own frames are passed over."""
    lines = str(node.meta.get("stack_trace") or node.stack_trace or "").splitlines()
    found: List[SourceLine] = []
    for at, text in enumerate(lines):
        match = _TRACE_LINE.match(text)
        if match:
            code = lines[at + 1].strip() if at + 1 < len(lines) and not _TRACE_LINE.match(lines[at + 1]) else ""
            found.append(SourceLine(match.group("file"), int(match.group("line")), code, match.group("function")))
    mine = [line for line in found if "/torch/" not in line.filename.replace("\\", "/")]
    return (mine or found or [None])[-1]  # type: ignore[list-item]


def _module_path(node: Any) -> str:
    stack = node.meta.get("nn_module_stack") or {}
    if not stack:
        return ""
    path = str(list(stack.values())[-1][0])
    path = re.sub(r"\._modules\['([^']*)'\]", r".\1", path)
    return re.sub(r"^L\['(\w+)'\]", r"\1", path)


def _module_words(module: Any, node: Any) -> str:
    """The class of the module that is called: up to torch 2.5 modules of torch are not traced into."""
    try:
        return type(module.get_submodule(node.target)).__name__
    except AttributeError:
        return str(node.target)


def _target_words(target: Any) -> str:
    if isinstance(target, str):
        return target
    module = getattr(target, "__module__", None) or ""
    name = getattr(target, "__qualname__", None) or getattr(target, "__name__", None)
    if name is None:
        return without_addresses(str(target))
    module = {"_operator": "operator"}.get(module, module)
    return "{}.{}".format(module, name) if module and module != "builtins" else str(name)


def _tensor_words(value: Any) -> str:
    """``f32[10, 3]`` for an example value, or nothing."""
    dtype, shape = getattr(value, "dtype", None), getattr(value, "shape", None)
    if dtype is None or shape is None:
        return ""
    match = re.match(r"^([a-z]+)(\d*)", str(dtype).replace("torch.", ""))
    word = _SHORT_DTYPE.get(match.group(1), match.group(1)) + (match.group(2) or "8") if match else str(dtype)
    return "{}[{}]".format(word, ", ".join(str(size) for size in shape))


# ---- the function


def _function_source(module: Any, name: str, graph: Graph) -> str:
    inner = _inner_graphs(module, name)
    body = _readable(module, name, graph, bool(inner) or _reads_self(module))
    return "".join(text + "\n\n" for text in inner) + body


def _reads_self(module: Any) -> bool:
    return any(node.op in ("get_attr", "call_module") for node in module.graph.nodes)


def _inner_graphs(module: Any, name: str) -> List[str]:
    """Branches of cond, bodies of scan, and the like: functions of their own in front."""
    found = []
    for child, inner in module.named_children():
        if _is_graph_module(inner):
            found.append(graph_from_module(inner, "{}_{}".format(name, child)).source)
    return found


def _readable(module: Any, name: str, graph: Graph, reads_self: bool) -> str:
    code = _FREES.sub("", str(module.code)).strip()
    code = code[code.index("def forward") :] if "def forward" in code else code
    code = re.sub(r"^def forward\(self(?:, )?", "def {}(".format(name), code)
    text = FunctionText(code)
    _drop_parameter_aliases(text, graph)
    source = stable(text.apply())
    if reads_self:
        source = _with_self(source, module, name)
    return _with_comments(source, module, graph).rstrip() + "\n"


def _drop_parameter_aliases(text: FunctionText, graph: Graph) -> None:
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


def _with_self(source: str, module: Any, name: str) -> str:
    """Gives the function the `self` it reads its attributes from: inner graphs by name, other things by note."""
    graphs = [child for child, inner in module.named_children() if _is_graph_module(inner)]
    others = sorted({str(n.target) for n in module.graph.nodes if n.op in ("get_attr", "call_module")} - set(graphs))
    header, _, body = source.partition("\n")
    graph = "as_module({}_{})" if any(name in source for name in _WANT_MODULES) else "{}_{}"
    named = [other for other in others if _OF_PROGRAM.match(other)]
    others = [other for other in others if other not in named]
    parts = ["{}={}".format(child, graph.format(name, child)) for child in graphs]
    parts += ["{0}=of_program({0!r})".format(other) for other in named]
    given = "    self = types.SimpleNamespace({})".format(", ".join(parts))
    if others:
        given += "  # of the module that holds the graph, not on this page: {}".format(", ".join(others))
    return header + "\n" + given + "\n" + body


def _with_comments(source: str, module: Any, graph: Graph) -> str:
    """The user's line behind the first operation which it made, and the shape of every input and operation."""
    lines = source.split("\n")
    by_name = {node.name: node for node in graph.nodes}
    values = {str(node.name): node.meta.get("example_value") for node in module.graph.nodes}
    comments: Dict[int, Tuple[str, str]] = {}
    last: Tuple[str, int] = ("", 0)
    tree = ast.parse(source).body[0]
    if not isinstance(tree, ast.FunctionDef):
        return source
    for statement in tree.body:
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        node = by_name.get(target.id) if isinstance(target, ast.Name) else None
        if node is None or node.op == "placeholder":
            continue
        line, where = node.user_line, ""
        if line is not None and (line.filename, line.line) != last:
            where = "{}:{}  {}".format(file_name(line.filename), line.line, line.text)
            last = (line.filename, line.line)
        comments[(statement.end_lineno or statement.lineno) - 1] = (_tensor_words(values.get(node.name)), where)
    width = max([len(lines[at]) for at in comments if len(lines[at]) < 72] or [0])
    column = max([len(shape) for shape, _ in comments.values() if len(shape) < 24] or [0])
    for at, (shape, where) in comments.items():
        if shape or where:
            comment = "{:<{}}  {}".format(shape, column, where).rstrip()
            lines[at] = "{:<{}}  # {}".format(lines[at], width, without_addresses(comment))
    inputs = []
    for node in module.graph.nodes:
        if node.op == "placeholder":
            words = _tensor_words(values.get(str(node.name))) or _scalar_words(values.get(str(node.name)), node)
            inputs.append("    # {}: {}".format(node.target, words) if words else "")
    return "\n".join(lines[:1] + [line for line in inputs if line] + lines[1:])


def _scalar_words(value: Any, node: Any) -> str:
    """``x.shape[0], a symbolic int: s17``."""
    if type(value).__name__ not in ("SymInt", "SymFloat", "SymBool"):
        return ""
    words = "a symbolic {}: {}".format(type(value).__name__[3:].lower(), value)
    source = user_spelling(input_source(node))
    return "{}, {}".format(source, words) if source else words

