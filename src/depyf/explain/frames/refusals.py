"""What Dynamo declined to compile, and why: fullgraph errors, frames left to Python, the recompile limit."""

from __future__ import annotations

import linecache
import os
import re
import sys
from dataclasses import replace
from functools import lru_cache
from types import CodeType
from typing import Any, Mapping, Sequence

from ..model import Frame, RecompileReason, Refusal, Skip, SourceLine
from ..names import stable, without_addresses
from ..torch_facts.torch_attempts import can_be_fallen_back_from
from ..torch_facts.torch_behavior import compilation_metrics
from .graph_breaks import graph_break_from_reason

__all__ = ["Refusals", "has_nothing_in_it", "is_of_libraries", "refusal_from_metrics", "skip_words"]

_THEN = "*** While handling this graph break"
_USER_CODE = "from user code:"
_LIMIT = "recompile limit exceeded"
_EXCEEDED = "Dynamo recompile limit exceeded"
_OF_METRICS = ("fail_reason", "fail_type", "fail_user_frame_filename", "fail_user_frame_lineno", "compile_id",
               "co_name", "co_filename", "co_firstlineno")  # fmt: skip
_INSTALLED_TORCH = re.compile(r"[/\\](?:site|dist)-packages[/\\]torch[/\\]")
_LIBRARY = re.compile(r"[/\\]lib(?:64)?[/\\]python3\.\d+[/\\](?!(?:site|dist)-packages)")
_REACHED = re.compile(r"\w*(recompile|cache_size)_limit reached")  # all that torch says up to 2.9


class Refusals:
    """What came of the attempts to compile which gave nothing to run.

    The hooks tell of each. Where they can't, Dynamo's records of its compilations do; it keeps the last 64, so one has
    to look now and then.
    """

    def __init__(self) -> None:
        self.found: list[Refusal] = []
        self.skips: list[Skip] = []
        self._seen: dict[int, Any] = {id(one): one for one in compilation_metrics()}
        self._why: dict[int, tuple[CodeType, str]] = {}  # by code objects, which are kept so that ids stay theirs
        self._failed: CodeType | None = None
        self._told: set[tuple[str, str]] = set()  # compile ids and names of code objects, of those that hooks told of

    def failed(
        self,
        code: CodeType,
        compile_id: str,
        error: BaseException,
        is_whole: bool,
        recompiled: Sequence[RecompileReason] = (),
        called: str = "",
    ) -> None:
        """A compilation has ended with `error`; `is_whole` under ``fullgraph``, where the call raises it.

        `recompiled` are the reasons why others did not fit, `called` is the function's class and name, if known.
        """
        text = str(getattr(error, "msg", None) or error).strip()
        if not text or text.startswith(_USER_CODE):  # an assertion of torch's own
            text = f"{type(error).__name__}\n{text}"
        refusal = _refusal_of(text, list(getattr(error, "real_stack", None) or []))
        refusal.compile_id, refusal.function = compile_id, called or code.co_name
        refusal.error = type(error).__name__
        self._told |= {(compile_id, code.co_name), (compile_id, "")}
        refusal.location = _line(code.co_filename, code.co_firstlineno)
        refusal.why.compile_id = compile_id
        refusal.recompiled = list(recompiled)
        if is_whole:
            refusal.consequence = "the call raised it, for it was compiled with fullgraph=True"
        elif not refusal.consequence and can_be_fallen_back_from(error):
            refusal.consequence = "it runs as it is written"
        if refusal not in self.found:
            self.found.append(refusal)
        self._why[id(code)] = (code, "Dynamo gave it up: " + refusal.why.reason)
        self._failed = code

    def skipped(
        self, code: CodeType, compile_id: str, reason: str, recompiled: Sequence[RecompileReason] = ()
    ) -> None:
        """Dynamo has left a function to Python. It says so of those too whose compilation failed a moment ago."""
        failed, self._failed = self._failed, None
        if code is failed:
            return
        words = skip_words(reason)
        where = SourceLine(code.co_filename, code.co_firstlineno, "", code.co_name)
        skip = Skip(code.co_name, where, words, compile_id, list(recompiled))
        if skip not in self.skips and not is_of_libraries(code.co_filename):
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
                if _number(refusal.compile_id) in {_number(entry.compile_id) for entry in frame.entries}:
                    refusal.function = refusal.function or frame.name
                    refusal.location = refusal.location or SourceLine(frame.filename, frame.first_line, "", frame.name)
                    if refusal not in frame.refusals:
                        frame.refusals.append(refusal)
        return self.found


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


def has_nothing_in_it(words: str) -> bool:
    """Whether a function was left to Python because Dynamo has nothing to do in it."""
    return words.startswith(_NOTHING_IN_IT)


@lru_cache(maxsize=256)
def is_of_libraries(filename: str) -> bool:
    """Whether a file is one of torch's or of Python's library, or none at all (``<string>``)."""
    if filename.startswith("<") and not filename.startswith(("<ipython", "<stdin")):
        return True
    torch = os.path.dirname(getattr(sys.modules.get("torch"), "__file__", None) or "")
    if torch and filename.startswith(torch + os.sep) or _INSTALLED_TORCH.search(filename) or _LIBRARY.search(filename):
        return True  # of this process, or of the one whose log is read
    return filename.startswith(os.path.dirname(os.__file__) + os.sep) and "-packages" not in filename


def refusal_from_metrics(metrics: Mapping[str, Any], with_text: bool = True) -> Refusal:
    """What failed, from torch's record of a compilation.

    Args:
        metrics: its fields, `_OF_METRICS` among them.
        with_text: whether the files that it names are as they were when it was compiled, so that lines can be shown.
    """
    refusal = _refusal_of(str(metrics.get("fail_reason")))
    line = _line if with_text else _line_alone
    refusal.why.location = line(metrics.get("fail_user_frame_filename"), metrics.get("fail_user_frame_lineno"))
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
