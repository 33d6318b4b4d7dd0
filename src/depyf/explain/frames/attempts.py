"""What the hooks tell of Dynamo's attempts to compile, sorted into breaks, refusals, skips and reasons to recompile."""

from __future__ import annotations

import inspect
import itertools
import linecache
import os
import re
import sys
from types import CodeType, FrameType
from typing import Any, Callable, Dict, Iterator, Tuple

from ...owners import is_of_libraries, is_of_program
from ..model import GraphBreak, RecompileReason, Session, SourceLine
from ..names import file_name
from ..running import WATCHERS
from ..torch_facts import torch_attempts, torch_behavior
from .break_log import BreakLog
from .called_names import called_name
from .came_to_nothing import take_back
from .circumstances import RecompilingCall, circumstances, compare_states
from .graph_breaks import place
from .reasons_settled import settle_reasons
from .recompiles import reason_from_text
from .refusals import AS_WRITTEN, Refusals
from .remedies import drop_vain_advice
from .resume_points import resumed

__all__ = ["MOST_CALLS", "Attempts"]

MOST_CALLS = 6  # lines of a stack
_FORBIDDEN = "it had to be compiled again, which the stance 'fail_on_recompile' forbids"
_FORBIDDEN_BY_SETTING = "it had to be compiled again, which torch._dynamo.config.error_on_recompile forbids"
_RECOMPILE_ERROR = "RecompileError"
_UNFIT = re.compile(r"^ *- (?P<reason>\S.*)$", re.MULTILINE)
_Args = Tuple[Any, ...]
_Keywords = Dict[str, Any]
_NO_CALL = re.compile(r"@|(?:async )?def .*:$")
_COPIED = re.compile(r"  # (?P<file>[^#]+):(?P<line>\d+)$")  # see `user_lines.with_lines`
_Call = Tuple[Callable[..., Any], _Args, _Keywords]


class Attempts:
    """Dynamo's attempts in one recording.

    Attributes:
        refusals: those that gave nothing to run.
        circumstances: of each compilation, by its id.
        called_from: the program's lines of the call for which a function is being compiled, the innermost first.
        caller: the innermost, if the function is a library's.
        is_for_compiler: whether it is called by the compiler itself, while it compiles another.
        tracing: torch's notes on the graph that is being compiled; they hold the model.
    """

    def __init__(self, session: Session) -> None:
        self.refusals = Refusals()
        self._session = session
        self._breaks = BreakLog()
        self._skip: Any = None  # the SkipFrame which may be about to end this attempt
        self._left: tuple[CodeType | None, str, list[RecompileReason]] = (None, "", [])  # by the last attempt
        self._recompiles: dict[int, tuple[CodeType, list[str], RecompilingCall]] = {}  # before their attempts
        self.circumstances: dict[str, dict[str, str]] = {}  # of each compilation, by its id
        self.called_from: list[SourceLine] = []
        self._is_within = False
        self.tracing: Any = None
        self.caller: SourceLine | None = None
        self.is_for_compiler = False

    def unsupported(self, error: Any) -> None:
        """Dynamo found something that it can't trace."""
        self._breaks.raised(error)
        code = None if torch_behavior.current_compile_id() else torch_attempts.code_asked_about()
        if code is not None and not is_of_libraries(code.co_filename):  # before an attempt begins: a generator
            self.refusals.failed(code, "", error)

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
        return self._placed(self._breaks.take(compile_id))

    def _placed(self, breaks: list[GraphBreak]) -> list[GraphBreak]:
        return [place(one, self.caller) for one in breaks]

    def cuts(self) -> list[str]:
        """Why the backend has cut the graph of that compilation, once for each part."""
        return self._breaks.cuts

    def begins(self, args: _Args, kwargs: _Keywords) -> None:
        """An attempt begins: `_compile(code, ...)`."""
        code = args[0] if args else kwargs["code"]
        self.refusals.begins()
        self._is_within = True
        self.called_from = list(itertools.islice(_program_lines(self._session), MOST_CALLS))
        self.caller = None if is_of_program(code.co_filename) else next(iter(self.called_from), None)
        self.is_for_compiler = torch_attempts.is_called_by_compiler(code)
        for watch in WATCHERS:
            watch(code)

    def ended(self, call: _Call, result: Any, error: BaseException | None) -> None:
        """An attempt has ended: `call` is that of `_compile`."""
        for watch in WATCHERS:
            watch(None)
        skip, self._skip, self.tracing, self._is_within = self._skip, None, None, False
        if error is None and torch_attempts.has_code(result):
            return
        function, args, kwargs = call
        given = inspect.signature(function).bind(*args, **kwargs).arguments
        code, compile_id = given["code"], str(given.get("compile_id") or "")
        self._session.breaks += self._placed(self._breaks.take(compile_id))
        called = called_name(code, given.get("locals") or {})
        texts, unfit = self.reasons_of(code)
        recompiled = [reason_from_text(text, unfit, code) for text in texts]
        if error is not None:
            take_back(self._session, code, compile_id)
            caller = self.caller
            if type(error).__name__ == _RECOMPILE_ERROR:
                caller, error = next(iter(self.called_from), None), type(error)(_FORBIDDEN_BY_SETTING)
            refusal = self.refusals.failed(code, compile_id, error, recompiled, called, caller)
            refusal.called_from = self.called_from[:1]
        elif torch_attempts.tells_skip_reasons():
            self._left = code, compile_id, recompiled
        else:
            cause = getattr(skip, "__cause__", None)
            if cause is not None:
                self.refusals.failed(code, compile_id, cause, recompiled, called, self.caller)
                self.refusals.left_to_python(code, f"{AS_WRITTEN} ({_first_line(skip)})")
            else:
                self.refusals.skipped(code, compile_id, str(skip or ""), recompiled, called)

    def hand_out(self) -> None:
        """At the end, when guards are known: what became of attempts, for the model."""
        frames = self._session.frames
        self._session.refusals, self._session.skips = self.refusals.hand_out(frames), self.refusals.skips
        entries = [entry for frame in frames for entry in frame.entries]
        drop_vain_advice(entries)
        settle_reasons(self._session)
        compare_states(entries)

    def backward_failed(self, error: BaseException) -> None:
        """A backward pass has raised: maybe as its graph could not be compiled."""
        compile_id = torch_attempts.backward_that_failed(error)
        frames = [frame for frame in self._session.frames for entry in frame.entries
                  if entry.compile_id == compile_id and not entry.gone]  # fmt: skip
        for frame in frames[:1]:
            assert frame.code is not None
            self._outside(frame.code, compile_id or "", error, "compiling the backward graph: ")

    def forbidden(self, args: _Args, kwargs: _Keywords, error: BaseException) -> None:
        """A stance forbids to compile a frame: `fail_callback(frame, ...)`."""
        frame = args[0] if args else kwargs["frame"]
        call = RecompilingCall(frame.f_locals, getattr(frame, "f_globals", None), {})
        unfit = [reason_from_text(text, call, frame.f_code) for text in _unfit(error)]
        self._outside(frame.f_code, "", RuntimeError(_FORBIDDEN), recompiled=unfit)

    def program_ends(self, error: BaseException | None) -> None:
        """The program ends, maybe with an error: maybe with one of torch.compile itself."""
        self.refusals.program_ends(error)
        for call in torch_attempts.calls_of_compile(error):
            code = call.tb_frame.f_code
            if error is not None and is_of_program(code.co_filename):
                text = linecache.getline(code.co_filename, call.tb_lineno).strip()
                line = SourceLine(code.co_filename, call.tb_lineno, text, code.co_name)
                self.refusals.failed(code, "", error, caller=line)
                break

    def _outside(
        self, code: CodeType, compile_id: str, error: BaseException, what: str = "", recompiled: Any = ()
    ) -> None:
        """A call has raised `error` outside of `_compile`: nothing says later that Dynamo goes on."""
        caller = next(_program_lines(self._session), None)
        self.refusals.failed(code, compile_id, error, recompiled, caller=caller, what=what)
        self.refusals.begins()

    def suppressed(self, args: _Args, kwargs: _Keywords) -> None:
        """Dynamo goes on after an error: `format_error_msg(exception, code, ...)`, which it logs then."""
        self.refusals.left_to_python(args[1] if len(args) > 1 else kwargs["code"])

    def skipped(self, args: _Args, kwargs: _Keywords) -> None:
        """Dynamo leaves a frame to Python: `CatchErrorsWrapper._handle_skip(result, frame)`."""
        result, frame = [*args, *(kwargs.get(name) for name in ("result", "frame")[len(args) :])][:2]
        reason = getattr(result, "skip_reason", None)
        if reason and not torch_attempts.has_code(result):
            (code, compile_id, recompiled), self._left = self._left, (None, "", [])
            known = (compile_id, recompiled) if code is frame.f_code else ("", [])
            self.refusals.skipped(frame.f_code, known[0], str(reason), known[1], _called(frame))

    def without_tensors(self, args: _Args, kwargs: _Keywords) -> None:
        """Dynamo does not try a frame, as there is no tensor in it: `has_tensor_in_frame(frame)`."""
        frame = args[0] if args else kwargs["frame"]
        self.refusals.skipped(frame.f_code, "", "no tensor-related objects found in frame", called=_called(frame))

    def recompiles(self, args: _Args, kwargs: _Keywords, reasons: Any) -> None:
        """No compilation of a frame fits: `get_and_maybe_log_recompilation_reasons(entries, frame, ...)`."""
        frame = next(one for one in [*args, *kwargs.values()] if hasattr(one, "f_code"))
        is_given = torch_attempts.is_of_compiled_callable(frame.f_code)
        call = RecompilingCall(
            frame.f_locals, getattr(frame, "f_globals", None), circumstances(frame.f_locals), is_given
        )
        self._recompiles[id(frame.f_code)] = (frame.f_code, [str(one) for one in reasons or ()], call)

    def must_not_recompile(self, args: _Args, kwargs: _Keywords, error: BaseException) -> None:
        """So where the program's settings forbid to compile again: the error has the reasons."""
        self.recompiles(args, kwargs, _unfit(error))
        if not self._is_within and type(error).__name__ == _RECOMPILE_ERROR:  # up to torch 2.3 or so
            code = next(one for one in [*args, *kwargs.values()] if hasattr(one, "f_code")).f_code
            texts, call = self.reasons_of(code)
            unfit = [reason_from_text(text, call, code) for text in texts]
            self._outside(code, "", type(error)(_FORBIDDEN_BY_SETTING), recompiled=unfit)

    def reasons_of(self, code: CodeType | None) -> tuple[list[str], RecompilingCall | None]:
        """Why `code` is compiled again, in torch's words, and the call which made it so; asked once."""
        known = self._recompiles.pop(id(code), None)
        return ([], None) if known is None else known[1:]


def _program_lines(session: Session) -> Iterator[SourceLine]:
    """The lines of the program's own that are being executed, the innermost first.

    Code of ours, which runs in the place of Dynamo's, says behind a statement which line of the program it is.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        file, line = frame.f_code.co_filename, frame.f_lineno or 0
        text = linecache.getline(file, line).strip() if is_of_program(file) else ""
        if line == frame.f_code.co_firstlineno and _NO_CALL.match(text):  # Dynamo's code, which has no lines up to 2.8
            text = ""
        if session.directory and file.startswith(os.path.join(os.path.abspath(session.directory), "")):
            told = _COPIED.search(text)
            names = [one.filename for one in session.frames if told and file_name(one.filename) == told["file"]]
            file, line = (names[0], int(told["line"])) if told and names else ("", 0)
            text = linecache.getline(file, line).strip() if file and is_of_program(file) else ""
        if text:
            function = getattr(torch_behavior.continued_code(frame.f_code), "co_name", frame.f_code.co_name)
            yield SourceLine(file, line, text, (resumed(function) or (function,))[0])
        frame = frame.f_back


def _unfit(error: BaseException) -> list[str]:
    """The reasons that torch lists in an error about a compilation that it must not make; stacks are left out."""
    texts = (match["reason"] for match in _UNFIT.finditer(str(error)))
    return [text for text in texts if reason_from_text(text).words]


def _called(frame: Any) -> str:
    return called_name(frame.f_code, frame.f_locals)


def _first_line(error: Any) -> str:
    return (str(error).strip().splitlines() or [""])[0]
