"""What Inductor knows of a kernel: the operations it was made of, and whether it came out of a cache.

Facts about torch, probed like those in `torch_behavior.py`.
"""

from __future__ import annotations

import sys
import types
from dataclasses import dataclass, field
from typing import Any, Iterable, Iterator, MutableMapping

from .torch_behavior import MissingHook, find, is_there

__all__ = [
    "CacheHit",
    "cache_hit",
    "callers",
    "loads_graph_module",
    "operations_behind",
    "provenance_function",
    "says_which_kernel",
]

_FRESH = ("compile_to_module", "_compile_to_module", "_compile_to_module_lines")
_CACHED = ("after_deserialization", "_lookup_graph", "_run_from_cache")
_LOADER = "load_by_key_path"
_MOST_FRAMES = 60


@dataclass
class CacheHit:
    """A kernel which was compiled by an earlier run.

    Attributes:
        is_backward: whether its graph is a backward graph; None where torch does not say.
        graphs: the texts of the graph's stages that the cache keeps: stage to text, as `print_readable` gave it.
    """

    is_backward: bool | None = None
    graphs: dict[str, str] = field(default_factory=dict)


def loads_graph_module() -> bool:
    """Whether `PyCodeCache.load_by_key_path` is loading what Inductor generated for a graph.

    For a GPU it loads each Triton kernel as a module too, from inside of the graph's (`async_compile.triton`), and with
    max-autotune the candidates that are timed, while the graph's is written (seen with torch 2.11). A graph's is asked
    for by the functions that `cache_hit` names, and by no others between. To be called as `cache_hit` is.
    """
    names = [frame.f_code.co_name for frame in callers()]
    while names and names[0] != _LOADER:
        del names[0]
    asking = next((name for name in names if name != _LOADER), "")
    return asking in _FRESH or asking in _CACHED


def cache_hit() -> CacheHit | None:
    """What the caches say of the module which `PyCodeCache.load_by_key_path` is loading; None for a fresh one.

    To be called from a replacement of that function, whose callers were (2.2 to 2.15): `compile_to_module` of
    graph.py for fresh code; for code of the FX graph cache `_run_from_cache` (2.2), `_lookup_graph` (2.4) and
    `CompiledFxGraph.after_deserialization` (2.6 and later), which has the text of the last graph from 2.8 on. Where
    AOTAutograd's cache was hit (2.6 and later), one of their callers is a method of its entry, which has the
    others.
    """
    hit: CacheHit | None = None
    for frame in callers():
        name = frame.f_code.co_name
        if hit is None and name in _FRESH:
            return None
        owner = frame.f_locals.get("self")
        if hit is None and name in _CACHED:
            hit = CacheHit()
            graph = owner if owner is not None else frame.f_locals.get("graph") or frame.f_locals.get("compiled_graph")
            kwargs = getattr(graph, "fx_kwargs", None)
            if isinstance(kwargs, dict) and isinstance(kwargs.get("is_backward"), bool):
                hit.is_backward = kwargs["is_backward"]
            hit.graphs.update(_texts(AFTER_POST_GRAD=getattr(graph, "inductor_post_grad_graph_str", None)))
        if hit is not None and hit.is_backward is None and owner is not None:
            asked = getattr(owner, "_is_backward", None)
            hit.is_backward = asked() if callable(asked) else None
        if hit is not None and hasattr(owner, "aot_forward_graph_str"):
            hit.graphs.update(
                _texts(
                    Joint_graph=getattr(owner, "aot_joint_graph_str", None),
                    Forward_graph=getattr(owner, "aot_forward_graph_str", None),
                    Backward_graph=getattr(owner, "aot_backward_graph_str", None),
                )
            )
            break
    return hit


def _texts(**found: Any) -> dict[str, str]:
    return {stage: text for stage, text in found.items() if isinstance(text, str) and text.strip()}


def callers() -> Iterator[types.FrameType]:
    """The frames that led to a call of the caller, the nearest first, as far as Inductor is deep."""
    frame: types.FrameType | None = sys._getframe(2)
    for _ in range(_MOST_FRAMES):
        if frame is None:
            return
        yield frame
        frame = frame.f_back


def operations_behind(node_schedule: Any, order: MutableMapping[Any, dict[int, int]]) -> list[Any]:
    """The fx nodes which a kernel was made of, in the order of their graph.

    `order` keeps, by graph, the places of its nodes from one call to the next.

    `aggregate_origins` is in torch/_inductor/utils.py in 2.2 to 2.15; it takes a list of scheduler nodes, or an extern
    kernel of ir.py.
    """
    origins: Iterable[Any] = find("torch._inductor.utils", "aggregate_origins")(node_schedule)
    nodes = [node for node in origins if str(getattr(node, "op", "")).startswith("call_")]
    if len({id(node.graph) for node in nodes}) == 1:
        graph = nodes[0].graph
        if graph not in order or any(id(node) not in order[graph] for node in nodes):
            order[graph] = {id(node): index for index, node in enumerate(graph.nodes)}
        nodes.sort(key=lambda node: order[graph].get(id(node), 0))
    return nodes


def provenance_function() -> Any:
    """The function that Inductor calls with (node_schedule, kernel_name) for every kernel call it writes.

    `set_kernel_post_grad_provenance_tracing` of torch/_inductor/debug.py came with 2.9, where its callers ask for
    `config.trace.provenance_tracking_level` first; since it asks itself (2.10 and later), it is called always.
    Raises MissingHook before that.
    """
    function = find("torch._inductor.debug", "set_kernel_post_grad_provenance_tracing")
    if not {"provenance_tracking_level", "effective_provenance_tracking_level"} & set(function.__code__.co_names):
        raise MissingHook("this torch says only on demand which kernel it writes")
    return function


def says_which_kernel() -> bool:
    """Whether there is a `provenance_function`."""
    return is_there(provenance_function)
