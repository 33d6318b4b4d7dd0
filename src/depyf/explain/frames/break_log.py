"""Every graph break of a recording, with a graph before it or without, from what Dynamo notes as it compiles."""

from __future__ import annotations

from typing import Any, NamedTuple, Sequence

from ..model import Frame, GraphBreak
from ..names import stable
from ..torch_facts import torch_attempts, torch_behavior, torch_keeps
from .graph_breaks import IS_JUMP, WENT_BACK, graph_break_from_reason

__all__ = ["BreakLog", "breaks_behind"]


class _Raised(NamedTuple):
    """What Dynamo could not trace, and in which attempt: after a break it traces the function once more."""

    compile_id: str
    attempt: int
    text: str
    stack: Sequence[Any]


class BreakLog:
    """The breaks of the compilation going on. Those of earlier ones, or of before the recording, are left out."""

    def __init__(self) -> None:
        self._known = len(torch_keeps.graph_break_reasons())
        self._raised: list[_Raised] = []
        self.cuts: list[str] = []  # of the last compilation asked about: why its backend cut the graph, once a part

    def raised(self, error: Any) -> None:
        """Dynamo made an `Unsupported`; it may still find a way around it."""
        now = _Raised(
            torch_behavior.current_compile_id(),
            torch_attempts.current_attempt(),
            str(getattr(error, "msg", None) or error),
            list(getattr(error, "real_stack", None) or []),
        )
        self._raised = [one for one in self._raised if one.compile_id == now.compile_id and one.attempt < now.attempt]
        self._raised.append(now)

    def forget(self) -> None:
        """`torch._dynamo.reset()` empties what Dynamo keeps."""
        self._known = 0

    def take(self, compile_id: str) -> list[GraphBreak]:
        """The breaks since the last call, which are those of this compilation."""
        kept = torch_keeps.graph_break_reasons()
        new, self._known = kept[min(self._known, len(kept)) :], len(kept)
        found: list[GraphBreak] = []
        self.cuts = [stable(str(reason.reason)) for reason in new if _is_cut(reason)]
        for reason in [reason for reason in new if not _is_cut(reason)]:
            one = self._broken(reason, compile_id)
            one.compile_id = compile_id
            if one not in found:
                found.append(one)
        self._raised = []
        return found

    def _broken(self, reason: Any, compile_id: str) -> GraphBreak:
        text = str(reason.reason)
        cause = self._cause(compile_id) if text.startswith(tuple(WENT_BACK)) else None
        if cause is not None:
            return graph_break_from_reason(cause.text, cause.stack)
        told = self._raised[-1] if self._raised and text.startswith(IS_JUMP[0]) else None
        if told is not None and told.compile_id == compile_id and told.text.startswith(IS_JUMP[1]):
            text = told.text  # with the hints for this branch, which the reason lacks
        return graph_break_from_reason(text, getattr(reason, "user_stack", None) or [])

    def _cause(self, compile_id: str) -> _Raised | None:
        """What made Dynamo go back to an earlier place, where it can stop: the last error of an earlier attempt."""
        now = torch_attempts.current_attempt()
        before = [one for one in self._raised if one.compile_id == compile_id and one.attempt < now]
        return before[-1] if before else None


def _is_cut(reason: Any) -> bool:
    """Whether a backend has cut the captured graph: DDP's does, into buckets, and names line 0 of its own file."""
    lines = [one.lineno for one in getattr(reason, "user_stack", None) or []]
    return bool(lines) and not any(lines)


def breaks_behind(frame: Frame, lines: Sequence[int]) -> list[GraphBreak]:
    """After the fact: the breaks which Dynamo remembers at `lines` of a function, for code that has no graph to ask."""
    continued = torch_behavior.continued_code(frame.code) if frame.code is not None else None
    names = (frame.name, getattr(continued, "co_name", frame.name))
    found: list[GraphBreak] = []
    for reason in torch_keeps.graph_break_reasons():
        stack = getattr(reason, "user_stack", None) or []
        first = stack[0] if stack else None
        if first is None or first.filename != frame.filename or first.name not in names or first.lineno not in lines:
            continue
        one = graph_break_from_reason(str(reason.reason), stack)
        if one not in found:
            found.append(one)
    return found
