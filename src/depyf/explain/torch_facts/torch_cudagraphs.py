"""What torch tells of CUDA graphs: which of Inductor's modules are to run as one, and why others are not.

Facts about torch, probed like those in `torch_behavior.py`.
"""

from __future__ import annotations

from typing import Any

from .torch_behavior import find, is_there
from .torch_keeps import is_inductor_output
from .torch_kernels import callers

__all__ = [
    "cuts_into_parts",
    "has_parts",
    "makes_cuda_graphs",
    "says_why_not",
    "skip_function",
    "which_output",
    "why_no_parts",
]

_OF_OUTPUTS = ("__call__", "__init__", "post_compile", "cudagraph_post_compile", "cudagraph_partition_post_compile")


def makes_cuda_graphs() -> Any:
    """`torch._inductor.compile_fx.cudagraphify`, called for each module that is to run as a CUDA graph, and for each
    part of one that was partitioned (2.2 to 2.15; its callers look it up in its module). Raises MissingHook."""
    return find("torch._inductor.compile_fx", "cudagraphify")


def skip_function() -> Any:
    """`log_cudagraph_skip_and_bump_counter(msg)`, called with each reason not to use a CUDA graph, in the compiler and
    when it runs (2.9 to 2.15; 2.2 has no such function). Raises MissingHook."""
    return find("torch._inductor.cudagraph_utils", "log_cudagraph_skip_and_bump_counter")


def says_why_not() -> bool:
    """Whether there is a `skip_function`."""
    return is_there(skip_function)


def cuts_into_parts() -> Any:
    """`cudagraph_partition_post_compile(example_inputs, compiled_graph, ...)`, called in its place where
    `config.graph_partition` is set (2.9 to 2.15). Raises MissingHook."""
    return find("torch._inductor.output_code", "cudagraph_partition_post_compile")


def has_parts() -> bool:
    """Whether there is `cuts_into_parts`."""
    return is_there(cuts_into_parts)


def why_no_parts(output: Any) -> str:
    """Why that function will leave `output`, a compiled graph, without a CUDA graph; it says nothing of it itself.

    "" where there will be some, and where nothing is on a GPU.
    """
    if "cuda" not in (getattr(output, "device_types", None) or ()):
        return ""
    reasons = getattr(getattr(output, "cudagraph_info", None), "cudagraph_fail_reasons", None)
    if reasons:
        return ", ".join(map(str, reasons))
    return "" if getattr(output, "partition_maps", None) else "Inductor found no part that can be one"


def which_output() -> Any:
    """The compiled graph from which the caller was called: what Inductor returned, None when it is not on the stack.

    While it is compiled it is a local variable of `cudagraph_post_compile` and its like, and ``self`` of `__init__`;
    while it runs, ``self`` of `__call__` (2.9 to 2.15).
    """
    for frame in callers():
        if frame.f_code.co_name in _OF_OUTPUTS:
            for name in ("compiled_graph", "self"):
                if is_inductor_output(frame.f_locals.get(name)):
                    return frame.f_locals[name]
    return None
