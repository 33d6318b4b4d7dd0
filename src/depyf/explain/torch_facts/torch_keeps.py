"""What torch keeps of its compilations, and how each version does: facts beside those of `torch_behavior.py`.

Probed, each with its evidence; the logic elsewhere never looks at a version number. Importing this imports no torch.
"""

from __future__ import annotations

import contextlib
import operator
import sys
import types
from typing import Any, Iterator, NamedTuple

from ..model import CompileTimes
from ..names import stable, without_addresses
from .torch_behavior import MissingHook, compilation_metrics, find, is_there

__all__ = [
    "CachedCompilation",
    "alias_of_result",
    "as_tensor_in_guards",
    "backward_of",
    "compilations_of",
    "compile_times",
    "compiled_codes",
    "drops_what_failed",
    "forces_eager",
    "graph_break_reasons",
    "guard_failures",
    "inductor_source",
    "input_changes",
    "is_inductor_output",
    "is_switched_off",
    "keeps_compilations",
    "phase_times",
    "recompile_limit",
    "records_put_back",
    "static_by_request",
    "tells_events",
    "tracing_context",
]


_SIZES = (("guards", "guard_count"), ("operations", "graph_op_count"), ("inputs", "graph_input_count"))
_TIMES = (
    "start_time",
    "entire_frame_compile_time_s",
    "backend_compile_time_s",
    "inductor_compile_time_s",
    "triton_compile_time_us",
    "duration_us",
    "guard_latency_us",
)


class CachedCompilation(NamedTuple):
    """One attempt of Dynamo's at a code object, as its metrics keep it."""

    compile_id: str
    failure: str
    has_guards: bool


def phase_times() -> dict[str, list[float]]:
    """Seconds of every phase of compiling so far, by torch's name for it: `compilation_time_metrics` (2.2 to 2.14).

    Asks only a Dynamo which is imported already.
    """
    found = getattr(sys.modules.get("torch._dynamo.utils"), "compilation_time_metrics", None)
    return {str(name): list(seconds) for name, seconds in (found or {}).items()}


@contextlib.contextmanager
def records_put_back() -> Iterator[None]:
    """At the end, torch's records of compilations and times are what they were: what is compiled meanwhile is ours.

    `compilation_time_metrics` (2.2 to 2.15), `_compilation_metrics` (2.4 to 2.15), and what the calls of graphs add to
    those (`get_runtime_metrics_context`, 2.9 to 2.15).
    """
    utils = sys.modules.get("torch._dynamo.utils")
    of_calls = getattr(utils, "get_runtime_metrics_context", None)
    if of_calls is not None:
        of_calls().finish()
    records, times = getattr(utils, "_compilation_metrics", []), getattr(utils, "compilation_time_metrics", {})
    kept, lengths = list(records), {name: len(seconds) for name, seconds in times.items()}
    try:
        yield
    finally:
        if of_calls is not None:
            of_calls().finish()
        if len(records) != len(kept) or any(map(operator.is_not, records, kept)):
            records.clear()
            records.extend(kept)
        for name in [*times]:
            if name in lengths:
                del times[name][lengths[name] :]
            else:
                del times[name]


def keeps_compilations() -> bool:
    """Whether this torch keeps a record of what it compiled: see `compilation_metrics`."""
    return is_there(find, "torch._dynamo.utils", "get_compilation_metrics")


def compilations_of(code: types.CodeType) -> list[CachedCompilation]:
    """What Dynamo tried with a code object, as far as it remembers (the last 64 compilations of the process).

    A frame in which nothing was to be compiled has neither failure nor guards (measured on 2.6, 2.13, 2.15); `reset`
    leaves the records alone. Fields are read by name, for their set differs between versions.
    """
    found = []
    for one in compilation_metrics():
        where = (getattr(one, "co_name", ""), getattr(one, "co_filename", ""), getattr(one, "co_firstlineno", 0))
        if where == (code.co_name, code.co_filename, code.co_firstlineno):
            reason = str(getattr(one, "fail_reason", None) or "").strip()
            kind = str(getattr(one, "fail_type", None) or "")
            failure = "{}: {}".format(kind.rsplit(".", 1)[-1], " ".join(reason.split())[:600]) if kind else ""
            compile_id = getattr(one, "compile_id", None)
            found.append(
                CachedCompilation(str(compile_id or "?"), failure, getattr(one, "guard_count", None) is not None)
            )
    return found


def compile_times(metrics: Any) -> CompileTimes:
    """Where the time of one of `compilation_metrics` went.

    Fields of `CompilationMetrics`, by name: `entire_frame_compile_time_s` holds `backend_compile_time_s`, that holds
    `inductor_compile_time_s` (2.4 to 2.14), and that `triton_compile_time_us`, which is the wait for C++ kernels too
    (2.6 to 2.14). A backward graph has `duration_us` and no time of a frame (2.6 to 2.14). A backend that is not
    Inductor has no time of Inductor: what AOTAutograd takes around it is counted as the backend's. What the first calls
    take on a GPU is a record of its own with `is_runtime` (2.9 to 2.15), which has no function either. Tracing begins
    anew for `restart_reasons`; `dynamo_time_before_restart_s` went by until the last time (2.4 to 2.15).
    """
    seconds = {name: float(getattr(metrics, name, None) or 0.0) for name in _TIMES}
    inductor = seconds["inductor_compile_time_s"]
    whole = seconds["entire_frame_compile_time_s"]
    kernels = min(inductor, seconds["triton_compile_time_us"] / 1e6)
    if whole:
        backend = min(whole, seconds["backend_compile_time_s"])
    else:  # of a backward graph
        backend = whole = max(inductor, seconds["duration_us"] / 1e6)
    aot = max(0.0, backend - inductor) if inductor else 0.0
    return CompileTimes(
        str(getattr(metrics, "compile_id", None) or "?"),
        str(getattr(metrics, "co_name", None) or ""),
        seconds["start_time"],
        whole - backend,
        aot,
        backend - aot - kernels,
        kernels,
        seconds["guard_latency_us"] / 1e6,
        getattr(metrics, "is_runtime", None) is True,
        float(getattr(metrics, "dynamo_time_before_restart_s", None) or 0.0),
        tuple(sorted(set(map(_head, _texts(metrics, "restart_reasons"))))),
        tuple((noun, int(getattr(metrics, name))) for noun, name in _SIZES if getattr(metrics, name, None)),
        tuple(sorted(_texts(metrics, "compliant_custom_ops"))),
    )


def _texts(metrics: Any, name: str) -> list[str]:
    found = getattr(metrics, name, None)
    found = [found] if isinstance(found, str) else found
    return [one for one in found if isinstance(one, str)] if isinstance(found, (list, tuple, set)) else []


def _head(reason: str) -> str:
    """Torch's reason to trace a function once more, without what explains it."""
    return next(iter(without_addresses(stable(reason)).strip().splitlines()), "torch gives no reason")


def tells_events() -> bool:
    """Whether Dynamo tells of phases as they begin and end: `ChromiumEventLogger` (2.5 and later)."""
    return is_there(find, "torch._dynamo.utils", "ChromiumEventLogger._log_timed_event")


def tracing_context() -> Any:
    """Torch's notes on the graph that is being compiled, `torch._guards.TracingContext`; None outside of that."""
    try:
        return find("torch._guards", "TracingContext").try_get()
    except (MissingHook, AttributeError):
        return None


def input_changes(info: Any) -> tuple[str, bool]:
    """What AOTAutograd's `InputAliasInfo` says is changed of an input, and whether the graph itself does it.

    `mutates_data`, `mutates_metadata` and `mutation_type`, whose name ends in ``_IN_GRAPH``, in 2.2 to 2.15.
    """
    changed = ["the values"] * bool(info.mutates_data) + ["shape or strides"] * bool(info.mutates_metadata)
    return " and ".join(changed), str(getattr(info.mutation_type, "name", "")).endswith("IN_GRAPH")


_SHARES = {
    "alias_of_input": "is a view of input",
    "is_input": "is input",
    "unsafe_view_alias": "",
    "non_alias": "",
    "custom_function_view": "",
    "alias_of_intermediate": "is a view of a tensor that the graph makes",
    "alias_of_intermediate_save_as_output": "is a view of a tensor that the graph makes",
    "alias_of_intermediate_base_is_user_output": "is a view of another result",
}


def alias_of_result(info: Any) -> tuple[str, int | None]:
    """Which memory a result shares, in words, and the number of the input, as `OutputAliasInfo` says (2.2 to 2.15)."""
    return _SHARES.get(str(getattr(info.output_type, "name", "")), ""), info.base_idx


def compiled_codes() -> list[types.CodeType]:
    """Code objects which Dynamo has looked at, oldest first: `convert_frame.input_codes`, a list of weak references
    named `seen` in 2.2 to 2.15; `reset` empties it."""
    try:
        references = find("torch._dynamo.convert_frame", "input_codes.seen")
    except MissingHook:
        return []
    found = [reference() for reference in list(references)]
    return [code for code in found if isinstance(code, types.CodeType)]


def graph_break_reasons() -> list[Any]:
    """Why Dynamo ended graphs so far, empty ones too: `torch._dynamo.utils.graph_break_reasons`, a list of
    `GraphCompileReason` in 2.2 to 2.15; `reset` empties it. Asks only a Dynamo which is imported already."""
    return list(getattr(sys.modules.get("torch._dynamo.utils"), "graph_break_reasons", None) or ())


def guard_failures(code: types.CodeType) -> list[str]:
    """Why compilations of `code` did not fit, one text each, in the order in which they were asked:
    `torch._dynamo.utils.guard_failures`, by the code that was compiled, in 2.2 to 2.15; `reset` empties it."""
    kept = getattr(sys.modules.get("torch._dynamo.utils"), "guard_failures", None) or {}
    return [str(one) for one in kept.get(code, ())]


def drops_what_failed() -> bool:
    """Whether Dynamo may drop all that it has for a function when it can't or may not compile it once more.

    2.2 and 2.4 do, 2.6 does not (measured with `_debug_get_cache_entry_list`); up to 2.6 they ask
    `exceeds_cache_size_limit` before each compilation, later versions a function of another name.
    """
    return is_there(find, "torch._dynamo.convert_frame", "exceeds_cache_size_limit")


def as_tensor_in_guards() -> str:
    """The name in torch of what guards call ``___as_tensor``: `as_tensor` in 2.4, `_as_tensor_fullprec` from 2.6 on,
    by `CLOSURE_VARS` of torch._dynamo.guards, from 2.6 on by `_get_closure_vars()`; 2.2 has none."""
    known: Any = {}
    with contextlib.suppress(MissingHook):
        known = find("torch._dynamo.guards", "CLOSURE_VARS")
    with contextlib.suppress(MissingHook):
        known = find("torch._dynamo.guards", "_get_closure_vars")()
    return str(getattr(known.get("___as_tensor"), "__name__", "as_tensor"))


def is_switched_off() -> bool:
    """`torch._dynamo.config.disable`, which environment variables set too."""
    try:
        return bool(find("torch._dynamo.config", "disable"))
    except MissingHook:
        return False


def forces_eager() -> bool:
    """Whether `torch.compiler.set_stance("force_eager")` is in force (2.6 and later)."""
    try:
        return str(find("torch._dynamo.eval_frame", "_stance").stance) == "force_eager"
    except (MissingHook, AttributeError):
        return False


def static_by_request() -> str:
    """``dynamic=False`` where this thread compiles for ``torch.compile(dynamic=False)``, or the setting that says the
    same; "" for neither.

    While it does, `config.automatic_dynamic_shapes` is off, which it is not otherwise, and the `self` of what calls
    the function, in eval_frame.py, has `_dynamic`, up to 2.2 `dynamic` (measured on 2.2 to 2.15).
    """
    if getattr(sys.modules.get("torch._dynamo.config"), "automatic_dynamic_shapes", True) is not False:
        return ""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename.replace("\\", "/").endswith("/_dynamo/eval_frame.py"):
            known = getattr(frame.f_locals.get("self"), "__dict__", {})
            if known.get("_dynamic", known.get("dynamic")) is False:
                return "dynamic=False"
        frame = frame.f_back
    return "torch._dynamo.config.automatic_dynamic_shapes = False"


def recompile_limit() -> tuple[str, int]:
    """The setting that bounds the compilations of a function, as this thread has it: `recompile_limit`,
    `cache_size_limit` up to 2.5. Other threads have their own from 2.13 on (measured on 2.2, 2.6, 2.9, 2.13, 2.15)."""
    config = sys.modules.get("torch._dynamo.config")
    name = next((one for one in ("recompile_limit", "cache_size_limit") if hasattr(config, one)), "recompile_limit")
    return name, int(getattr(config, name, 0))


def is_inductor_output(thing: Any) -> bool:
    """Whether this is what Inductor returns: `CompiledFxGraph`, in codecache.py and, from 2.6, in output_code.py."""
    return type(thing).__name__ == "CompiledFxGraph" and type(thing).__module__.startswith("torch._inductor")


def inductor_source(output: Any) -> str:
    """The module which Inductor generated; "" when it can't be had.

    2.4 and later keep it as `source_code`. In 2.2 the file that `compiled_artifact` was loaded from has it.
    """
    source = getattr(output, "source_code", None)
    if isinstance(source, str) and source:
        return source
    function = getattr(output, "compiled_artifact", None) or getattr(output, "current_callable", None)
    path = str(getattr(getattr(function, "__code__", None), "co_filename", ""))
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


def backward_of(thing: Any) -> list[Any]:
    """What runs the backward graph, where `thing` is AOTAutograd's autograd function: its `compiled_bw`."""
    if not isinstance(thing, type):
        return []
    backward = vars(thing).get("compiled_bw")
    return [backward] if callable(backward) else []
