"""What Inductor tells of a graph's memory: the lines of its wrapper, as objects, say what is allocated and freed.

Facts about torch, probed like those in `torch_behavior.py`.
"""

from __future__ import annotations

import re
from typing import Any, Callable, Iterator, Sequence, Tuple

from .torch_behavior import MissingHook, find, is_there

__all__ = [
    "Event", "buffer_named", "current_graph", "events_of", "given_of", "hint", "is_part_of_another", "kernel_called",
    "origins_of", "parts_of", "planning_class", "results_of", "runs_behind", "size_of", "symbols_of", "view_of",
]  # fmt: skip

Event = Tuple[str, str, str]
"""``("made", name, "")``: a buffer is allocated, or a part of one gets its name; ``("reused", new, old)``: one has the
memory of another; ``("gone", name, "")``: a name is dropped; ``("ran", kernel, "")``: a kernel is called."""

_WRAPPERS = ("PythonWrapperCodegen", "WrapperCodeGen")
"""The class of the wrapper; the second up to 2.5."""

_ASSIGNED = re.compile(r"^\s*(?P<name>\w+) = (?!None\b)")
_DELETED = re.compile(r"^\s*del (?P<names>[\w, ]+)")
_CALLED = re.compile(r"^\s*(?:\w+ = )?(?P<name>[A-Za-z_][\w.]*?)(?P<run>\.run)?\(")
_KERNEL = re.compile(r"^(?:cpp_|triton_|extern_kernels\.|aten\.|torch\.ops\.(?!inductor\.accumulate_grad)|op\d+\.)")

_VIEWS = ("NonOwningLayout", "AliasedLayout")  # the second up to 2.2
_OWNING = ("FixedLayout", "FlexibleLayout", "CommBufferLayout", "FixedTransferLayout")
_MUTATES = ("NoneLayout", "MutationLayout", "MutationLayoutSHOULDREMOVE")


def planning_class() -> Any:
    """The class whose `memory_plan_reuse` settles which buffers share memory: after it, `lines` are as they are written
    (2.2 to 2.15). Raises MissingHook."""
    for name in _WRAPPERS:
        if is_there(find, "torch._inductor.codegen.wrapper", name + ".memory_plan_reuse"):
            return find("torch._inductor.codegen.wrapper", name)
    raise MissingHook("this torch has no wrapper that plans memory")


def current_graph() -> Any:
    """The graph that Inductor is generating code for: `V.graph`, a `GraphLowering` (2.2 to 2.15)."""
    return find("torch._inductor.virtualized", "V").graph


def is_part_of_another(wrapper: Any) -> bool:
    """Whether the wrapper is that of a subgraph (2.6 and later), which another calls."""
    return getattr(wrapper, "parent_wrapper", None) is not None


# ---- the lines of a wrapper


def _kernel_of(node: Any) -> str:
    return str(getattr(node, "python_kernel_name", None) or node.get_kernel_name())


def _reused(line: Any) -> Iterator[Event]:
    yield "reused", line.reused_as.get_name(), line.node.get_name()
    if line.delete_old and line.node.get_name() not in results_of(current_graph()):
        yield "gone", line.node.get_name(), ""


def _frees(line: Any) -> Iterator[Event]:
    if not getattr(line, "is_reused", False):
        yield "gone", line.node.get_name(), ""


def _makes(line: Any) -> Iterator[Event]:
    yield "made", line.node.get_name(), ""


def _calls(line: Any) -> Iterator[Event]:
    yield "ran", getattr(line, "kernel_name", None) or _kernel_of(line.node), ""


def _makes_by_calling(line: Any) -> Iterator[Event]:
    yield from _makes(line)
    yield from _calls(line)


LINES: dict[str, Callable[[Any], Iterator[Event]]] = {
    "AllocateLine": _makes,
    "CommBufferAllocateLine": _makes,  # 2.5 to 2.12
    "ReuseLine": _reused,
    "ReinterpretLine": lambda line: iter([("made", line.reused_as.get_name(), "")]),  # 2.8; before, a DeferredLine
    "FreeIfNotReusedLine": _frees,
    "FreeLine": _frees,  # an input; text up to 2.7
    "CommBufferFreeLine": _frees,
    "KernelCallLine": _calls,  # 2.7; before, text, as those that follow
    "ExternKernelOutLine": _calls,
    "ExternKernelAllocLine": _makes_by_calling,
    "ExternKernelMultiOutLine": _calls,  # 2.12
    "IndexPutFallbackLine": _calls,  # 2.10
    "ScatterFallbackLine": _calls,
    "MultiOutputLine": lambda line: iter([("made", line.result_name, "")]),
}
"""What the lines do by their class, with the first version that has one; 2.2 has `AllocateLine`, `ReuseLine` and
`FreeIfNotReusedLine`, and the rest as text."""


def events_of(lines: Sequence[Any]) -> Iterator[Event]:
    """What the lines of a wrapper do to memory, in order."""
    for line in lines:
        known = LINES.get(type(line).__name__)
        if known is not None:
            yield from known(line)
        else:
            yield from _events_of_text(line if isinstance(line, str) else getattr(line, "line", ""))


def _events_of_text(text: Any) -> Iterator[Event]:
    """Of a line that this torch keeps as text."""
    if not isinstance(text, str) or text.lstrip().startswith("#"):
        return
    deleted, assigned, kernel = _DELETED.match(text), _ASSIGNED.match(text), kernel_called(text)
    for name in deleted["names"].split(",") if deleted is not None else ():
        yield "gone", name.strip(), ""
    if assigned is not None:
        yield "made", assigned["name"], ""
    if kernel:
        yield "ran", kernel, ""


def kernel_called(text: str) -> str:
    """The kernel that a line of a wrapper calls, "" if none; those of Triton have a method ``run`` (2.2 to 2.15)."""
    called = _CALLED.match(text)
    return called["name"] if called is not None and (called["run"] or _KERNEL.match(called["name"])) else ""


def runs_behind(source: str) -> bool:
    """Whether the kernels of a wrapper are queued on a GPU: it asks for the stream then (2.2 to 2.15)."""
    return "get_raw_stream" in source or "get_cuda_stream" in source


# ---- buffers


def buffer_named(graph: Any, name: str) -> Any:
    """`GraphLowering.name_to_buffer` (2.2 to 2.15); None where there is none of the name."""
    return graph.name_to_buffer.get(name)


def parts_of(buffer: Any) -> list[Any] | None:
    """The buffers in a tuple, used or not (`FallbackKernel.outputs`, 2.2 to 2.15); None if it is no tuple."""
    if type(buffer.layout).__name__ != "MultiOutputLayout":
        return None
    found: list[Any] = []
    waiting = list(getattr(buffer, "outputs", None) or ())
    while waiting:
        one = waiting.pop(0)
        if isinstance(one, (list, tuple)):
            waiting[:0] = one
        elif hasattr(one, "layout"):
            found.append(one)
    return found


def view_of(buffer: Any) -> str:
    """The name of the buffer whose memory this one is, "" where it has its own."""
    if type(buffer.layout).__name__ in _VIEWS:
        return str(buffer.layout.view.get_name())
    aliases = getattr(buffer, "get_inputs_that_alias_output", None) or getattr(buffer, "get_alias_names", None)
    return next(iter(aliases()), "") if aliases is not None else ""


def size_of(buffer: Any) -> Any:
    """Its bytes, an expression; None where it has no memory of its own."""
    kind = type(buffer.layout).__name__
    if kind not in _OWNING:
        return None
    return buffer.layout.storage_size() * buffer.layout.dtype.itemsize


def origins_of(buffer: Any) -> list[Any]:
    """The nodes of the graph that it is computed by: the one whose value it is first, if Inductor knows it."""
    own = buffer.get_origin_node() if hasattr(buffer, "get_origin_node") else getattr(buffer, "origin_node", None)
    others = [node for node in getattr(buffer, "origins", None) or () if node is not own]
    others.sort(key=lambda node: node._sort_key if hasattr(node, "_sort_key") else 0, reverse=True)
    return ([own] if own is not None else []) + others


def results_of(graph: Any) -> list[str]:
    """The names of what a graph returns (`get_output_names`, 2.2 to 2.15)."""
    return list(graph.get_output_names())


def given_of(graph: Any) -> list[tuple[str, Any, Any, Any]]:
    """The inputs that nobody else holds: name, fx node (None for a gradient), bytes, what tells memory they share.

    What the forward graph saves for a backward one is a `DonatedBuffer` to Inductor (2.6 and later). A backward graph
    drops the gradients it is given, which AOTAutograd names ``tangents_1`` and so on (2.2 to 2.15); they are gone where
    autograd does not hold them, either: where functions have a `boxed_grads_call` (2.13 and later; 2.9 has none).
    """
    found = []
    let_go = graph.is_backward and is_there(find, "torch.autograd.function", "Function.boxed_grads_call")
    inputs = getattr(graph, "graph_inputs_original", {})
    for node in graph.module.graph.nodes:
        name, buffer = str(node.target), inputs.get(node.target)
        if node.op != "placeholder" or buffer is None:
            continue
        is_gradient = let_go and name.startswith("tangents_")
        if is_gradient or type(buffer).__name__ == "DonatedBuffer":
            value = node.meta.get("val")
            storage = value.untyped_storage() if hasattr(value, "untyped_storage") else None
            size = storage.nbytes() if storage is not None else size_of(buffer)
            found.append((name, None if is_gradient else node, getattr(getattr(size, "node", None), "expr", size),
                          storage._cdata if storage is not None else name))  # fmt: skip
    return found


# ---- sizes


def hint(graph: Any, size: Any) -> int | None:
    """An expression with the sizes of the first call; None where it depends on data.

    `SizeVarAllocator.size_hint`, from 2.12 or so `optimization_hint`.
    """
    if find("torch.fx.experimental.symbolic_shapes", "free_unbacked_symbols")(size):
        return None
    sizes = graph.sizevars
    return int((sizes.optimization_hint if hasattr(sizes, "optimization_hint") else sizes.size_hint)(size))


def symbols_of(size: Any) -> list[Any]:
    """The symbols in an expression, in order of their names."""
    return sorted(getattr(size, "free_symbols", ()), key=str)
