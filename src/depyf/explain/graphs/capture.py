"""Graphs of torch.fx as models: what Dynamo captured, and what the function to read is made of (`graph_text.py`)."""

from __future__ import annotations

import re
import types
from typing import Any, Iterator

from ..code_objects import cell_contents
from ..guards.words import user_spelling
from ..model import Graph, Node, SourceLine
from ..names import stable, without_addresses
from ..torch_facts.torch_behavior import input_source
from .examples import NotKnown, example_of
from .global_lines import global_lines
from .text import GraphText, source_of

__all__ = ["capture", "find_graph_module", "graph_from_module", "lines_of_trace", "reachable", "user_line_of"]

_TRACE_LINE = re.compile(r'^\s*File "(?P<file>.*)", line (?P<line>\d+), in (?P<function>.*)$')
_SHORT_DTYPE = {"float": "f", "bfloat": "bf", "int": "i", "uint": "u", "complex": "c", "bool": "b"}
_MOST_OBJECTS = 2000  # a compiled function reaches the whole program sooner or later


def graph_from_module(module: Any, name: str, global_name: str = "") -> Graph:
    """The model of what Dynamo captured.

    Args:
        module: a `torch.fx.GraphModule`.
        name: stable name of the function which calls it (`__compiled_fn_1`).
        global_name: what this process calls that function.

    Never raises for a graph without metadata: it then has no user lines.
    """
    graph, text = capture(module, name, global_name)
    graph.source = source_of(text)
    return graph


def capture(module: Any, name: str, global_name: str = "") -> tuple[Graph, GraphText]:
    """The same in two steps: the model without its source, and what its source is to be made of, when there is time.

    Nothing of `module` is needed for that second step: later passes may change it, or it may be gone.
    """
    graph = Graph(name=name, global_name=global_name, graph_module=module)
    text = GraphText(name, str(module.code), graph.nodes)
    for node in module.graph.nodes:
        stack = _user_stack(node)
        value = node.meta.get("example_value")
        words = _tensor_words(value)
        graph.nodes.append(
            Node(
                op=str(node.op),
                name=str(node.name),
                target=_module_words(module, node) if node.op == "call_module" else _target_words(node.target),
                user_line=stack[-1] if stack else None,
                module=_module_path(node),
                callers=stack[:-1],
                inputs=[str(one.name) for one in node.all_input_nodes],
                shape=words,
            )
        )
        if node.op == "placeholder":
            graph.placeholders.append(str(node.target))
            graph.examples[str(node.target)] = _example(value) if "example_value" in node.meta else ""
            graph.inputs[str(node.target)] = user_spelling(input_source(node))
            text.inputs.append((str(node.target), words or _scalar_words(value, node)))
        elif node.op == "output":
            graph.results = _result_names(node.args[0])
        elif node.op in ("get_attr", "call_module"):
            text.attributes.add(str(node.target))
            value = _attribute(module, str(node.target))
            if not _is_graph_module(value):
                graph.examples[str(node.target)] = _example(value)
        text.shapes[str(node.name)] = words
    for child, inner in module.named_children():  # branches of cond, bodies of scan, and the like
        if _is_graph_module(inner):
            text.children[child] = capture(inner, f"{name}_{child}")[1]
    graph.global_lines = global_lines(module)
    return graph, text


def _example(value: Any) -> str:
    try:
        return example_of(value)
    except NotKnown:
        return ""


def _attribute(module: Any, path: str) -> Any:
    for name in path.split("."):
        module = getattr(module, name, None)
    return module


def _result_names(value: Any) -> list[str]:
    """Names of what a graph returns, one per result, in order; empty when it returns no plain tuple."""
    if type(value) is not tuple:
        return []
    found = []
    for index, one in enumerate(value):
        is_input = getattr(one, "op", "") == "placeholder"
        found.append(stable(str(one.target if is_input else getattr(one, "name", f"result_{index}"))))
    return found


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


# ---- reaching the graph


def _is_graph_module(thing: Any) -> bool:
    return any(cls.__name__ == "GraphModule" and cls.__module__.startswith("torch.fx") for cls in type(thing).__mro__)


def reachable(start: Any) -> Iterator[Any]:
    """What a compiled function holds, directly or not, breadth first: closures, attributes, what methods belong to."""
    waiting: list[Any] = [start]
    seen: set[int] = set()
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


def user_line_of(node: Any) -> SourceLine | None:
    """The innermost line of the user's program in a node's stack trace: torch's own frames are passed over."""
    stack = _user_stack(node)
    return stack[-1] if stack else None


def _user_stack(node: Any) -> list[SourceLine]:
    """The lines of the user's program that led to a node, the innermost last."""
    return lines_of_trace(str(node.meta.get("stack_trace") or node.stack_trace or ""))


def lines_of_trace(text: str) -> list[SourceLine]:
    """The lines of the user's program in a stack trace, the innermost last."""
    lines = text.splitlines()
    found: list[SourceLine] = []
    for at, text in enumerate(lines):
        match = _TRACE_LINE.match(text)
        if match:
            code = lines[at + 1].strip() if at + 1 < len(lines) and not _TRACE_LINE.match(lines[at + 1]) else ""
            found.append(SourceLine(match.group("file"), int(match.group("line")), code, match.group("function")))
    mine = [line for line in found if "/torch/" not in line.filename.replace("\\", "/")]
    return mine or found[-1:]


def _module_path(node: Any) -> str:
    stack = node.meta.get("nn_module_stack") or {}
    if not stack:
        return ""
    path = str(list(stack.values())[-1][0])
    path = re.sub(r"\._modules\['([^']*)'\]", r".\1", path)
    return re.sub(r"^[LG]\['(\w+)'\]", r"\1", path)


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
    if name is not None and "<locals>" in name:  # max_pool2d is "boolean_dispatch.<locals>.fn"
        name = getattr(target, "__name__", name)
    if name is None:
        return without_addresses(str(target))
    module = {"_operator": "operator"}.get(module, module)
    return f"{module}.{name}" if module and module != "builtins" else str(name)


def _tensor_words(value: Any) -> str:
    """``f32[10, 3]`` for an example value, or nothing."""
    dtype, shape = getattr(value, "dtype", None), getattr(value, "shape", None)
    if dtype is None or shape is None:
        return ""
    match = re.match(r"^([a-z]+)(\d*)", str(dtype).replace("torch.", ""))
    word = _SHORT_DTYPE.get(match.group(1), match.group(1)) + (match.group(2) or "8") if match else str(dtype)
    return "{}[{}]".format(word, ", ".join(str(size) for size in shape))


def _scalar_words(value: Any, node: Any) -> str:
    """``x.shape[0], a symbolic int``, with its symbol where the input is not called so."""
    if type(value).__name__ not in ("SymInt", "SymFloat", "SymBool"):
        return ""
    words = f"a symbolic {type(value).__name__[3:].lower()}"
    words += "" if str(value) == node.name else f", {value} in shapes"
    source = user_spelling(input_source(node))
    return f"{source}, {words}" if source else words
