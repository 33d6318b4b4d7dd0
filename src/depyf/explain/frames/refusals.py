"""What Dynamo declined to compile, and why: fullgraph errors, frames left to Python, the recompile limit."""

from __future__ import annotations

import linecache
import multiprocessing
import re
import threading
from dataclasses import replace
from types import CodeType
from typing import Any, Mapping, Sequence

from ...owners import is_of_libraries
from ..model import Frame, RecompileReason, Refusal, Skip, SourceLine
from ..names import stable, without_addresses
from ..torch_facts.torch_attempts import is_called_by_compiler, is_of_compiled_callable
from ..torch_facts.torch_behavior import compilation_metrics
from ..torch_facts.torch_keeps import recompile_limit
from .graph_breaks import graph_break_from_reason, place

__all__ = ["AS_WRITTEN", "RAISED", "WENT_ON", "Refusals", "has_nothing_in_it", "is_by_rule", "refusal_from_metrics",
           "skip_words"]  # fmt: skip

AS_WRITTEN = "it runs as it is written"
RAISED, WENT_ON = "the call raised it", ", and the program went on"

_THEN = "*** While handling this graph break"
_DEEPEST = 20  # causes of an error: a program could make a circle
_USER_CODE = "from user code:"
_SCROLL_UP = " Scroll up to find out what causes the graph break."  # which follows, with us
_LIMIT = "recompile limit exceeded"
_EXCEEDED = "Dynamo recompile limit exceeded"
_OF_METRICS = ("fail_reason", "fail_type", "fail_user_frame_filename", "fail_user_frame_lineno", "compile_id",
               "co_name", "co_filename", "co_firstlineno")  # fmt: skip
_OTHER_LIMIT = (
    "{} is {} in this thread, and {} where the recording began: from torch 2.13 on a setting of "
    "torch._dynamo.config holds in the thread that makes it"
)
_REACHED = re.compile(r"\w*(recompile|cache_size)_limit reached")  # all that torch says up to 2.9


class Refusals:
    """What came of the attempts to compile which gave nothing to run.

    The hooks tell of each. Where they can't, Dynamo's records of its compilations do; it keeps the last 64, so one has
    to look now and then.
    """

    def __init__(self) -> None:
        self.found: list[Refusal] = []
        self._limit, self._thread = recompile_limit(), threading.get_ident()
        self.skips: list[Skip] = []
        self._seen: dict[int, Any] = {id(one): one for one in compilation_metrics()}
        self._why: dict[int, tuple[CodeType, str]] = {}  # by code objects, which are kept so that ids stay theirs
        self._failed: tuple[CodeType | None, Refusal] = (None, Refusal())  # the last, until Dynamo has gone on
        self._told: set[tuple[str, str]] = set()  # compile ids and names of code objects, of those that hooks told of
        self._raised: list[Refusal] = []  # in the program's main thread, whose end is known
        self._last_types: list[str] | None = None  # of the exception that the program ends with, once that is known

    def begins(self) -> None:
        """Another attempt begins: what failed before was raised, unless Dynamo has said otherwise."""
        self._failed = None, Refusal()

    def failed(
        self,
        code: CodeType,
        compile_id: str,
        error: BaseException,
        recompiled: Sequence[RecompileReason] = (),
        called: str = "",
        caller: SourceLine | None = None,
        what: str = "",
    ) -> Refusal:
        """A compilation has ended with `error`, which leaves the call unless Dynamo says otherwise (`left_to_python`).

        `recompiled` are the reasons why others did not fit, `called` is the function's class and name, if known,
        `caller` the program's line that called it, if it is none of the program's, `what` is said before the error.
        """
        text, stack = _text_of(error), getattr(error, "real_stack", None)
        cause = _first_cause(error)
        if cause is not error and "\n" not in text:  # it says that it failed, the cause why
            text = "{}: {}".format(text.replace(_SCROLL_UP, "").rstrip("."), _text_of(cause))
            stack = getattr(cause, "real_stack", None) or stack
        refusal = _refusal_of(what + text, list(stack or []))
        refusal.compile_id, refusal.function = compile_id, called or code.co_name
        refusal.error, refusal.raised = type(error).__name__, True
        refusal.why.compile_id = compile_id
        refusal.recompiled = list(recompiled)
        limit = recompile_limit()
        if "limit" in refusal.why.reason and limit != self._limit and threading.get_ident() != self._thread:
            refusal.why.hints = [_OTHER_LIMIT.format(*limit, self._limit[1])]
        refusal.location = _line(code.co_filename, code.co_firstlineno)
        place(refusal.why, caller)
        self._told |= {(compile_id, code.co_name), (compile_id, "")}
        if refusal not in self.found:
            self.found.append(refusal)
        if threading.current_thread() is threading.main_thread():
            self._raised.append(refusal)
        self._why[id(code)] = (code, "Dynamo gave it up: " + refusal.why.reason)
        self._failed = code, refusal
        return refusal

    def program_ends(self, error: BaseException | None) -> None:
        """The program, or the block that is recorded, ends with `error`, or None. What is told first holds.

        A process that multiprocessing has made tells nobody of its error.
        """
        if self._last_types is None and multiprocessing.parent_process() is None:
            self._last_types = []
            while error is not None and len(self._last_types) < _DEEPEST:
                self._last_types.append(type(error).__name__)
                error = error.__cause__ or error.__context__

    def _was_caught(self, refusal: Refusal) -> bool:
        """Whether the program has gone on after it. The last of the type with which it ends may be its end."""
        alike = [one for one in self._raised if one.error == refusal.error]
        is_end = self._last_types is None or (refusal.error in self._last_types and refusal is alike[-1])
        return refusal in self._raised and not is_end

    def left_to_python(self, code: CodeType, words: str = AS_WRITTEN) -> None:
        """Dynamo goes on after an error: the function runs as it is written."""
        failed, refusal = self._failed
        if code is failed:
            refusal.raised, refusal.consequence = False, refusal.consequence or words
            if self.found.count(refusal) > 1 or is_called_by_compiler(code):  # said before, of another call
                self.found = [one for one in self.found if one is not refusal]

    def skipped(
        self, code: CodeType, compile_id: str, reason: str, recompiled: Sequence[RecompileReason] = (), called: str = ""
    ) -> None:
        """Dynamo has left a function to Python. It says so of those too whose compilation failed a moment ago."""
        if code is self._failed[0]:
            self.left_to_python(code)
            self._failed = None, Refusal()
            return
        words = skip_words(reason)
        where = replace(_line(code.co_filename, code.co_firstlineno), function=code.co_name)
        is_given = is_of_compiled_callable(code)
        skip = Skip(called or code.co_name, where, words, compile_id, list(recompiled), is_given)
        if skip not in self.skips and not is_of_libraries(code.co_filename) and not is_called_by_compiler(code):
            self.skips.append(skip)
        head = "called; " if words.startswith(_NOTHING_IN_IT) else "Dynamo left it to Python: "
        self._why[id(code)] = (code, head + words)

    def why_not(self, code: CodeType | None) -> str:
        """Why nothing is compiled for a code object, "" where Dynamo was not asked about it."""
        known = self._why.get(id(code))
        return "" if known is None else known[1]

    def look(self) -> None:
        """Notes what failed since the last look, where no hook has told."""
        for one in compilation_metrics():
            if id(one) in self._seen:
                continue
            self._seen[id(one)] = one
            if getattr(one, "fail_reason", None):
                refusal = refusal_from_metrics({name: getattr(one, name, None) for name in _OF_METRICS})
                told = (refusal.compile_id, refusal.function) in self._told  # its record may lack the name
                if refusal not in self.found and not told:
                    self.found.append(refusal)

    def hand_out(self, frames: list[Frame]) -> list[Refusal]:
        """All of them, those of frames which are known to those frames as well."""
        self.look()
        for refusal in self.found:
            for frame in frames:
                numbers = [entry.compile_id for entry in frame.entries]
                if _number(refusal.compile_id) in set(map(_number, numbers)):
                    refusal.function = refusal.function or frame.name
                    refusal.location = refusal.location or SourceLine(frame.filename, frame.first_line, "", frame.name)
                    later = [one for one in numbers if _attempt(one) > _attempt(refusal.compile_id)]
                    refusal.compiled_later = min(later, key=_attempt, default="") if refusal.raised else ""
                    if refusal not in frame.refusals:
                        frame.refusals.append(refusal)
            if refusal.raised:
                after = f"; a later one was compiled ({refusal.compiled_later})" if refusal.compiled_later else ""
                caught = WENT_ON if self._was_caught(refusal) else ""
                refusal.consequence = RAISED + caught + after
        return self.found


def _first_cause(error: BaseException) -> BaseException:
    """The error of Dynamo's from which the others came; `error` itself if there is none."""
    for _ in range(_DEEPEST):
        if error.__cause__ is None or not hasattr(error.__cause__, "msg"):
            break
        error = error.__cause__
    return error


def _text_of(error: BaseException) -> str:
    text = str(getattr(error, "msg", None) or error).strip()
    said = text.partition(_USER_CODE)[0].strip()  # the stack has the rest
    return said or type(error).__name__  # an assertion of torch's own


_NOTHING_IN_IT = "nothing to compile in it: "
_KNOWN_SKIPS = (
    ("No ops traced", _NOTHING_IN_IT + "no operation on a tensor was traced"),
    ("because no content in function call", _NOTHING_IN_IT + "no operation on a tensor was traced"),
    ("no tensor-related objects found in frame", _NOTHING_IN_IT + "no tensor among what it is called with"),
)
_SAID_BEFORE = "Dynamo decided to skip the frame while tracing: "


def skip_words(reason: str) -> str:
    """Torch's reason to leave a function to Python."""
    for mark, words in _KNOWN_SKIPS:
        if mark in reason:
            return words
    lines = without_addresses(stable(reason)).strip().splitlines()
    first = lines[0].strip() if lines else "torch gives no reason"
    return first[len(_SAID_BEFORE) :] if first.startswith(_SAID_BEFORE) else first


def is_by_rule(words: str) -> bool:
    """Whether a function was left to Python for the file it is in, whatever it does."""
    return "skipfiles list" in words or "namedtuple" in words


def has_nothing_in_it(words: str) -> bool:
    """Whether a function was left to Python because Dynamo has nothing to do in it."""
    return words.startswith(_NOTHING_IN_IT)


def refusal_from_metrics(metrics: Mapping[str, Any], with_text: bool = True) -> Refusal:
    """What failed, from torch's record of a compilation.

    Args:
        metrics: its fields, `_OF_METRICS` among them.
        with_text: whether the files that it names are as they were when it was compiled, so that lines can be shown.
    """
    refusal = _refusal_of(str(metrics.get("fail_reason")))
    line = _line if with_text else _line_alone
    where = line(metrics.get("fail_user_frame_filename"), metrics.get("fail_user_frame_lineno"))
    refusal.why.location = where or refusal.why.location
    refusal.compile_id = str(metrics.get("compile_id") or "")
    refusal.function = str(metrics.get("co_name") or "")
    refusal.location = line(metrics.get("co_filename"), metrics.get("co_firstlineno"))
    refusal.error = str(metrics.get("fail_type") or "")
    return refusal


def _refusal_of(text: str, stack: Sequence[Any] = ()) -> Refusal:
    first, _, then = without_addresses(stable(text)).partition(_THEN)
    if _REACHED.match(first):
        first = _EXCEEDED
    found = Refusal(why=graph_break_from_reason(first, stack))
    if _LIMIT in first or "cache_size_limit" in first:
        found.consequence = "what other inputs need is not compiled any more: they run as they are written"
    elif then:
        reason = graph_break_from_reason(then.partition("***")[2].strip())
        found.consequence = f"the whole frame is left to Python ({reason.reason})"
    return found


def _line(filename: Any, number: Any) -> Any:
    found = _line_alone(filename, number)
    return found and replace(found, text=linecache.getline(found.filename, found.line).strip())


def _line_alone(filename: Any, number: Any) -> Any:
    return SourceLine(str(filename), int(number)) if filename and number else None


def _number(compile_id: str) -> str:
    return compile_id.partition("/")[0]


def _attempt(compile_id: str) -> int:
    number = compile_id.rpartition("/")[2]
    return int(number) if number.isdecimal() else -1
