"""What torch's own records say of a run: its structured trace, its counters, its log of what it skips.

The trace (TORCH_TRACE) is a file of lines `...] {"artifact": {"name": "dynamo_graph_break_reason"}, "frame_id": 0,
...}`, each with its payload behind it, a tab before every line. Nothing of depyf is used here.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
from typing import Any, Dict, Iterator, List, NamedTuple, Tuple

__all__ = ["Record", "SkipLog", "counters", "has_trace", "records_of"]

_PLACE = re.compile(r"Graph break in user code at (?P<file>.+):(?P<line>\d+)$", re.MULTILINE)
_REASON = re.compile(r"Graph Break Reason: (?P<reason>.*)")
_LAST = re.compile(r'^\s+File "(?P<file>[^"]+)", line (?P<line>\d+), in ', re.MULTILINE)
_LINK = re.compile(r"/(gb\d+)\.html", re.IGNORECASE)
_STACK = re.compile(r"^(Traceback \(most recent|User code traceback|from user code)", re.MULTILINE)
_GUARD_ID = re.compile(r"^(?P<id>[\d?]+/\d+): (?P<guard>.*)")
_SKIPPING = re.compile(r"skipping: (?P<function>\S+) \(reason: (?P<reason>.*?), file: (?P<file>.*)\)$", re.DOTALL)
_FAILED = ("an error was suppressed", "compilation failed with a custom")  # they are in the trace


class Record(NamedTuple):
    """One thing that torch names.

    Attributes:
        kind: "break", "recompile", "failure" or "skip"; "library" for the skip of a function of torch's or Python's,
            or of a package's without tensors.
        compile_id: "" where torch does not say.
        place: ``file.py:12``; for a skip the file, "" where torch does not say.
        what: the number in the registry of breaks, or the first line of the reason; of a skip the function's name.
    """

    kind: str
    compile_id: str
    place: str
    what: str


def records_of(folder: str) -> List[Record]:
    """Every break, recompilation and failure in the traces which the processes of a run have left in a folder."""
    found: List[Record] = []
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        for header, payload in _entries(os.path.join(folder, name)):
            number = "{}/{}".format(header.get("frame_id", "?"), header.get("frame_compile_id", "?"))
            artifact = header.get("artifact", {}).get("name")
            if artifact == "dynamo_graph_break_reason":
                found.append(_break(number, payload))
            elif artifact == "recompile_reasons":
                for reason in json.loads(payload) if payload.startswith("[") else [payload]:  # one is no JSON
                    found.append(_recompile(number, str(reason)))
            metrics = header.get("compilation_metrics")
            if metrics and metrics.get("fail_reason"):
                file = metrics["co_filename"]  # none where the limit of compilations is reached
                code = "{}:{}".format(os.path.basename(file), metrics["co_firstlineno"]) if file else ""
                found.append(Record("failure", metrics["compile_id"], code, _named(metrics["fail_reason"])))
    return list(dict.fromkeys(found))


def _entries(path: str) -> Iterator[Tuple[Dict[str, Any], str]]:
    header: Dict[str, Any] = {}
    payload: List[str] = []
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.startswith("\t"):
                payload.append(line[1:].rstrip("\n"))
                continue
            if header:
                yield header, "\n".join(payload)
            _, _, text = line.partition("] ")
            header, payload = (json.loads(text) if text.startswith("{") else {}), []
    if header:
        yield header, "\n".join(payload)


def _break(number: str, text: str) -> Record:
    place, reason = _PLACE.search(text), _REASON.search(text)
    if place is not None and reason is not None:
        where = "{}:{}".format(os.path.basename(place.group("file")), place.group("line"))
        return Record("break", number, where, _named(text[reason.start("reason") :]))
    lines = list(_LAST.finditer(_STACK.split(text)[0])) or list(_LAST.finditer(text))
    where = "{}:{}".format(os.path.basename(lines[-1].group("file")), lines[-1].group("line")) if lines else ""
    return Record("break", number, where, _named(text))


def _named(text: str) -> str:
    """The registry's number, or else the first line."""
    head = _STACK.split(text)[0].partition("*** While handling")[0]
    link = _LINK.search(head)
    return link.group(1).upper() if link else next((one.strip() for one in text.splitlines() if one.strip()), "")


def _recompile(number: str, text: str) -> Record:
    head = next((one.strip() for one in text.splitlines() if one.strip()), "")
    match = _GUARD_ID.match(head)
    return Record("recompile", number, match.group("id") if match else "", match.group("guard") if match else head)


class SkipLog(logging.Handler):
    """Hears Dynamo's own log say which frames it leaves to Python: in torch 2.13 and later, on the level of DEBUG."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.records: List[Record] = []
        self.reasons: Dict[str, int] = {}

    def emit(self, record: logging.LogRecord) -> None:
        match = _SKIPPING.match(record.getMessage())
        if match is None or match.group("reason").startswith(_FAILED):
            return
        reason = match.group("reason").splitlines()[0]
        self.reasons[reason] = self.reasons.get(reason, 0) + 1
        has_nothing = match.group("reason").startswith("no tensor") and "/site-packages/" in match.group("file")
        kind = "library" if has_nothing or _is_of_libraries(match.group("file")) else "skip"
        one = Record(kind, "", match.group("file"), match.group("function"))
        if one not in self.records:
            self.records.append(one)

    def listen(self) -> None:
        """From now on, for good."""
        logger = logging.getLogger("torch._dynamo.convert_frame")
        logger.setLevel(logging.DEBUG)
        logger.propagate = False
        logger.handlers = [self]


def _is_of_libraries(filename: str) -> bool:
    torch = os.path.dirname(sys.modules["torch"].__file__ or "")
    library = os.path.dirname(os.__file__)
    return filename.startswith((torch, "<")) or filename.startswith(library) and "-packages" not in filename


def has_trace() -> bool:
    """Whether this torch names breaks and recompilations in its structured trace."""
    import inspect

    import torch

    home = torch._dynamo.symbolic_convert.InstructionTranslatorBase
    return "dynamo_graph_break_reason" in inspect.getsource(home)


def counters() -> Dict[str, Any]:
    """Dynamo's own counts."""
    import torch

    counted = torch._dynamo.utils.counters
    found: Dict[str, Any] = {kind: dict(counted[kind]) for kind in ("frames", "stats", "resumes")}
    found["has_trace"] = has_trace()
    for kind in ("graph_break", "unimplemented"):
        found[kind] = sum(counted[kind].values())
    return found
