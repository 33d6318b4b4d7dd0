"""Remarks as JSON: ``remarks.json`` of a dump, which ``depyf report`` and others read without torch."""

from __future__ import annotations

import dataclasses
import json
import os
from dataclasses import dataclass, field
from typing import Any

from ....errors import ReportError
from ...dump.compile_times import COSTS
from ...model import Session
from .costs import cost_remarks, costs_of, read_costs
from .remark import COST, Remark, in_order, remarks_of
from .steps import steps_of

__all__ = ["FILE", "FORMAT", "Report", "report_of"]

FILE = "remarks.json"
FORMAT = 1
"""Changes when a field is renamed, removed, or gets another meaning; new fields may come."""


@dataclass
class Report:
    """Remarks on a program, and counts: functions, graphs, breaks, recompilations, uncompiled.

    `notes` say what is missing, where the remarks come from something that holds less than a recording. What differs in
    every run, the seconds and the remarks on costs, is not in the file.
    """

    remarks: list[Remark] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    torch: str = ""
    python: str = ""
    notes: list[str] = field(default_factory=list)
    steps: list[dict[str, Any]] = field(default_factory=list)  # the compilations in order: see `steps_of`
    seconds: float | None = field(default=None, compare=False)  # that compiling took
    own_seconds: float | None = field(default=None, compare=False)  # that recording took

    def to_json(self) -> str:
        """The text of the file."""
        remarks = [{name: value for name, value in dataclasses.asdict(one).items() if value not in ("", [], False)}
                   for one in self.remarks if one.kind != COST]  # fmt: skip
        data = {"format": FORMAT, "torch": self.torch, "python": self.python, "counts": self.counts}
        notes = {"notes": self.notes} if self.notes else {}
        return json.dumps({**data, **notes, "remarks": remarks, "steps": self.steps}, indent=1) + "\n"

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
            raise ReportError(
                f"there is no {path}: `depyf run -o DIR PROGRAM` or prepare_debug(DIR) makes it, and there is "
                "no log of TORCH_TRACE"
            ) from None
        except (OSError, ValueError) as error:
            raise ReportError(f"{path} can't be read: {error}") from error
        found = cls._from(data, path)
        found.remarks = in_order(found.remarks + _costs(os.path.join(os.path.dirname(path), COSTS)))
        return found

    @classmethod
    def _from(cls, data: Any, path: str) -> Report:
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            found = data.get("format") if isinstance(data, dict) else None
            raise ReportError(f"{path} is of format {found!r}, this depyf reads {FORMAT}")
        known = {one.name for one in dataclasses.fields(Remark)}
        try:
            remarks = [Remark(**{name: value for name, value in one.items() if name in known})
                       for one in data["remarks"]]  # fmt: skip
            return cls(remarks, dict(data["counts"]), data["torch"], data["python"], list(data.get("notes", [])),
                       list(data.get("steps", [])))  # fmt: skip
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ReportError(f"{path} is no report: {error!r}") from error


def _costs(path: str) -> list[Remark]:
    """None before torch 2.4, or in a folder of an earlier depyf."""
    try:
        with open(path, encoding="utf-8") as file:
            return read_costs(json.load(file))
    except FileNotFoundError:
        return []
    except (OSError, AttributeError, KeyError, TypeError, ValueError) as error:
        raise ReportError(f"{path} can't be read: {error!r}") from error


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
    everything = in_order(remarks + cost_remarks(costs_of(session)))
    return Report(everything, counts, session.torch_version, session.python_version, steps=steps_of(session),
                  own_seconds=session.own_seconds)  # fmt: skip
