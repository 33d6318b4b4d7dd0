"""What the comparison needs of torch, in one table: each fact is a name that is looked for."""

from __future__ import annotations

import contextlib
import functools
from typing import Any, Callable

from ..explain.torch_facts.torch_behavior import MissingHook, find
from ..explain.torch_facts.torch_state import autocast_of

__all__ = ["BUFFERS", "CACHES", "DECOMPOSITIONS", "FRAMES", "GRAPHS", "LOWERED", "WIDE", "autocast_now",
           "compiled_function", "decompositions_of", "dispatch_mode", "frozen_parameters", "is_autograd_compiled",
           "missing"]  # fmt: skip

GRAPHS = (("torch._dynamo.output_graph", "OutputGraph.call_user_compiler", "the graphs of Dynamo"),)
DECOMPOSITIONS = (("torch.fx.experimental.proxy_tensor", "maybe_handle_decomp", "what is decomposed"),)
BUFFERS = (
    ("torch._inductor.graph", "GraphLowering.codegen", "the generated wrapper"),
    ("torch._inductor.graph", "GraphLowering.compile_to_module", "the module of a graph"),
    ("torch._inductor.scheduler", "Scheduler.free_buffers", "the end of a kernel"),
    ("torch._inductor.scheduler", "Scheduler.codegen_extern_call", "a kernel that Inductor does not generate"),
    ("torch._inductor.scheduler", "SchedulerBuffer.get_mutations", "what a kernel overwrites"),
    ("torch._inductor.compile_fx", "_recursive_joint_graph_passes", "the graph before the joint passes"),
    ("torch._inductor.compile_fx", "_recursive_post_grad_passes", "the graph before the last passes"),
    ("torch._inductor.ir", "Buffer.get_origin_node", "the operation of a buffer"),
)
"""Where, what, and what it tells. `SchedulerBuffer` came with 2.5."""

FRAMES = (("torch._dynamo.convert_frame", "_compile", "what is called"),)

CACHES = (
    ("torch._inductor.config", "fx_graph_cache"),
    ("torch._inductor.config", "fx_graph_remote_cache"),
    ("torch._functorch.config", "enable_autograd_cache"),
)
"""Options that let a graph be loaded, not compiled, where a version has them. The second came with 2.4."""


def _scattered(shape: Any, background_val: Any, dtype: Any, dim: int, selector: Any, val: Any) -> Any:
    import torch

    return torch.full(shape, background_val, dtype=dtype).scatter(dim, selector, val)


LOWERED: dict[str, Callable[..., Any]] = {"scatter_upon_const_tensor": _scattered}
"""What passes put into graphs that only Inductor can lower, and what it computes: 2.4 to 2.11, in the gradient of
``cross_entropy``. Later it is written in operators."""


def _linear(x: Any, packed: Any, weight: Any, bias: Any, batch: int) -> Any:
    import torch

    return torch.nn.functional.linear(x, weight, bias)


WIDE: dict[str, Callable[..., Any]] = {"mkl._mkl_linear.default": _linear}
"""What operators that have no fp64 compute: this one keeps the weight beside the packed one (2.2 to 2.15)."""


def decompositions_of(mode: Any) -> Any:
    """The operators that are decomposed while a graph is traced: the mode's, or, in 2.2 and 2.3, those of them all."""
    from torch.fx.experimental import proxy_tensor

    table = getattr(mode, "decomposition_table", None)
    return getattr(proxy_tensor, "CURRENT_DECOMPOSITION_TABLE", {}) if table is None else table


def frozen_parameters() -> list[Any]:
    """With Inductor's option `freezing`, the first inputs of the graph for inference that is being compiled.

    They become attributes of its module (``freeze`` in `torch._inductor.freezing`, 2.5 to 2.15).
    """
    import torch
    from torch._inductor import config

    context = torch._guards.TracingContext.try_get()
    values = getattr(context, "params_flat_unwrap_subclasses", None) or getattr(context, "params_flat", None)
    return list(values or ()) if config.freezing and not torch.is_grad_enabled() else []


def is_autograd_compiled() -> bool:
    """Whether backward graphs are compiled with their hooks."""
    from torch._dynamo import compiled_autograd, config

    return bool(compiled_autograd.compiled_autograd_enabled or getattr(config, "compiled_autograd", False))  # from 2.6


def autocast_now() -> Callable[[], contextlib.ExitStack]:
    """Autocast as it is, to be entered later."""
    import torch

    state = [(one, *autocast_of(one)) for one in ("cpu", "cuda")]

    def entered() -> contextlib.ExitStack:
        modes = contextlib.ExitStack()
        for device, enabled, dtype in state:
            if device == "cpu" or torch.cuda.is_available():
                modes.enter_context(torch.autocast(device, dtype=dtype, enabled=enabled))
        return modes

    return entered


@functools.lru_cache(None)
def dispatch_mode() -> Any:
    """The class of our modes of the dispatcher, which Dynamo does not take for the program's.

    It compiles nothing while there is a mode that is none of torch's own, which one flag says for all threads (from
    2.5 on): modes of two threads that overlap would leave it set.
    """
    from torch.utils._python_dispatch import TorchDispatchMode

    class DispatchMode(TorchDispatchMode):  # type: ignore[misc]
        @classmethod
        def is_infra_mode(cls) -> bool:
            return True

    return DispatchMode


def missing(needed: tuple[tuple[str, str, str], ...]) -> str:
    """What this torch lacks of them; "" when it has all."""
    for module, name, what in needed:
        try:
            find(module, name)
        except MissingHook:
            return f"this torch has no {module}.{name}, which tells {what}"
    return ""


def compiled_function(args: tuple[Any, ...]) -> tuple[tuple[Any, ...], Any, bool]:
    """From the arguments of `_compile`: what is called, the backend, and whether it is for `torch.export`.

    They are the code, globals, locals, builtins, from 2.6 the cells of free variables, the backend, `one_graph`,
    `export`, and more (2.2 to 2.15).
    """
    code, values, local, _, *rest = args
    cells = rest.pop(0) if rest[0] is None or isinstance(rest[0], tuple) else None
    return (code, values, local, cells), rest[0], bool(rest[2])
