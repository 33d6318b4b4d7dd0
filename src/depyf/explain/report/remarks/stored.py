"""Remarks as JSON: ``remarks.json`` of a dump, which ``depyf report`` and others read without torch."""

from __future__ import annotations

import dataclasses
import json
import os
import re
from dataclasses import dataclass, field
from typing import Any

from ....errors import ReportError
from ....escapes import printable
from ...dump.compile_times import COSTS
from ...model import Session
from ...received import read_json
from .costs import cost_remarks, costs_of, read_costs, times_of_kernels
from .counts import COUNTS, counts_of, seconds_of
from .findings import left_by_rule
from .made import remarks_of
from .remark import COST, KINDS, Remark, in_order
from .sources import Lines, read_sources
from .steps import steps_of

__all__ = ["FILE", "FORMAT", "Report", "report_of"]

FILE = "remarks.json"
FORMAT = 1
"""Changes when a field is renamed, removed, or gets another meaning; new fields may come."""

_REMARK = {
    "file": str, "line": int, "kind": frozenset(KINDS), "words": str, "function?": str, "instead?": str,
    "hints?": [str], "gb_id?": str, "link?": str, "compilations?": [str], "follows?": bool, "text?": str,
    "error?": str, "became?": str, "cause?": str, "unfit?": [str], "through?": [str], "inside?": str,
    "explanation?": str, "is_general?": bool, "context?": str, "package?": str,
    "checks?": [str],
}  # fmt: skip
_STEP = {
    "compile_id": str, "function": str, "collectives": [str],
    "said": [(frozenset(KINDS), str, int, str)],
}  # fmt: skip
_SHAPE = {
    "torch": str, "python": str, "counts": {name + "?": int for name in COUNTS}, "notes?": [str],
    "compared?": [str],
    "remarks": [_REMARK], "steps?": [_STEP], "left?": {str: int},
}  # fmt: skip
_LINK = re.compile(r"https://[\w.-]+/[\w./#%?=&-]*")


@dataclass
class Report:
    """Remarks on a program, counts by the names in `COUNTS`, and by package the functions `left` to Python by rule.

    `notes` say what is missing, where the remarks come from something that holds less than a recording; `compared` has
    the verdicts of `depyf.compare`. What differs in every run, seconds and remarks on costs, is not in the file.
    """

    remarks: list[Remark] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    torch: str = ""
    python: str = ""
    notes: list[str] = field(default_factory=list)
    steps: list[dict[str, Any]] = field(default_factory=list)  # the compilations in order: see `steps_of`
    left: dict[str, int] = field(default_factory=dict)
    compared: list[str] = field(default_factory=list)
    seconds: float | None = field(default=None, compare=False)  # that compiling took
    own_seconds: float | None = field(default=None, compare=False)  # that recording took
    sources: dict[str, Lines] = field(default_factory=dict, compare=False)  # by file; see `sources.py`
    without: dict[str, str] = field(default_factory=dict, compare=False)  # files without these, and why

    def to_json(self) -> str:
        """The text of the file."""
        remarks = [{name: value for name, value in dataclasses.asdict(one).items() if value not in ("", [], False)}
                   for one in self.remarks if one.kind != COST]  # fmt: skip
        data = {"format": FORMAT, "torch": self.torch, "python": self.python, "counts": self.counts}
        notes = {"notes": self.notes} if self.notes else {}
        left = {"left": self.left} if self.left else {}
        compared = {"compared": self.compared} if self.compared else {}
        data = {**data, **notes, **compared, "remarks": remarks, **left, "steps": self.steps}
        return json.dumps(data, indent=1) + "\n"

    @classmethod
    def read(cls, path: str) -> Report:
        """Reads a file, or that of a folder.

        Raises:
            ReportError: there is none, or it is not of this format; the message says what to do.
        """
        folder = "" if path.endswith(".json") else path
        path = os.path.join(path, FILE) if folder else path
        try:
            data = read_json(path, FORMAT, _SHAPE, folder)
        except FileNotFoundError:
            raise ReportError(
                f"there is no {path}: `depyf run -o DIR PROGRAM` or prepare_debug(DIR) makes it, and there is "
                "no log of TORCH_TRACE"
            ) from None
        beside = folder or os.path.dirname(path) or os.curdir
        remarks = [Remark(**one) for one in data["remarks"]] + read_costs(os.path.join(beside, COSTS), beside)
        counts = {name: data["counts"].get(name, 0) for name in COUNTS}
        return cls(in_order(remarks), counts, data["torch"], data["python"], data.get("notes", []),
                   data.get("steps", []), data.get("left", {}), data.get("compared", []),
                   sources=read_sources(beside))  # fmt: skip

    def printable(self) -> Report:
        """The same report without line breaks and controls in its texts: for a terminal, a page, an annotation."""
        found: Report = _printable(self)
        return found


def _printable(value: Any) -> Any:
    if isinstance(value, str):
        return printable(value.expandtabs() if "\t" in value else value)
    if isinstance(value, (list, tuple)):
        return [_printable(one) for one in value]
    if isinstance(value, dict):
        return {_printable(name): _printable(one) for name, one in value.items()}
    if isinstance(value, (Report, Remark)):
        found = dataclasses.replace(value, **{name: _printable(one) for name, one in vars(value).items()})
        if isinstance(found, Remark) and not _LINK.fullmatch(found.link):
            found.link = ""
        return found
    return value


def report_of(session: Session) -> Report:
    """The report on a recording."""
    remarks = remarks_of(session)
    everything = in_order(remarks + cost_remarks(costs_of(session), times_of_kernels(session)))
    return Report(everything, counts_of(session, remarks), session.torch_version, session.python_version,
                  list(session.notes), steps=steps_of(session), left=left_by_rule(session),
                  compared=list(session.compared), seconds=seconds_of(session),
                  own_seconds=session.own_seconds)  # fmt: skip
