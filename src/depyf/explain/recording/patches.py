"""Everything which `prepare_debug` hooks into or changes in torch, one row each, undone when the context ends.

A row says what it reaches for, what it gives the dump, and since (and until) which version of torch the target exists;
the versions are documentation, the code asks `torch_behavior.py`. A row whose target is missing costs what `serves`
says, and nothing else. Every replacement passes all arguments through, those it does not know as well.
"""

from __future__ import annotations

import contextlib
import sys
import types
from dataclasses import dataclass
from typing import Any, Callable

from ..containment import EDGES, contained, done, edge, told
from ..kernels.cuda_graphs import hook_cuda_graphs, hook_parts, hook_skipped_cuda_graphs
from ..kernels.hooks import hook_kernels
from ..stepping.interpreted_graphs import hook_interpreter
from ..torch_facts import torch_attempts, torch_behavior, torch_cudagraphs, torch_keeps
from ..torch_facts.exchanged_code import Heard, listen
from ..torch_facts.torch_behavior import MissingHook, find
from ..torch_facts.torch_debugging import interprets_graphs
from .outcome_hooks import (
    hook_attempts,
    hook_backward,
    hook_events,
    hook_frames_without_tensors,
    hook_recompiles,
    hook_skip_frame,
    hook_skips,
    hook_stances,
    hook_suppressed,
    hook_unsupported,
)

__all__ = ["PATCHES", "Patch", "apply_late_patches", "apply_patches", "graph_is_to_run", "graph_was_formatted",
           "original_kernel_loader"]


@dataclass(frozen=True)
class Patch:
    """One row.

    Attributes:
        target: what is hooked or changed.
        apply: given the recorder and a stack of what undoes things, does it. What takes it back goes onto the stack
            before anything is changed. Raises MissingHook when this torch does not have the target.
        serves: what the dump lacks without it.
        reason: why it is done this way.
        since: first version of torch which has the target.
        until: last one, "" when there is none.
        wanted: whether this recorder needs the row.
        when: a module of torch's to wait for: importing it for our own sake would not be without effect.
    """

    target: str
    apply: Callable[[Any, contextlib.ExitStack], None]
    serves: str
    reason: str
    since: str
    until: str = ""
    wanted: Callable[[Any], bool] = lambda recorder: True
    when: str = "torch"


def apply_patches(recorder: Any, undo: contextlib.ExitStack) -> None:
    """Applies every row for `recorder`, whatever happens to the others; `undo` gets what takes them back."""
    recorder.late_patches = list(PATCHES)
    undo.callback(recorder.restores.close)  # what is left, if the next failed
    undo.callback(done, recorder.session, "restoring torch", _restore, recorder.restores)
    with torch_behavior.nothing_compiles():
        apply_late_patches(recorder)


def apply_late_patches(recorder: Any) -> None:
    """Applies those rows whose modules have been imported since."""
    for patch in [patch for patch in recorder.late_patches if patch.when in sys.modules]:
        recorder.late_patches.remove(patch)
        with contained(recorder.session, f"hooking {patch.target}", costs=patch.serves):
            if not patch.wanted(recorder):
                continue
            restores = contextlib.ExitStack()
            recorder.restores.callback(done, recorder.session, f"restoring {patch.target}", restores.close)
            patch.apply(recorder, restores)
            for code in EDGES:
                torch_behavior.never_compile(code)


def _restore(restores: contextlib.ExitStack) -> None:
    with torch_behavior.nothing_compiles():
        restores.close()


# ---- kinds of hooks. Functions marked `edge` replace torch's


def _hook_bytecode(recorder: Any, undo: contextlib.ExitStack) -> None:
    @edge
    def hook(code: types.CodeType, new_code: types.CodeType) -> Any:
        return told(recorder, "on_bytecode", code, new_code)

    handles: list[Any] = []
    undo.callback(lambda: [handle.remove() for handle in handles])
    handles.append(torch_behavior.register_bytecode_hook(hook))


_graphs: list[Heard] = []


@edge
def graph_was_formatted(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What `lazy_format_graph_code` does while a recorder listens: tell it, then do what it always did."""
    recorder, original = _graphs[-1]
    told(recorder, "on_graph", args, kwargs)
    return original(*args, **kwargs)


@edge
def _formatter_in_place(*args: Any, **kwargs: Any) -> Any:
    from depyf.explain.recording.patches import graph_was_formatted

    return graph_was_formatted(args, kwargs)


def _hook_graph_formatter(recorder: Any, undo: contextlib.ExitStack) -> None:
    listen(recorder, torch_behavior.graph_formatter(), _formatter_in_place, _graphs, undo)


_graph_runners: list[Heard] = []


@edge
def graph_is_to_run(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What `boxed_nop` does while a recorder listens: tell it of the graph, when what runs it is made."""
    recorder, original = _graph_runners[-1]
    result = original(*args, **kwargs)
    told(recorder, "on_graph_that_runs", args, kwargs)
    return result


@edge
def _graph_runner_in_place(*args: Any, **kwargs: Any) -> Any:
    from depyf.explain.recording.patches import graph_is_to_run

    return graph_is_to_run(args, kwargs)


def _hook_graph_runner(recorder: Any, undo: contextlib.ExitStack) -> None:
    listen(recorder, find("torch._dynamo.backends.debugging", "boxed_nop"), _graph_runner_in_place, _graph_runners,
           undo)


_kernel_loaders: list[Callable[..., Any]] = []  # torch's own, while a recorder wraps it


def original_kernel_loader() -> Callable[..., Any]:
    """torch's `PyCodeCache.load_by_key_path`, bound, whether or not a recorder listens."""
    if _kernel_loaders:
        return _kernel_loaders[0]
    loader: Callable[..., Any] = find("torch._inductor.codecache", "PyCodeCache.load_by_key_path")
    return loader


def _hook_kernel_loader(recorder: Any, undo: contextlib.ExitStack) -> None:
    cache = find("torch._inductor.codecache", "PyCodeCache")
    if "load_by_key_path" not in vars(cache):
        raise MissingHook("PyCodeCache has no load_by_key_path")
    before = vars(cache)["load_by_key_path"]
    load = cache.load_by_key_path

    @edge
    def load_by_key_path(cls: Any, *args: Any, **kwargs: Any) -> Any:
        module = load(*args, **kwargs)
        told(recorder, "on_kernel", module)
        return module

    undo.callback(_forget, _kernel_loaders, load)
    _kernel_loaders.append(load)
    undo.callback(setattr, cache, "load_by_key_path", before)
    cache.load_by_key_path = classmethod(load_by_key_path)


def _exchange(module: str, instead: Any, undo: contextlib.ExitStack) -> None:
    """Puts a function where the module has one of its name."""
    home, name = find(module, "__dict__"), instead.__name__
    undo.callback(home.update, {name: home[name]})
    home[name] = instead


def _hook_generated_code(recorder: Any, undo: contextlib.ExitStack) -> None:
    before = find("torch.fx.graph_module", "_exec_with_source")

    @edge
    def _exec_with_source(*args: Any, **kwargs: Any) -> Any:
        result = before(*args, **kwargs)
        told(recorder, "on_generated_code", args, kwargs)
        return result

    _exchange("torch.fx.graph_module", _exec_with_source, undo)


def _hook_ahead_of_time(recorder: Any, undo: contextlib.ExitStack) -> None:
    before = find("torch._dynamo.aot_compile", "aot_compile_fullgraph")

    @edge
    def aot_compile_fullgraph(*args: Any, **kwargs: Any) -> Any:
        result = before(*args, **kwargs)
        told(recorder, "on_ahead_of_time", result)
        return result

    _exchange("torch._dynamo.aot_compile", aot_compile_fullgraph, undo)


def _hook_guard_lines(recorder: Any, undo: contextlib.ExitStack) -> None:
    guards = find("torch._guards", "GuardsSet")
    before = guards.add

    @edge
    def add(self: Any, guard: Any, *args: Any, **kwargs: Any) -> Any:
        told(recorder, "on_guard", guard, self)
        kwargs["skip"] = kwargs.get("skip", 0) + 1  # frames to leave out of the stack: this one
        return before(self, guard, *args, **kwargs)

    undo.callback(setattr, guards, "add", before)
    guards.add = add


_guard_listeners: list[Any] = []  # an object's finalizer holds the hook below for as long as the object lives


@edge
def _guards_go(check_manager: Any) -> None:
    for recorder in _guard_listeners[-1:]:
        told(recorder, "on_invalidated", check_manager)


def _hook_invalidation(recorder: Any, undo: contextlib.ExitStack) -> None:
    manager = find("torch._dynamo.guards", "CheckFunctionManager")
    before = manager.invalidate

    @edge
    def invalidate(self: Any, *args: Any, **kwargs: Any) -> Any:
        _guards_go(self)
        return before(self, *args, **kwargs)

    undo.callback(_forget, _guard_listeners, recorder)
    _guard_listeners.append(recorder)
    undo.callback(setattr, manager, "invalidate", before)
    manager.invalidate = invalidate


def _before(module: str, name: str) -> Callable[[Any, contextlib.ExitStack], None]:
    """The hook on a function which drops what is compiled, or is called before that is."""

    def apply(recorder: Any, undo: contextlib.ExitStack) -> None:
        before = find(module, name)

        @edge
        def stand_in(*args: Any, **kwargs: Any) -> Any:
            told(recorder, "on_drop", name == "reset")
            return before(*args, **kwargs)

        stand_in.__name__ = name
        _exchange(module, stand_in, undo)

    return apply


def _forget(listeners: list[Any], one: Any) -> None:
    if one in listeners:
        listeners.remove(one)


PATCHES: list[Patch] = [
    Patch(
        target="torch._dynamo.convert_frame.register_bytecode_hook",
        apply=_hook_bytecode,
        serves="transformed code, pages per function",
        reason="public hook; what it returns is what runs",
        since="2.2",
    ),
    Patch(
        target="torch.fx._utils.lazy_format_graph_code",
        apply=_hook_graph_formatter,
        serves="graph files",
        reason="every stage calls it with its graph, whether or not logs are on. Its code object is exchanged, as some "
        "20 modules have imported the function by name",
        since="2.2 (in torch._dynamo.utils; in torch.fx._utils since 2.4)",
    ),
    Patch(
        target="torch._dynamo.backends.debugging.boxed_nop",
        apply=_hook_graph_runner,
        serves="breakpoints in backward graphs with the backend aot_eager",
        reason="AOTAutograd shows one backward graph and gives a copy of it to the backend (2.9 and later). Its code "
        "object is exchanged, as aot_eager of 2.2 has the function itself",
        since="2.2",
        when="torch._dynamo.backends.debugging",
    ),
    Patch(
        target="torch.fx.Interpreter.boxed_run",
        apply=lambda recorder, undo: hook_interpreter(recorder.session, undo),
        serves="breakpoints in graph files with the backend aot_eager",
        reason="aot_eager never runs the code of a graph. Replaced for graphs that were compiled under a debugger",
        since="2.2",
        until="2.9",
        wanted=lambda recorder: interprets_graphs(),
        when="torch._dynamo.backends.debugging",
    ),
    Patch(
        target="torch._inductor.codecache.PyCodeCache.load_by_key_path",
        apply=_hook_kernel_loader,
        serves="kernel files",
        reason="every module which Inductor generates is loaded by it; `set_sys_modules` since 2.13. "
        "Before 2.9 the import of its module starts compile workers, so it is left to torch",
        since="2.2",
        when="torch._inductor.codecache",
    ),
    Patch(
        target="torch.fx.graph_module._exec_with_source",
        apply=_hook_generated_code,
        serves="fx_graph_code files",
        reason="the only way to see generated code that belongs to no graph of a compiled function",
        since="2.2",
        wanted=lambda recorder: not recorder.clean_wild_fx_code,
    ),
    Patch(
        target="torch._dynamo.aot_compile.aot_compile_fullgraph",
        apply=_hook_ahead_of_time,
        serves="pages of functions compiled ahead of time",
        reason="`aot_compile` calls neither the hook on bytecode nor Dynamo's cache",
        since="2.9",
        wanted=lambda recorder: torch_behavior.compiles_ahead_of_time(),
    ),
    Patch(
        target="torch._guards.GuardsSet.add",
        apply=_hook_guard_lines,
        serves="the user's lines with guards",
        reason="the line is at hand when a guard is added, but these versions keep it only while guards are logged",
        since="2.4",
        until="2.8",
        wanted=lambda recorder: not torch_behavior.collects_guard_lines(),
    ),
    Patch(
        target="torch._inductor.debug.set_kernel_post_grad_provenance_tracing",
        apply=hook_kernels,
        serves="which line of the program became which kernel",
        reason="torch's own provenance, called with every kernel call that a wrapper makes; before, "
        "`torch._inductor.utils.get_fused_kernel_name`, called with the operations of each new kernel. The code object "
        "is exchanged, as several modules import it by name",
        since="2.10 (get_fused_kernel_name: 2.2)",
        when="torch._inductor.debug",
    ),
    Patch(
        target="torch._inductor.compile_fx.cudagraphify",
        apply=lambda recorder, undo: hook_cuda_graphs(recorder, undo, _exchange),
        serves="which graphs run as CUDA graphs",
        reason="called for each part of a module that is to be one",
        since="2.2",
        when="torch._inductor.compile_fx",
    ),
    Patch(
        target="torch._inductor.output_code.cudagraph_partition_post_compile",
        apply=lambda recorder, undo: hook_parts(recorder, undo, _exchange),
        serves="why a graph does not run as a CUDA graph",
        reason="where no part of a graph can be one, it says so nowhere",
        since="2.8",
        wanted=lambda recorder: torch_cudagraphs.has_parts(),
        when="torch._inductor.output_code",
    ),
    Patch(
        target="torch._inductor.cudagraph_utils.log_cudagraph_skip_and_bump_counter",
        apply=hook_skipped_cuda_graphs,
        serves="why a graph does not run as a CUDA graph",
        reason="the one place where all reasons come together; torch logs them. Its code object is exchanged, as "
        "several modules import it by name",
        since="2.4",
        wanted=lambda recorder: torch_cudagraphs.says_why_not(),
        when="torch._inductor.cudagraph_utils",
    ),
    Patch(
        target="torch._dynamo.guards.CheckFunctionManager.invalidate",
        apply=_hook_invalidation,
        serves="guards of compilations which Dynamo drops, as their model is gone before the recording ends",
        reason="the last moment at which these guards can be read",
        since="2.2 (drops entries since 2.4)",
    ),
    Patch(
        target="torch._dynamo.reset",
        apply=_before("torch._dynamo", "reset"),
        serves="guards of compilations which the program drops by torch._dynamo.reset()",
        reason="the last moment at which these guards can be read",
        since="2.2",
    ),
    Patch(
        target="torch._dynamo.eval_frame.remove_from_cache",
        apply=_before("torch._dynamo.eval_frame", "remove_from_cache"),
        serves="guards of what torch._dynamo.export compiles",
        reason="the last moment at which these guards can be read",
        since="2.2",
    ),
    Patch(
        target="torch._dynamo.convert_frame.exceeds_cache_size_limit",
        apply=_before("torch._dynamo.convert_frame", "exceeds_cache_size_limit"),
        serves="guards of functions which Dynamo gives up later",
        reason="called when it is about to compile. Where that fails, or is once too often, it drops what it has for "
        "the function",
        since="2.2",
        until="2.6",
        wanted=lambda recorder: torch_keeps.drops_what_failed(),
    ),
    Patch(
        target="torch._dynamo.convert_frame._compile",
        apply=hook_attempts,
        serves="what was not compiled and why, in full",
        reason="every attempt at a frame goes through it; an error in it is seen nowhere else, as Dynamo falls back. "
        "Its records of compilations have the text alone, from 2.11 or so",
        since="2.2",
    ),
    Patch(
        target="torch._dynamo.convert_frame.format_error_msg",
        apply=hook_suppressed,
        serves="whether an error of a compilation left the call, or the function ran as it is written",
        reason="`ConvertFrame` calls it to log an error after which it continues, and not where it raises",
        since="2.2",
    ),
    Patch(
        target="torch._dynamo.exc.Unsupported.add_to_stats",
        apply=hook_unsupported,
        serves="the reason where Dynamo goes back to an earlier place (step_unsupported, comprehension_graph_break)",
        reason="Dynamo forgets the error then; this is called as each is made",
        since="2.2",
    ),
    Patch(
        target="torch._dynamo.convert_frame.CatchErrorsWrapper._handle_skip",
        apply=hook_skips,
        serves="what Dynamo left to Python, and why",
        reason="the only place where torch's reason and the frame meet",
        since="2.13",
        wanted=lambda recorder: torch_attempts.tells_skip_reasons(),
    ),
    Patch(
        target="torch._dynamo.exc.SkipFrame",
        apply=hook_skip_frame,
        serves="why Dynamo left a frame to Python",
        reason="`_compile` drops it; the text is logged only",
        since="2.2",
        until="2.12",
        wanted=lambda recorder: not torch_attempts.tells_skip_reasons(),
    ),
    Patch(
        target="torch._dynamo.convert_frame.has_tensor_in_frame",
        apply=hook_frames_without_tensors,
        serves="which functions Dynamo did not try",
        reason="asked before `_compile`, which is not called then",
        since="2.2",
        until="2.12",
        wanted=lambda recorder: not torch_attempts.tells_skip_reasons(),
    ),
    Patch(
        target="torch._dynamo.convert_frame.get_and_maybe_log_recompilation_reasons",
        apply=hook_recompiles,
        serves="every reason to compile again",
        reason="it has one for each compilation that did not fit; of these `_compile` keeps the first",
        since="2.2 (get_and_maybe_log_recompilation_reason; this name since 2.7 or so)",
    ),
    Patch(
        target="torch.autograd.graph._engine_run_backward",
        apply=hook_backward,
        serves="errors of backward graphs",
        reason="they are compiled as the backward pass runs, outside of `_compile`. The code object is exchanged, as "
        "torch.autograd has the function itself",
        since="2.3",
        wanted=lambda recorder: torch_attempts.has_one_engine(),
        when="torch.autograd.graph",
    ),
    Patch(
        target="torch._dynamo.eval_frame._callback_from_stance",
        apply=hook_stances,
        serves="calls that raise because of a stance",
        reason="`_compile` is not called then",
        since="2.6",
        wanted=lambda recorder: torch_attempts.has_stances(),
        when="torch._dynamo.eval_frame",
    ),
    Patch(
        target="torch._dynamo.utils.ChromiumEventLogger",
        apply=hook_events,
        serves="the trace of phases, and what torch's caches had",
        reason="told whether or not TORCH_TRACE is set, and kept nowhere",
        since="2.5",
        wanted=lambda recorder: torch_keeps.tells_events(),
    ),
]
