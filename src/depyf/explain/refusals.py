"""What Dynamo declined to compile, and why: fullgraph errors, frames left to Python, the recompile limit."""

from __future__ import annotations

import linecache
import re
from typing import Any, Dict, List

from depyf.explain.graph_breaks import graph_break_from_reason
from depyf.explain.model import Frame, Refusal, SourceLine
from depyf.explain.names import stable, without_addresses
from depyf.explain.torch_behavior import compilation_metrics

__all__ = ["Refusals", "actual_value"]

_THEN = "*** While handling this graph break"
_LIMIT = "recompile limit exceeded"
_EXCEEDED = "Dynamo recompile limit exceeded"
_REACHED = re.compile(r"\w*(recompile|cache_size)_limit reached")  # all that torch says up to 2.9


class Refusals:
    """Looks through Dynamo's records of its compilations; it keeps the last 64, so one has to look now and then."""

    def __init__(self) -> None:
        self.found: List[Refusal] = []
        self._seen: Dict[int, Any] = {id(one): one for one in compilation_metrics()}

    def look(self) -> None:
        """Notes what failed since the last look."""
        for one in compilation_metrics():
            if id(one) in self._seen:
                continue
            self._seen[id(one)] = one
            if getattr(one, "fail_reason", None):
                refusal = _refusal(one)
                if refusal not in self.found:
                    self.found.append(refusal)

    def hand_out(self, frames: List[Frame]) -> List[Refusal]:
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


def actual_value(source: str, local_names: Any) -> str:
    """The value now of what a guard looks at (``L['n']``), "" unless it is a plain one of a local variable."""
    name = source[len("L['") : -len("']")] if source.startswith("L['") and source.endswith("']") else ""
    if not name.isidentifier() or type(local_names) is not dict or name not in local_names:
        return ""
    value = local_names[name]
    return repr(value) if type(value) in (int, float, bool, str, type(None)) and len(repr(value)) < 80 else ""


def _refusal(metrics: Any) -> Refusal:
    first, _, then = without_addresses(stable(str(metrics.fail_reason))).partition(_THEN)
    if _REACHED.match(first):
        first = _EXCEEDED
    one = graph_break_from_reason(first)
    one.location = _line(getattr(metrics, "fail_user_frame_filename", None),
                         getattr(metrics, "fail_user_frame_lineno", None))
    consequence = ""
    if _LIMIT in first or "cache_size_limit" in first:
        consequence = "what other inputs need is not compiled any more: they run as they are written"
    elif then:
        reason = graph_break_from_reason(then.partition("***")[2].strip())
        consequence = "the whole frame is left to Python ({})".format(reason.reason)
    return Refusal(
        compile_id=str(getattr(metrics, "compile_id", "") or ""),
        function=str(getattr(metrics, "co_name", "") or ""),
        location=_line(getattr(metrics, "co_filename", None), getattr(metrics, "co_firstlineno", None)),
        why=one,
        error=str(getattr(metrics, "fail_type", "") or ""),
        consequence=consequence,
    )


def _line(filename: Any, number: Any) -> Any:
    if not filename or not number:
        return None
    return SourceLine(str(filename), int(number), linecache.getline(str(filename), int(number)).strip())


def _number(compile_id: str) -> str:
    return compile_id.partition("/")[0]
