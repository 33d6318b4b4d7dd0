"""The records of a log -> the model of `explain/model.py`, as far as they go."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace
from typing import Any

from ..frames.recompiles import add_reasons
from ..frames.resume_points import is_resume_name, resumed
from ..guards.collect import collect_guards
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
from ..torch_facts.torch_keeps import compile_times
from .breaks import AS_WRITTEN, break_from_text, is_of_whole_frame, refusal_of
from .graphs import graph_from_text
from .log import Log, Record

__all__ = ["MISSING", "Trace"]

MISSING = (
    "classes of methods",
    "what a guard found when it failed, unless torch writes it",
    "functions that Dynamo left to Python before it began to compile them",
    "numbers of graphs (compile ids replace them)",
)
"""What no version of torch writes into the log."""

_DIRECTION = re.compile(r"^# AOT ID: \['[^']*_(?P<direction>forward|backward)'\]", re.MULTILINE)
_POST_GRAD = ("inductor_post_grad_graph", "after_post_grad_graph")
_LATENCY = "\nGuard latency = "


class Trace:
    """What a log tells.

    Attributes:
        session: the model.
        seconds: that compiling took; None where the log does not tell.
        notes: what the log lacks, in sentences.
    """

    def __init__(self, log: Log) -> None:
        self.session = Session()
        self.seconds: float | None = None
        self.notes: list[str] = []
        self._log = log
        self._frames: dict[tuple[int, str], Frame] = {}  # by number of the reset, and Dynamo's number of the frame
        self._entries: dict[str, CacheEntry] = {}  # the compilations since the last reset
        self._of: dict[str, Frame] = {}
        self._compiled: list[CacheEntry] = []  # those that gave code to run
        self._failed: list[CacheEntry] = []
        self._reasons: dict[str, list[str]] = {}  # to compile again: they come before the compilation
        self._left: set[str] = set()  # compilations of functions that are left to Python then
        self._stopped: dict[str, GraphBreak] = {}  # breaks after which Dynamo has not started again, by compilation
        self._attempt: dict[str, int] = {}  # in which they came: after a break Dynamo traces the function once more
        self._graph_texts: dict[str, str] = {}
        self._resets = 0
        for record in log.records:
            self._take(record)
        self._keep_what_was_compiled()
        self._link_resume_functions()
        self._note_what_is_missing()

    def _take(self, record: Record) -> None:
        start = record.data.get("dynamo_start")
        if isinstance(start, dict):
            self._begin(record.compile_id, self._log.stack(start.get("stack") or []))
        elif record.artifact == "torch_version":
            self.session.torch_version = str(_from_json(record.payload, {}).get("pytorch_version", ""))
        elif record.artifact == "recompile_reasons":
            found = _from_json(record.payload, record.payload)  # torch 2.10 and later write one as a text by itself
            self._reasons[record.compile_id] = [str(one) for one in (found if isinstance(found, list) else [found])]
        entry = self._entries.get(record.compile_id)
        if entry is not None:
            self._take_of(entry, self._of[record.compile_id], record)

    def _begin(self, compile_id: str, stack: list[Any]) -> None:
        if not compile_id or not stack:
            return
        if compile_id in self._entries:  # `torch._dynamo.reset()` makes it count anew
            self._resets += 1
            self._keep_what_was_compiled()
            for known in (self._entries, self._of, self._left, self._stopped, self._attempt, self._graph_texts):
                known.clear()
        frame = self._frame(compile_id.rpartition("/")[0], stack[-1])
        self._entries[compile_id] = entry = CacheEntry(compile_id, len(frame.entries))
        self._of[compile_id] = frame
        frame.entries.append(entry)
        add_reasons(entry, self._reasons.pop(compile_id, []), None)

    def _frame(self, number: str, line: Any) -> Frame:
        """The frame with Dynamo's `number`; after a reset the one with the same code, which has another number."""
        known = self._frames.get((self._resets, number))
        if known is not None:
            return known
        taken = [id(frame) for (reset, _), frame in self._frames.items() if reset == self._resets]
        for frame in self.session.frames:
            place = (frame.filename, frame.first_line, frame.name)
            if place == (line.filename, line.line, line.function) and id(frame) not in taken:
                self._frames[self._resets, number] = frame
                return frame
        frame = Frame(line.function, line.function, line.filename, line.line, is_resume=is_resume_name(line.function))
        self._frames[self._resets, number] = frame
        self.session.frames.append(frame)
        return frame

    def _take_of(self, entry: CacheEntry, frame: Frame, record: Record) -> None:
        """A record about one compilation."""
        name = record.artifact
        if record.data.get("attempt", 0) > self._attempt.get(entry.compile_id, 0):
            self._stopped.pop(entry.compile_id, None)
        if name == "dynamo_graph_break_reason":
            found = break_from_text(record.payload, frame)
            if found is not None:
                found.compile_id = entry.compile_id
                entry.breaks += [found] if found not in entry.breaks else []
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
            self._compiled.append(entry)
        elif "dynamo_guards" in record.data:
            self._compiled.append(entry)
        elif "inductor_output_code" in record.data:
            self._kernel(entry, record.payload)
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
            self.session.times.append(compile_times(SimpleNamespace(**metrics)))
            self.seconds = sum(one.total for one in self.session.times)

    def _outcome(self, entry: CacheEntry, frame: Frame, metrics: dict[str, Any]) -> None:
        if metrics.get("fail_type") or metrics.get("fail_reason"):
            refusal = refusal_of(metrics, entry.compile_id in self._left)
            refusal.recompiled = list(entry.recompiled)
            self.session.refusals.append(refusal)
            frame.refusals.append(refusal)
            self._failed.append(entry)
            self._compiled = [one for one in self._compiled if one is not entry]
        elif metrics.get("has_guarded_code") and metrics.get("guard_count") is not None:  # else there is no code
            self._compiled.append(entry)

    def _keep_what_was_compiled(self) -> None:
        """Takes out the attempts that gave nothing to run; their breaks are reported."""
        for frame in self.session.frames:
            for entry in list(frame.entries):
                if not any(entry is one for one in self._compiled):
                    frame.entries.remove(entry)
                    self._came_to_nothing(frame, entry)

    def _came_to_nothing(self, frame: Frame, entry: CacheEntry) -> None:
        """A break which Dynamo did not continue after is the reason why it left the function to Python."""
        why = self._stopped.get(entry.compile_id)
        self.session.breaks += [one for one in entry.breaks if one is not why]
        if why is not None and not any(entry is one for one in self._failed):
            place = SourceLine(frame.filename, frame.first_line)
            refusal = Refusal(entry.compile_id, frame.name, place, why, consequence=AS_WRITTEN)
            self.session.refusals.append(refusal)
            frame.refusals.append(refusal)

    def _link_resume_functions(self) -> None:
        for frame in self.session.frames:
            rest = resumed(frame.name)
            if rest is None:
                continue
            name, line = rest
            named = [one for one in self.session.frames if one.filename == frame.filename and one is not frame]
            broken = [
                (one, entry) for one in named for entry in one.entries for found in entry.breaks
                if found.stack[0].line == line and _name(one) == name
            ]  # fmt: skip
            if broken:
                parent, entry = broken[0]
                frame.parent = parent.name
                entry.resume_functions.append(ResumeFunction(frame.name, resume_line=line, frame=frame))

    def _note_what_is_missing(self) -> None:
        self.notes.append("a log of TORCH_TRACE does not hold: {}".format("; ".join(MISSING)))
        entries = [entry for frame in self.session.frames for entry in frame.entries]
        checks = [guard for entry in entries for guard in entry.guards if guard.kind == "TENSOR_MATCH"]
        if checks and not any(guard.user_line for guard in checks):
            self.notes.append("this torch does not write which line asked for a guard: a recompilation is shown "
                              "where its function begins")  # fmt: skip
        elif entries and not any(entry.guards for entry in entries):
            self.notes.append("this log has no guards")
        if not self.session.torch_version:
            self.notes.append("this torch does not write its version")
        if self._log.cut:
            self.notes.append(f"{self._log.cut}: what came after it is missing")


def _name(frame: Frame) -> str:
    rest = resumed(frame.name)
    return rest[0] if rest is not None else frame.name


def _from_json(text: str, otherwise: Any) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return otherwise
