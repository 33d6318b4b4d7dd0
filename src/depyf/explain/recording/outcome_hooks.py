"""What came of each of Dynamo's attempts to compile a function: hooks for what gave nothing to run, and why."""

from __future__ import annotations

import contextlib
import functools
from typing import Any

from ..containment import done, edge, told
from ..torch_facts.exchanged_code import Heard, listen
from ..torch_facts.torch_behavior import MissingHook, find, with_dynamo_off

__all__ = ["backward_runs", "hook_attempts", "hook_backward", "hook_events", "hook_frames_without_tensors",
           "hook_recompiles", "hook_skip_frame", "hook_skips", "hook_stances", "hook_suppressed", "hook_unsupported"]

_HOME = "torch._dynamo.convert_frame"


def hook_attempts(recorder: Any, undo: contextlib.ExitStack) -> None:
    """`_compile`: one attempt at one code object."""
    before = find(_HOME, "_compile")

    @edge
    def _compile(*args: Any, **kwargs: Any) -> Any:
        told(recorder, "on_outcome", "begins", args, kwargs)
        try:
            result = before(*args, **kwargs)
        except Exception as error:
            told(recorder, "on_outcome", "ended", (before, args, kwargs), None, error)
            raise
        told(recorder, "on_outcome", "ended", (before, args, kwargs), result, None)
        return result

    _put(find(_HOME, "__dict__"), "_compile", _compile, undo)


def hook_skips(recorder: Any, undo: contextlib.ExitStack) -> None:
    """`CatchErrorsWrapper._handle_skip(result, frame)`: Dynamo leaves a frame to Python, and says why."""
    owner = find(_HOME, "CatchErrorsWrapper")
    before = find(_HOME, "CatchErrorsWrapper._handle_skip")

    @edge
    def _handle_skip(self: Any, *args: Any, **kwargs: Any) -> Any:
        told(recorder, "on_outcome", "skipped", args, kwargs)
        return before(self, *args, **kwargs)

    undo.callback(setattr, owner, "_handle_skip", before)
    owner._handle_skip = _handle_skip


def hook_suppressed(recorder: Any, undo: contextlib.ExitStack) -> None:
    """`format_error_msg(exception, code, ...)`: called where Dynamo goes on after an error, and nowhere else."""
    before = find(_HOME, "format_error_msg")

    @edge
    def format_error_msg(*args: Any, **kwargs: Any) -> Any:
        told(recorder, "on_outcome", "suppressed", args, kwargs)
        return before(*args, **kwargs)

    _put(find(_HOME, "__dict__"), "format_error_msg", format_error_msg, undo)


def hook_frames_without_tensors(recorder: Any, undo: contextlib.ExitStack) -> None:
    """`has_tensor_in_frame(frame)`: where it has none, Dynamo does not try."""
    before = find(_HOME, "has_tensor_in_frame")

    @edge
    def has_tensor_in_frame(*args: Any, **kwargs: Any) -> Any:
        found = before(*args, **kwargs)
        if found is False:
            told(recorder, "on_outcome", "without_tensors", args, kwargs)
        return found

    _put(find(_HOME, "__dict__"), "has_tensor_in_frame", has_tensor_in_frame, undo)


def hook_skip_frame(recorder: Any, undo: contextlib.ExitStack) -> None:
    """`SkipFrame(reason)`: what ends an attempt without an error."""
    _hook_method("SkipFrame", "__init__", "skip_raised", recorder, undo)


def hook_unsupported(recorder: Any, undo: contextlib.ExitStack) -> None:
    """`Unsupported.add_to_stats`: called as one is made, with all that it says in place."""
    _hook_method("Unsupported", "add_to_stats", "unsupported", recorder, undo)


def _hook_method(kind: str, method: str, event: str, recorder: Any, undo: contextlib.ExitStack) -> None:
    owner = find("torch._dynamo.exc", kind)
    before = getattr(owner, method)

    @edge
    def stand_in(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = before(self, *args, **kwargs)
        told(recorder, "on_outcome", event, self)
        return result

    if method in vars(owner):
        undo.callback(setattr, owner, method, before)
    else:
        undo.callback(delattr, owner, method)
    setattr(owner, method, stand_in)


def hook_events(recorder: Any, undo: contextlib.ExitStack) -> None:
    """`_log_timed_event(name, time_ns, phase, metadata)` and `log_instant_event(name, time_ns, metadata)`, if any."""
    logger = find("torch._dynamo.utils", "ChromiumEventLogger")
    for method in ("_log_timed_event", "log_instant_event"):
        if method in vars(logger):
            _hook_event(logger, method, recorder, undo)


def _hook_event(logger: Any, method: str, recorder: Any, undo: contextlib.ExitStack) -> None:
    before = getattr(logger, method)

    @edge
    def stand_in(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = before(self, *args, **kwargs)  # which adds the compilation
        told(recorder, "on_event", args, kwargs)
        return result

    undo.callback(setattr, logger, method, before)
    setattr(logger, method, stand_in)


_backwards: list[Heard] = []


def hook_backward(recorder: Any, undo: contextlib.ExitStack) -> None:
    """`_engine_run_backward`: a backward graph is compiled in it, when it is first needed; its errors leave it."""
    listen(recorder, find("torch.autograd.graph", "_engine_run_backward"), _backward_in_place, _backwards, undo)


@edge
def backward_runs(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What `_engine_run_backward` does while a recorder listens."""
    recorder, original = _backwards[-1]
    try:
        return original(*args, **kwargs)
    except Exception as error:
        told(recorder, "on_outcome", "backward_failed", error)
        raise


@edge
def _backward_in_place(*args: Any, **kwargs: Any) -> Any:
    from depyf.explain.recording.outcome_hooks import backward_runs

    return backward_runs(args, kwargs)


def hook_stances(recorder: Any, undo: contextlib.ExitStack) -> None:
    """`_callback_from_stance(callback)`: gives what raises instead of compiling, for ``fail_on_recompile``."""
    home = find("torch._dynamo.eval_frame", "__dict__")
    before = home["_callback_from_stance"]

    @edge
    def _callback_from_stance(*args: Any, **kwargs: Any) -> Any:
        callback = before(*args, **kwargs)
        what = "hearing what a stance forbids"
        return done(recorder.session, what, with_dynamo_off, _heard, recorder, callback) or callback

    _put(home, "_callback_from_stance", _callback_from_stance, undo)


def _heard(recorder: Any, before: Any) -> Any:
    """`before` itself unless it raises; else one with the same attributes, by which Dynamo knows the backend."""
    if getattr(before, "__name__", "") != "fail_callback":
        return before

    @edge
    @functools.wraps(before)
    def fail_callback(*args: Any, **kwargs: Any) -> Any:
        try:
            return before(*args, **kwargs)
        except Exception as error:
            told(recorder, "on_outcome", "forbidden", args, kwargs, error)
            raise

    return fail_callback


_REASONS = ("get_and_maybe_log_recompilation_reasons", "get_and_maybe_log_recompilation_reason")


def hook_recompiles(recorder: Any, undo: contextlib.ExitStack) -> None:
    """`get_and_maybe_log_recompilation_reason(s)`: why none of the compilations of a frame fits."""
    home = find(_HOME, "__dict__")
    name = next((one for one in _REASONS if one in home), "")
    if not name:
        raise MissingHook(f"this torch has no {_HOME}.{_REASONS[0]}")
    before = home[name]

    @edge
    def reasons(*args: Any, **kwargs: Any) -> Any:
        try:
            result = before(*args, **kwargs)
        except Exception as error:
            told(recorder, "on_outcome", "must_not_recompile", args, kwargs, error)
            raise
        told(recorder, "on_outcome", "recompiles", args, kwargs, result)
        return result

    _put(home, name, reasons, undo)


def _put(home: Any, name: str, instead: Any, undo: contextlib.ExitStack) -> None:
    undo.callback(home.update, {name: home[name]})
    home[name] = instead
