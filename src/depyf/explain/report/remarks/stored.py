"""Remarks as JSON: ``remarks.json`` of a dump, which ``depyf report`` and others read without torch."""

from __future__ import annotations

import dataclasses
import json
import os
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional

from ....errors import ReportError
from ...model import Session
from .remark import Remark, remarks_of

__all__ = ["FILE", "FORMAT", "Report", "report_of"]

FILE = "remarks.json"
FORMAT = 1
"""Changes when a field is renamed, removed, or gets another meaning; new fields may come."""


@dataclass
class Report:
    """Remarks on a program, and counts: functions, graphs, breaks, recompilations, uncompiled."""

    remarks: List[Remark] = field(default_factory=list)
    counts: Dict[str, int] = field(default_factory=dict)
    torch: str = ""
    python: str = ""
    seconds: Optional[float] = None  # that compiling took; not in the file, as it differs in every run

    def to_json(self) -> str:
        """The text of the file."""
        remarks = [{name: value for name, value in dataclasses.asdict(one).items() if value not in ("", [], False)}
                   for one in self.remarks]  # fmt: skip
        data = {"format": FORMAT, "torch": self.torch, "python": self.python, "counts": self.counts}
        return json.dumps({**data, "remarks": remarks}, indent=1) + "\n"

    @classmethod
    def read(cls, path: str) -> Report:
        """Reads a file, or that of a folder.

        Raises:
            ReportError: there is none, or it is not of this format; the message says what to do.
        """
        if not path.endswith(".json"):
            path = os.path.join(path, FILE)
        try:
            with open(path, encoding="utf-8") as file:
                data = json.load(file)
        except FileNotFoundError:
            raise ReportError("there is no {}: `depyf run -o DIR PROGRAM` or prepare_debug(DIR) makes it".format(
                path)) from None  # fmt: skip
        except (OSError, ValueError) as error:
            raise ReportError("{} can't be read: {}".format(path, error)) from error
        return cls._from(data, path)

    @classmethod
    def _from(cls, data: Any, path: str) -> Report:
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            found = data.get("format") if isinstance(data, dict) else None
            raise ReportError("{} is of format {!r}, this depyf reads {}".format(path, found, FORMAT))
        known = {one.name for one in dataclasses.fields(Remark)}
        try:
            remarks = [Remark(**{name: value for name, value in one.items() if name in known})
                       for one in data["remarks"]]  # fmt: skip
            return cls(remarks, dict(data["counts"]), data["torch"], data["python"])
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ReportError("{} is no report: {!r}".format(path, error)) from error


def report_of(session: Session) -> Report:
    """The report on a recording."""
    remarks = remarks_of(session)
    entries = [entry for frame in session.frames for entry in frame.entries]
    counts = {
        "functions": sum(any(below.entries for below in frame.walk()) for frame in session.top_level()),
        "graphs": len({graph.name for entry in entries for graph in entry.graphs}),
        "breaks": len(session.all_breaks()),
        "recompilations": sum(bool(entry.recompiled or entry.recompile_reasons) for entry in entries),
        "uncompiled": len({(one.file, one.line, one.function) for one in remarks if one.kind == "uncompiled"}),
    }
    return Report(remarks, counts, session.torch_version, session.python_version)
