"""The hook on a function which knows what operations a kernel of Inductor's is made of.

Several modules import it by name: see `exchanged_code.py`.
"""

from __future__ import annotations

import contextlib
from typing import Any

from ..containment import edge, told
from ..torch_facts.exchanged_code import Heard, listen
from ..torch_facts.torch_behavior import find
from ..torch_facts.torch_kernels import provenance_function, says_which_kernel

__all__ = ["hook_kernels", "kernel_was_called", "kernel_was_named"]

_calls: list[Heard] = []
_names: list[Heard] = []


def hook_kernels(recorder: Any, undo: contextlib.ExitStack) -> None:
    """The recorder hears of every kernel call that is written or, in older versions, of every name of a new kernel."""
    if says_which_kernel():
        listen(recorder, provenance_function(), _call_in_place, _calls, undo)
    else:
        listen(recorder, find("torch._inductor.utils", "get_fused_kernel_name"), _name_in_place, _names, undo)


@edge
def kernel_was_called(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What `set_kernel_post_grad_provenance_tracing` does while a recorder listens."""
    recorder, original = _calls[-1]
    told(recorder, "on_kernels", "called", args, kwargs)
    return original(*args, **kwargs)


@edge
def kernel_was_named(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What `get_fused_kernel_name` does while a recorder listens."""
    recorder, original = _names[-1]
    name = original(*args, **kwargs)
    told(recorder, "on_kernels", "named", name, args, kwargs)
    return name


@edge
def _call_in_place(*args: Any, **kwargs: Any) -> Any:
    from depyf.explain.kernels.hooks import kernel_was_called

    return kernel_was_called(args, kwargs)


@edge
def _name_in_place(*args: Any, **kwargs: Any) -> Any:
    from depyf.explain.kernels.hooks import kernel_was_named

    return kernel_was_named(args, kwargs)
