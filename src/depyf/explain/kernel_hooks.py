"""The hook on a function which knows what operations a kernel of Inductor's is made of.

Several modules import it by name, so its code object is exchanged; the code put in place can reach nothing but what it
imports.
"""

from __future__ import annotations

import contextlib
import types
from typing import Any, Dict, List, Tuple

from depyf.explain.containment import edge, told
from depyf.explain.torch_behavior import MissingHook, find
from depyf.explain.torch_kernels import provenance_function, says_which_kernel

__all__ = ["hook_kernels", "kernel_was_called", "kernel_was_named"]

_Heard = Tuple[Any, types.FunctionType]  # a recorder, and the original as another function
_calls: List[_Heard] = []  # the last one counts; it stays, for another thread may be inside the code put in place
_names: List[_Heard] = []


def hook_kernels(recorder: Any, undo: contextlib.ExitStack) -> None:
    """The recorder hears of every kernel call that is written or, in older versions, of every name of a new kernel."""
    if says_which_kernel():
        _listen(recorder, provenance_function(), _call_in_place, _calls, undo)
    else:
        _listen(recorder, find("torch._inductor.utils", "get_fused_kernel_name"), _name_in_place, _names, undo)


@edge
def kernel_was_called(args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Any:
    """What `set_kernel_post_grad_provenance_tracing` does while a recorder listens."""
    recorder, original = _calls[-1]
    told(recorder, "on_kernel_call", args, kwargs)
    return original(*args, **kwargs)


@edge
def kernel_was_named(args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Any:
    """What `get_fused_kernel_name` does while a recorder listens."""
    recorder, original = _names[-1]
    name = original(*args, **kwargs)
    told(recorder, "on_kernel_name", name, args, kwargs)
    return name


@edge
def _call_in_place(*args: Any, **kwargs: Any) -> Any:
    from depyf.explain.kernel_hooks import kernel_was_called

    return kernel_was_called(args, kwargs)


@edge
def _name_in_place(*args: Any, **kwargs: Any) -> Any:
    from depyf.explain.kernel_hooks import kernel_was_named

    return kernel_was_named(args, kwargs)


def _listen(recorder: Any, function: Any, instead: Any, heard: List[_Heard], undo: contextlib.ExitStack) -> None:
    code = function.__code__
    if code.co_freevars:
        raise MissingHook("{} has become a closure".format(function.__name__))
    original = types.FunctionType(code, function.__globals__, function.__name__, function.__defaults__)
    original.__kwdefaults__ = function.__kwdefaults__
    heard[:] = [(recorder, original)]
    undo.callback(setattr, function, "__code__", code)
    function.__code__ = instead.__code__
