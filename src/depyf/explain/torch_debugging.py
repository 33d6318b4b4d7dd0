"""What torch offers to debugging, and differences between its versions in it: more of `torch_behavior.py`."""

from __future__ import annotations

import functools
import sys
from types import CodeType
from typing import Any, Callable, Iterable, List, Optional

from depyf.explain.torch_behavior import MissingHook, find

__all__ = ["leave_uncompiled", "pass_over", "traced_code", "uncompiled_call"]


def traced_code() -> Optional[List[CodeType]]:
    """Code of the functions which Dynamo follows in the compilation going on, a list that still grows; None when this
    torch keeps none (`TracingContext.traced_code` is there from 2.9)."""
    try:
        context = find("torch._guards", "TracingContext").try_get()
    except MissingHook:
        return None
    return getattr(context, "traced_code", None)


@functools.lru_cache(maxsize=None)
def uncompiled_call() -> Callable[..., Any]:
    """``call(function, *args, **kwargs)`` with Dynamo off in this thread: its callback is None, in 2.2 to 2.15.

    Dynamo itself must pass over `call`: 2.2 compiled what stood behind the line that switches it off.
    """
    set_eval_frame = find("torch._C", "_dynamo.eval_frame.set_eval_frame")  # no module of that name in 2.2

    def call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        before = set_eval_frame(None)
        try:
            return function(*args, **kwargs)
        finally:
            set_eval_frame(before)

    leave_uncompiled(call.__code__)
    return call


def leave_uncompiled(code: CodeType) -> None:
    """Makes Dynamo run this code object as it is; what it calls is compiled as ever. `skip_code`, in 2.2 to 2.15."""
    find("torch._dynamo.eval_frame", "skip_code")(code)


def pass_over(modules: Iterable[str]) -> Callable[[], None]:
    """Makes Dynamo neither compile nor inline the code of these modules; returns the function which ends that.

    While a debugger stops inside a compiled function, Dynamo is on, and compiles the debugger (measured on 2.13 with
    debugpy: code of pydevd, part of which then ran twice). `add` takes a module; `SKIP_DIRS` is the list of places
    and `_recompile_re` makes the pattern of it: in `skipfiles` in 2.2, in `trace_rules` from 2.3.
    """
    try:
        rules = [find("torch._dynamo.trace_rules", name) for name in ("add", "SKIP_DIRS", "_recompile_re")]
    except MissingHook:
        rules = [find("torch._dynamo.skipfiles", name) for name in ("add", "SKIP_DIRS", "_recompile_re")]
    add, places, compile_pattern = rules
    known = len(places)
    for module in modules:
        if module in sys.modules:
            add(module)
    ours = places[known:]

    def undo() -> None:
        for place in ours:
            places.remove(place)
        compile_pattern()

    return undo
