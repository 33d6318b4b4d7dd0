"""The records of a log -> the model of `explain/model.py`, as far as they go."""

from __future__ import annotations

import re
import warnings
from collections import deque
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from ...errors import ReportError
from ...owners import is_of_program
from ..dump.compile_events import cache_words
from ..frames.attempts import MOST_CALLS
from ..frames.graph_breaks import place
from ..frames.reasons_settled import settle_reasons
from ..frames.recompiles import add_reasons
from ..frames.refusals import AS_WRITTEN
from ..frames.remedies import drop_vain_advice, remedy
from ..frames.resume_points import is_resume_name, resumed
from ..guards.collect import collect_guards
from ..guards.state import read_state
from ..kernels.provenance import Provenance
from ..model import (
    CacheEntry,
    Frame,
    GraphBreak,
    Kernel,
    Refusal,
    ResumeFunction,
    Session,
    SourceLine,
)
from ..received import loads
from ..torch_facts.torch_keeps import compile_times
from .breaks import break_from_text, is_of_whole_frame, refusal_of
from .graphs import graph_from_text
from .log import Log, Record

__all__ = ["MISSING", "Trace"]

MISSING = (
    "classes of methods",
    "what a guard found when it failed, unless torch writes it",
    "functions that Dynamo left to Python before it began to compile them",
    "numbers of graphs (compile ids replace them)",
    "whether the program went on after what raised",
)
"""What no version of torch writes into the log."""

_DIRECTION = re.compile(r"^# AOT ID: \['[^']*_(?P<direction>forward|backward)'\]", re.MULTILINE)
_POST_GRAD = ("inductor_post_grad_graph", "after_post_grad_graph")
_STATIC = '"automatic_dynamic_shapes": false'  # in the settings, which logs of 2.6 and later have
_LONGEST = 4000  # characters of a line
_LATENCY = "\nGuard latency = "


class Trace:
    """What a log tells.

    Attributes:
        session: the model; its notes say what the log lacks.
    """

    def __init__(self, log: Log) -> None:
        self.session = Session()
        self._log = log
        self._frames: dict[str, Frame] = {}  # since the last reset, by Dynamo's number of the frame
        self._known: dict[tuple[str, int, str], deque[Frame]] = {}  # those that have no such number now, by place
        self._entries: dict[str, CacheEntry] = {}  # the compilations since the last reset
        self._of: dict[str, Frame] = {}
        self._compiled: set[int] = set()  # ids of those that gave code to run
        self._failed: set[int] = set()
        self._dropped: list[CacheEntry] = []  # kept, so that their ids stay theirs
        self._looked_at: list[Frame] = []  # since the last reset
        self._reasons: dict[str, list[str]] = {}  # to compile again: they come before the compilation
        self._left: set[str] = set()  # compilations of functions that are left to Python then
        self._stopped: dict[str, GraphBreak] = {}  # breaks after which Dynamo has not started again, by compilation
        self._told: set[object] = set()  # breaks since the last reset
        self._attempt: dict[str, int] = {}  # in which they came: after a break Dynamo traces the function once more
        self._graph_texts: dict[str, str] = {}
        self._caches: dict[str, list[str]] = {}
        self._resets = 0
        with warnings.catch_warnings():  # of Python's parser, about texts in the log
            warnings.simplefilter("ignore")
            for record in log.records:
                try:
                    self._take(record._replace(payload=_cut(record.payload)))
                except (ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, RecursionError,
                        TypeError, ValueError) as error:  # fmt: skip
                    words = f"line {record.at} can't be read (a mistake of depyf: {type(error).__name__}: {error})"
                    raise ReportError(f"{log.path}: {words}") from error
        self._keep_what_was_compiled()
        self._link_resume_functions()
        settle_reasons(self.session)
        self._note_what_is_missing()

    def _take(self, record: Record) -> None:
        start = record.data.get("dynamo_start")
        if isinstance(start, dict):
            self._begin(record.compile_id, self._log.stack(start.get("stack", [])))
        elif record.artifact == "torch_version":
            found = _from_json(record.payload, {})
            told = found.get("pytorch_version") if isinstance(found, dict) else ""
            self.session.torch_version = told if isinstance(told, str) else ""
        elif record.artifact == "recompile_reasons":
            found = _from_json(record.payload, record.payload)  # torch 2.10 and later write one as a text by itself
            reasons = found if isinstance(found, list) else [found]
            self._reasons[record.compile_id] = [one[:_LONGEST] for one in reasons if isinstance(one, str)]
        entry = self._entries.get(record.compile_id)
        if entry is not None:
            self._take_of(entry, self._of[record.compile_id], record)

    def _begin(self, compile_id: str, stack: list[Any]) -> None:
        if not compile_id or not stack:
            return
        if compile_id in self._entries:  # `torch._dynamo.reset()` makes it count anew
            self._resets += 1
            self._keep_what_was_compiled()
            for frame in self._looked_at:
                self._known.setdefault((frame.filename, frame.first_line, frame.name), deque()).append(frame)
            for known in (self._entries, self._of, self._left, self._stopped, self._attempt, self._graph_texts,
                          self._frames, self._looked_at, self._told):  # fmt: skip
                known.clear()
        callers = [line for line in stack[:-1] if is_of_program(line.filename)]
        caller = None if is_of_program(stack[-1].filename) or not callers else callers[-1]
        frame = self._frame(compile_id.rpartition("/")[0], stack[-1], caller)
        self._entries[compile_id] = entry = CacheEntry(compile_id, len(frame.entries))
        self._of[compile_id] = frame
        entry.called_from = callers[::-1][:MOST_CALLS]
        frame.entries.append(entry)
        add_reasons(entry, self._reasons.pop(compile_id, []), None)

    def _frame(self, number: str, line: Any, caller: SourceLine | None) -> Frame:
        """The frame with Dynamo's `number`; after a reset the one with the same code, which has another number."""
        known = self._frames.get(number)
        if known is not None:
            return known
        before = self._known.get((line.filename, line.line, line.function))
        if before:
            frame = before.popleft()
        else:
            frame = Frame(line.function, line.function, line.filename, line.line)
            frame.is_resume = is_resume_name(line.function)
            frame.caller = caller
            self.session.frames.append(frame)
        self._frames[number] = frame
        self._looked_at.append(frame)
        return frame

    def _take_of(self, entry: CacheEntry, frame: Frame, record: Record) -> None:
        """A record about one compilation."""
        name = record.artifact
        if record.data.get("attempt", 0) > self._attempt.get(entry.compile_id, 0):
            self._stopped.pop(entry.compile_id, None)
        if name == "dynamo_graph_break_reason":
            found = break_from_text(record.payload, frame)
            if found is not None:
                place(found, frame.caller)
                found.compile_id = entry.compile_id
                key = (entry.compile_id, found.reason, found.explanation, tuple(found.stack))
                entry.breaks += [found] if key not in self._told else []
                self._told.add(key)
                self._stopped[entry.compile_id] = found
                self._attempt[entry.compile_id] = record.data.get("attempt", 0)
            self._left |= {entry.compile_id} if is_of_whole_frame(record.payload) else set()
        elif name in _POST_GRAD or "inductor_post_grad_graph" in record.data:
            self._graph_texts[entry.compile_id] = record.payload
        elif "dynamo_output_graph" in record.data:
            name = f"after reset {self._resets}, " if self._resets else ""
            entry.graphs = [graph_from_text(name + entry.compile_id, record.payload)]
        elif "dynamo_cpp_guards_str" in record.data:
            tree = record.payload.partition(_LATENCY)[0]
            entry.guards, entry.guard_tree = collect_guards(tree, None, frame.filename)
            read_state(entry)
            self._compiled.add(id(entry))
        elif "dynamo_guards" in record.data:
            self._compiled.add(id(entry))
        elif "inductor_output_code" in record.data:
            self._kernel(entry, record.payload)
        elif "_cache_" in name:
            told = _from_json(record.payload, {})
            words = cache_words(name, told if isinstance(told, dict) else {})
            self._caches.setdefault(entry.compile_id, []).extend([words] if words else [])
        else:
            self._times(record, "compilation_metrics")
            self._times(record, "bwd_compilation_metrics")
            metrics = record.data.get("compilation_metrics")
            if isinstance(metrics, dict):
                self._outcome(entry, frame, metrics)

    def _kernel(self, entry: CacheEntry, source: str) -> None:
        for graph in entry.graphs:
            direction = _DIRECTION.search(source)
            lines = Provenance().take(source, graph, self._graph_texts.get(entry.compile_id, ""))
            name = f"{graph.name}.kernel_{len(graph.kernels)}"
            graph.kernels.append(Kernel(name, source=source, lines=lines,
                                        direction=direction["direction"] if direction else "forward"))  # fmt: skip

    def _times(self, record: Record, kind: str) -> None:
        metrics = record.data.get(kind)
        if isinstance(metrics, dict):
            found = compile_times(SimpleNamespace(**metrics))
            self.session.times.append(replace(found, caches=tuple(self._caches.pop(found.compile_id, ()))))

    def _outcome(self, entry: CacheEntry, frame: Frame, metrics: dict[str, Any]) -> None:
        if _STATIC in str(metrics.get("dynamo_config")):
            for one in entry.recompiled:
                one.remedy = remedy(one, one.remedy, None, "dynamic=False")
        else:
            drop_vain_advice([entry], is_certain="dynamo_config" in metrics)
        if metrics.get("fail_type") or metrics.get("fail_reason"):
            refusal = refusal_of(metrics, entry.compile_id in self._left)
            refusal.recompiled = list(entry.recompiled)
            self.session.refusals.append(refusal)
            frame.refusals.append(refusal)
            self._failed.add(id(entry))
            self._compiled.discard(id(entry))
        elif metrics.get("has_guarded_code") and metrics.get("guard_count") is not None:  # else there is no code
            self._compiled.add(id(entry))

    def _keep_what_was_compiled(self) -> None:
        """Takes out the attempts that gave nothing to run; their breaks are reported."""
        for frame in self._looked_at:
            for entry in frame.entries:
                if id(entry) not in self._compiled:
                    self._came_to_nothing(frame, entry)
                    self._dropped.append(entry)
            frame.entries = [entry for entry in frame.entries if id(entry) in self._compiled]

    def _came_to_nothing(self, frame: Frame, entry: CacheEntry) -> None:
        """A break which Dynamo did not continue after is the reason why it left the function to Python."""
        why = self._stopped.get(entry.compile_id)
        self.session.breaks += [one for one in entry.breaks if one is not why]
        if why is not None and id(entry) not in self._failed:
            place = SourceLine(frame.filename, frame.first_line)
            refusal = Refusal(entry.compile_id, frame.name, place, why, consequence=AS_WRITTEN)
            self.session.refusals.append(refusal)
            frame.refusals.append(refusal)

    def _link_resume_functions(self) -> None:
        broken: dict[tuple[str, str, int], list[tuple[Frame, CacheEntry]]] = {}  # by file, function and line
        for frame in self.session.frames:
            for entry in frame.entries:
                for found in entry.breaks:
                    broken.setdefault((frame.filename, _name(frame), found.stack[0].line), []).append((frame, entry))
        for frame in self.session.frames:
            rest = resumed(frame.name)
            if rest is not None:
                pairs = broken.get((frame.filename, *rest), [])
                for parent, entry in [pair for pair in pairs if pair[0] is not frame][:1]:
                    frame.parent = parent.name
                    entry.resume_functions.append(ResumeFunction(frame.name, resume_line=rest[1], frame=frame))

    def _note_what_is_missing(self) -> None:
        self.session.notes.append("a log of TORCH_TRACE does not hold: {}".format("; ".join(MISSING)))
        entries = [entry for frame in self.session.frames for entry in frame.entries]
        checks = [guard for entry in entries for guard in entry.guards if guard.kind == "TENSOR_MATCH"]
        if checks and not any(guard.user_line for guard in checks):
            self.session.notes.append(
                "this torch does not write which line asked for a guard: "
                "a recompilation is shown where its function begins"
            )
        elif entries and not any(entry.guards for entry in entries):
            self.session.notes.append("this log has no guards")
        if not self.session.torch_version:
            self.session.notes.append("this torch does not write its version")
        if self._log.cut:
            self.session.notes.append(f"{self._log.cut}: what came after it is missing")


def _cut(text: str) -> str:
    """A payload with its lines no longer than any of use: whoever looks at them looks more than once at each place."""
    if len(text) <= _LONGEST or text.startswith(("[", '"')):  # JSON
        return text
    return "\n".join([line[:_LONGEST] for line in text.split("\n")])


def _name(frame: Frame) -> str:
    rest = resumed(frame.name)
    return rest[0] if rest is not None else frame.name


def _from_json(text: str, otherwise: Any) -> Any:
    try:
        return loads(text)
    except ValueError:
        return otherwise
