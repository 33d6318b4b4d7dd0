"""What the comparison needs of torch, in one table: each fact is a name that is looked for."""

from __future__ import annotations

from ..explain.torch_facts.torch_behavior import MissingHook, find

__all__ = ["NEEDED", "missing"]

NEEDED = (
    ("torch._inductor.graph", "GraphLowering.codegen", "the generated wrapper"),
    ("torch._inductor.graph", "GraphLowering.compile_to_module", "the module of a graph"),
    ("torch._inductor.utils", "ValueWithLineMap", "the wrapper with the lines of its text"),
    ("torch._inductor.scheduler", "Scheduler.free_buffers", "the end of a kernel"),
    ("torch._inductor.scheduler", "SchedulerBuffer.get_mutations", "what a kernel overwrites"),
    ("torch._inductor.compile_fx", "_recursive_joint_graph_passes", "the graph before the joint passes"),
    ("torch._inductor.compile_fx", "_recursive_post_grad_passes", "the graph before the last passes"),
    ("torch.fx.experimental.proxy_tensor", "maybe_handle_decomp", "what is decomposed"),
    ("torch._inductor.ir", "Buffer.get_origin_node", "the operation of a buffer"),
)
"""Where, what, and what it tells. `ValueWithLineMap` came with 2.7; `SchedulerBuffer` with 2.5."""


def missing() -> str:
    """Why this torch can't be compared; "" when it can."""
    for module, name, what in NEEDED:
        try:
            find(module, name)
        except MissingHook:
            return f"this torch has no {module}.{name}, which tells {what}"
    return ""
