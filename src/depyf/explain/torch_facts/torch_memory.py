"""What Inductor tells of a graph's memory while it loads the code that it generated: buffers, their sizes and origins.

Facts about torch, probed like those in `torch_behavior.py`.
"""

from __future__ import annotations

import re
from typing import Any

from .torch_behavior import find, is_there

__all__ = [
    "calls_kernel", "copies_in", "current_graph", "given_of", "hint", "origins_of", "parts_of", "runs_behind",
    "shared_with", "size_of", "tells_donated",
]  # fmt: skip

_KERNEL = re.compile(r"^(?:cpp_|triton_|extern_kernels\.|aten\.|torch\.ops\.(?!inductor\.accumulate_grad)|op\d+\.)")
_VIEWS = ("NonOwningLayout", "AliasedLayout")  # the second up to 2.2
_OWNING = ("FixedLayout", "FlexibleLayout", "CommBufferLayout", "FixedTransferLayout")


def calls_kernel(name: str) -> bool:
    """Whether a wrapper that calls this name calls a kernel (2.2 to 2.15); Triton's have a method ``run``."""
    return name.endswith(".run") or _KERNEL.match(name) is not None


def runs_behind(source: str) -> bool:
    """Whether the kernels of a wrapper are queued on a GPU: it asks for the stream then (2.2 to 2.15)."""
    return "get_raw_stream" in source or "get_cuda_stream" in source


def current_graph() -> Any:
    """The graph whose generated code Inductor is loading: `V.graph`, a `GraphLowering` (2.2 to 2.15)."""
    return find("torch._inductor.virtualized", "V").graph


def parts_of(buffer: Any) -> list[Any]:
    """The buffers in a tuple, used or not (`FallbackKernel.outputs`, 2.2 to 2.15); none if it is no tuple."""
    found: list[Any] = []
    waiting = list(getattr(buffer, "outputs", None) or ())
    while waiting:
        one = waiting.pop(0)
        if isinstance(one, (list, tuple)):
            waiting[:0] = one
        elif hasattr(one, "layout"):
            found.append(one)
    return found


def shared_with(buffer: Any) -> list[str]:
    """The buffers or inputs whose memory it has; none if it has its own."""
    if type(buffer.layout).__name__ in _VIEWS:
        return [buffer.layout.view.get_name()]
    aliases = getattr(buffer, "get_inputs_that_alias_output", None) or getattr(buffer, "get_alias_names", None)
    return list(aliases()) if aliases is not None else []


def size_of(buffer: Any) -> Any:
    """Its bytes, an expression; 0 where it has no memory of its own."""
    if type(buffer.layout).__name__ not in _OWNING or shared_with(buffer):
        return 0
    return buffer.layout.storage_size() * buffer.layout.dtype.itemsize


def origins_of(buffer: Any) -> list[Any]:
    """The nodes of the graph that it is computed by: the one whose value it is first, if Inductor knows it."""
    own = buffer.get_origin_node() if hasattr(buffer, "get_origin_node") else getattr(buffer, "origin_node", None)
    others = [node for node in getattr(buffer, "origins", None) or () if node is not own]
    others.sort(key=lambda node: node._sort_key if hasattr(node, "_sort_key") else 0, reverse=True)
    return ([own] if own is not None else []) + others


def given_of(graph: Any, copies: set[str]) -> list[tuple[str, Any, Any, Any]]:
    """The inputs that nobody else holds: name, fx node (None for a gradient), bytes, what tells memory they share.

    `copies` are such too, and not known as such to torch: see `copies_in`.

    What the forward graph saves for a backward one is a `DonatedBuffer` to Inductor (2.6 and later). A backward graph
    drops the gradients it is given, which AOTAutograd names ``tangents_1`` and so on (2.2 to 2.15); they are gone where
    autograd does not hold them, either: where functions have a `boxed_grads_call` (2.13 and later; 2.9 has none).
    """
    found = []
    let_go = is_there(find, "torch.autograd.function", "Function.boxed_grads_call") and graph.is_backward
    inputs = getattr(graph, "graph_inputs_original", {})
    for node in graph.module.graph.nodes:
        name, buffer = str(node.target), inputs.get(node.target)
        if node.op != "placeholder" or buffer is None:
            continue
        is_gradient = let_go and name.startswith("tangents_")
        if is_gradient or name in copies or type(buffer).__name__ == "DonatedBuffer":
            value = node.meta.get("val")
            storage = value.untyped_storage() if hasattr(value, "untyped_storage") else None
            size = storage.nbytes() if storage is not None else size_of(buffer)
            found.append((name, None if is_gradient else node, getattr(getattr(size, "node", None), "expr", size),
                          storage._cdata if storage is not None else name))  # fmt: skip
    return found


def tells_donated() -> bool:
    """Whether Inductor knows which inputs nobody else holds (`DonatedBuffer`, 2.6 and later)."""
    return is_there(find, "torch._inductor.ir", "DonatedBuffer")


def copies_in(graph: Any, results: list[bool]) -> set[str]:
    """The inputs that a forward graph saves as a copy in another layout, as of the weights of convolutions.

    `results` tell of each result whether it is made in the graph.
    """
    (output,) = [node for node in graph.module.graph.nodes if node.op == "output"]
    pairs = zip(output.args[0], results)
    return {str(node.target) for node, is_made in pairs if is_made and getattr(node, "op", "") == "placeholder"}


def hint(graph: Any, size: Any) -> int | None:
    """An expression with the sizes of the first call; None where it depends on data.

    `SizeVarAllocator.size_hint`, from 2.12 or so `optimization_hint`.
    """
    if find("torch.fx.experimental.symbolic_shapes", "free_unbacked_symbols")(size):
        return None
    sizes = graph.sizevars
    return int((sizes.optimization_hint if hasattr(sizes, "optimization_hint") else sizes.size_hint)(size))
