"""Which generated modules run as CUDA graphs, and why others do not: what the hooks hear, as a part of the model."""

from __future__ import annotations

import contextlib
import re
import weakref
from typing import Any, Callable

from ..containment import edge, told
from ..graphs.capture import lines_of_trace
from ..model import CudaGraph, SourceLine
from ..torch_facts.exchanged_code import Heard, listen
from ..torch_facts.torch_behavior import is_generating_backward
from ..torch_facts.torch_cudagraphs import cuts_into_parts, makes_cuda_graphs, skip_function

__all__ = ["CudaGraphs", "cuda_graph_was_skipped", "hook_cuda_graphs", "hook_parts", "hook_skipped_cuda_graphs"]

_PREFIX = re.compile(r"^(?:(?:skipping|disabling) cudagraphs? due to )+")
_TRACE = re.compile(r"\.?\s*Found from\s*:?\s*(?P<trace>File .*)", re.DOTALL)
_LIST = re.compile(r"^\['(.*)'\]\Z")


class CudaGraphs:
    """What a recorder does with what the hooks below hear."""

    def __init__(self, found: list[CudaGraph]) -> None:
        """`found` is the model's list."""
        self._found = found
        self._outputs: list[tuple[weakref.ref[Any], CudaGraph]] = []

    def made(self, graph: str, is_backward: bool, output: Any) -> None:
        """A module, or a part of one, is to run as a CUDA graph."""
        self._of(graph, is_backward, output).parts += 1

    def skipped(self, graph: str, message: str, output: Any) -> None:
        """There is to be none, or from now on none is used."""
        known = next((one for reference, one in self._outputs if output is not None and reference() is output), None)
        one = known or self._of(graph, _is_backward(output), output)
        reason, line = reason_of(message)
        if not one.reason:
            one.reason, one.line = reason, line

    def _of(self, graph: str, is_backward: bool, output: Any) -> CudaGraph:
        direction = "backward" if is_backward else "forward"
        for one in self._found:
            if one.graph == graph and one.direction == direction:
                break
        else:
            one = CudaGraph(graph, direction)
            self._found.append(one)
        if output is not None:
            self._outputs.append((weakref.ref(output), one))
        return one


def _is_backward(output: Any) -> bool:
    """Asked of a graph that is compiled, or compiling."""
    options = getattr(output, "fx_kwargs", None) or {}
    return bool(options.get("is_backward", False)) or is_generating_backward()


def reason_of(message: str) -> tuple[str, SourceLine | None]:
    """torch's reason without its prefix, and the line of the program that it names."""
    trace = _TRACE.search(message)
    reason = _PREFIX.sub("", message[: trace.start()] if trace is not None else message)
    listed = _LIST.match(reason)
    reason = listed[1].replace("', '", ", ") if listed is not None else reason
    lines = lines_of_trace(trace["trace"]) if trace is not None else []
    return " ".join(reason.split()).rstrip("."), lines[-1] if lines else None


# ---- hooks

_skips: list[Heard] = []


def hook_skipped_cuda_graphs(recorder: Any, undo: contextlib.ExitStack) -> None:
    """The recorder hears why there is no CUDA graph."""
    listen(recorder, skip_function(), _skip_in_place, _skips, undo)


def hook_cuda_graphs(recorder: Any, undo: contextlib.ExitStack, exchange: Callable[..., None]) -> None:
    """The recorder hears of each CUDA graph that is to be; `exchange` puts a function in the place of another."""
    before = makes_cuda_graphs()

    @edge
    def cudagraphify(*args: Any, **kwargs: Any) -> Any:
        told(recorder, "on_kernels", "has_cuda_graph", kwargs)
        return before(*args, **kwargs)

    exchange("torch._inductor.compile_fx", cudagraphify, undo)


def hook_parts(recorder: Any, undo: contextlib.ExitStack, exchange: Callable[..., None]) -> None:
    """The recorder hears of each module that Inductor wanted to cut into CUDA graphs, and found nothing for one."""
    before = cuts_into_parts()

    @edge
    def cudagraph_partition_post_compile(*args: Any, **kwargs: Any) -> Any:
        told(recorder, "on_kernels", "is_cut_into_parts", args, kwargs)
        return before(*args, **kwargs)

    exchange("torch._inductor.output_code", cudagraph_partition_post_compile, undo)


@edge
def cuda_graph_was_skipped(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What `log_cudagraph_skip_and_bump_counter` does while a recorder listens."""
    recorder, original = _skips[-1]
    told(recorder, "on_kernels", "has_no_cuda_graph", args, kwargs)
    return original(*args, **kwargs)


@edge
def _skip_in_place(*args: Any, **kwargs: Any) -> Any:
    from depyf.explain.kernels.cuda_graphs import cuda_graph_was_skipped

    return cuda_graph_was_skipped(args, kwargs)
