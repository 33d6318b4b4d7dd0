"""What the hooks tell of Dynamo's attempts to compile, sorted into breaks, refusals, skips and reasons to recompile."""

from __future__ import annotations

import inspect
from types import CodeType
from typing import Any, Callable, Dict, Tuple

from ..model import GraphBreak, RecompileReason, Session
from ..running import WATCHERS
from ..torch_facts import torch_attempts, torch_behavior
from .break_log import BreakLog
from .called_names import called_name
from .came_to_nothing import take_back
from .circumstances import RecompilingCall, circumstances
from .recompiles import reason_from_text
from .refusals import Refusals, is_of_libraries

__all__ = ["Attempts"]

_Args = Tuple[Any, ...]
_Keywords = Dict[str, Any]
_Call = Tuple[Callable[..., Any], _Args, _Keywords]


class Attempts:
    """Dynamo's attempts in one recording.

    Attributes:
        refusals: those that gave nothing to run.
        circumstances: of each compilation, by its id.
    """

    def __init__(self, session: Session) -> None:
        self.refusals = Refusals()
        self._session = session
        self._breaks = BreakLog()
        self._skip: Any = None  # the SkipFrame which may be about to end this attempt
        self._left: tuple[CodeType | None, str, list[RecompileReason]] = (None, "", [])  # by the last attempt
        self._recompiles: dict[int, tuple[CodeType, list[str], RecompilingCall]] = {}  # before their attempts
        self.circumstances: dict[str, dict[str, str]] = {}  # of each compilation, by its id

    def unsupported(self, error: Any) -> None:
        """Dynamo found something that it can't trace."""
        self._breaks.raised(error)
        code = None if torch_behavior.current_compile_id() else torch_attempts.code_asked_about()
        if code is not None and not is_of_libraries(code.co_filename):  # before an attempt begins: a generator
            self.refusals.failed(code, "", error, False)

    def skip_raised(self, error: Any) -> None:
        """Dynamo is about to leave the frame alone."""
        self._skip = error

    def dropped(self, is_reset: bool) -> None:
        """Dynamo may drop what is compiled so far; by `torch._dynamo.reset()`, all of it."""
        if not is_reset:
            return
        self._breaks.forget()
        for frame in self._session.frames:
            for entry in frame.entries:
                entry.gone = entry.gone or "dropped by torch._dynamo.reset()"

    def compiled(self, compile_id: str, local_names: Any) -> list[GraphBreak]:
        """A compilation has just given code: its breaks. Its circumstances are kept, for when it does not fit."""
        self.circumstances[compile_id] = circumstances(local_names)
        return self._breaks.take(compile_id)

    def cuts(self) -> list[str]:
        """Why the backend has cut the graph of that compilation, once for each part."""
        return self._breaks.cuts

    def begins(self, args: _Args, kwargs: _Keywords) -> None:
        """An attempt begins: `_compile(code, ...)`."""
        for watch in WATCHERS:
            watch(args[0] if args else kwargs["code"])

    def ended(self, call: _Call, result: Any, error: BaseException | None) -> None:
        """An attempt has ended: `call` is that of `_compile`."""
        for watch in WATCHERS:
            watch(None)
        skip, self._skip = self._skip, None
        if error is None and torch_attempts.has_code(result):
            return
        function, args, kwargs = call
        given = inspect.signature(function).bind(*args, **kwargs).arguments
        code, compile_id = given["code"], str(given.get("compile_id") or "")
        self._session.breaks += self._breaks.take(compile_id)
        called = called_name(code, given.get("locals") or {})
        texts, unfit = self.reasons_of(code)
        recompiled = [reason_from_text(text, unfit) for text in texts]
        if error is not None:
            take_back(self._session, code, compile_id)
            self.refusals.failed(code, compile_id, error, bool(given.get("one_graph")), recompiled, called)
        elif torch_attempts.tells_skip_reasons():
            self._left = code, compile_id, recompiled
        else:
            cause = getattr(skip, "__cause__", None)
            if cause is not None:
                self.refusals.failed(code, compile_id, cause, False, recompiled, called)
                self.refusals.found[-1].consequence = f"it runs as it is written ({_first_line(skip)})"
            else:
                self.refusals.skipped(code, compile_id, str(skip or ""), recompiled)

    def skipped(self, args: _Args, kwargs: _Keywords) -> None:
        """Dynamo leaves a frame to Python: `CatchErrorsWrapper._handle_skip(result, frame)`."""
        result, frame = [*args, *(kwargs.get(name) for name in ("result", "frame")[len(args) :])][:2]
        reason = getattr(result, "skip_reason", None)
        if reason and not torch_attempts.has_code(result):
            (code, compile_id, recompiled), self._left = self._left, (None, "", [])
            known = (compile_id, recompiled) if code is frame.f_code else ("", [])
            self.refusals.skipped(frame.f_code, known[0], str(reason), known[1])

    def without_tensors(self, args: _Args, kwargs: _Keywords) -> None:
        """Dynamo does not try a frame, as there is no tensor in it: `has_tensor_in_frame(frame)`."""
        frame = args[0] if args else kwargs["frame"]
        self.refusals.skipped(frame.f_code, "", "no tensor-related objects found in frame")

    def recompiles(self, args: _Args, kwargs: _Keywords, reasons: Any) -> None:
        """No compilation of a frame fits: `get_and_maybe_log_recompilation_reasons(entries, frame, ...)`."""
        frame = next(one for one in [*args, *kwargs.values()] if hasattr(one, "f_code"))
        call = RecompilingCall(frame.f_locals, getattr(frame, "f_globals", None), circumstances(frame.f_locals))
        self._recompiles[id(frame.f_code)] = (frame.f_code, [str(one) for one in reasons or ()], call)

    def reasons_of(self, code: CodeType | None) -> tuple[list[str], RecompilingCall | None]:
        """Why `code` is compiled again, in torch's words, and the call which made it so; asked once."""
        known = self._recompiles.pop(id(code), None)
        return ([], None) if known is None else known[1:]


def _first_line(error: Any) -> str:
    return (str(error).strip().splitlines() or [""])[0]
