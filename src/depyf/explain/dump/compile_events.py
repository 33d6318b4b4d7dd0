"""Phases of compiling as torch tells of them, for a viewer of traces, and what its caches had."""

from __future__ import annotations

import json
import os
import re
import threading
from typing import Any, Mapping

from ..names import stable, without_addresses

__all__ = ["TRACE", "EventLog", "cache_words"]

TRACE = "compile_times.trace.json"  # https://ui.perfetto.dev and chrome://tracing open it
_CACHE = re.compile(r"(?P<cache>fx_graph|autograd|aotautograd)_cache_(?P<state>hit|miss|bypass|disabled)$")
_CACHES = {"fx_graph": "Inductor's cache", "autograd": "AOTAutograd's cache", "aotautograd": "AOTAutograd's cache"}
_LONGEST = 500  # characters of a value; keys of caches come with all that they are made of
_MOST = 200_000  # events


class EventLog:
    """What `ChromiumEventLogger` of torch/_dynamo/utils.py has told in one recording."""

    def __init__(self) -> None:
        self._events: list[dict[str, Any]] = []
        self._threads: dict[int, int] = {}
        self._caches: dict[str, list[str]] = {}

    def take(self, event_name: str, time_ns: int, phase: Any = None, metadata: Any = None, **_: Any) -> None:
        """A phase begins (``B``) or ends (``E``), or something happens between them (``i``).

        The parameters are those of `_log_timed_event`; `log_instant_event` has its values in the place of a phase.
        """
        if not isinstance(phase, str):
            phase, metadata = "i", phase if isinstance(phase, dict) else metadata
        self._take(event_name, time_ns, phase, metadata or {})

    def _take(self, name: str, nanoseconds: int, phase: str, values: Mapping[str, Any]) -> None:
        told = cache_words(name, values)
        if told:
            self._caches.setdefault(str(values.get("compile_id")), []).append(told)
        if len(self._events) < _MOST:
            thread = self._threads.setdefault(threading.get_ident(), len(self._threads))
            shown = {key: value for key, value in values.items() if isinstance(value, (str, int, float))}
            shown = {key: value[:_LONGEST] if isinstance(value, str) else value for key, value in shown.items()}
            self._events.append(
                {"name": name, "ph": phase, "ts": nanoseconds / 1000, "pid": os.getpid(), "tid": thread, "args": shown}
            )

    def caches(self, compile_id: str) -> tuple[str, ...]:
        """What caches had of one compilation."""
        return tuple(dict.fromkeys(self._caches.get(compile_id, ())))

    def text(self) -> str:
        """The trace, "" where there is nothing in it."""
        return json.dumps({"displayTimeUnit": "ms", "traceEvents": self._events}) + "\n" if self._events else ""


def cache_words(name: str, values: Mapping[str, Any]) -> str:
    """``Inductor's cache: bypass, Skip dynamo when ...``; "" for an event that is not about a cache."""
    match = _CACHE.match(name)
    if match is None:
        return ""
    why = str(values.get("cache_bypass_reason") or values.get("cache_status_detailed") or "")
    why = " ".join(without_addresses(stable(why)).split())[:_LONGEST]
    return "{}: {}".format(_CACHES[match["cache"]], ", ".join(filter(None, [match["state"], why])))
