"""What torch offers to debugging, and differences between its versions in it: more of `torch_behavior.py`."""

from __future__ import annotations

import sys
from types import CodeType
from typing import Callable, Iterable

from ..code_objects import with_nested
from .torch_behavior import MissingHook, find

__all__ = ["interprets_graphs", "pass_over", "traced_code"]


def traced_code() -> list[CodeType] | None:
    """Code of the functions which Dynamo follows in the compilation going on, a list that still grows; None when this
    torch keeps none (`TracingContext.traced_code` is there from 2.9)."""
    try:
        context = find("torch._guards", "TracingContext").try_get()
    except MissingHook:
        return None
    return getattr(context, "traced_code", None)


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


def interprets_graphs() -> bool:
    """Whether `aot_eager` and its kin go through a graph with `torch.fx.Interpreter`, and never run the graph's code.

    What their compiler `boxed_nop` (torch/_dynamo/backends/debugging.py) gives does so in 2.2 to 2.9; in later
    versions it calls the graph, so that `Interpreter` is not among its names. Imports nothing: where nobody has, no
    graph is run so.
    """
    home = sys.modules.get("torch._dynamo.backends.debugging")
    code = getattr(getattr(home, "boxed_nop", None), "__code__", None)
    return isinstance(code, CodeType) and any("Interpreter" in at.co_names for at in with_nested(code))
