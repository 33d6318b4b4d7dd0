"""Where ``depyf report`` finds its reports: folders of recordings, and logs of ``TORCH_TRACE``."""

from __future__ import annotations

import json
import os
from typing import Callable

from ..errors import ReportError
from ..explain.from_trace.log import Log, logs_in, read_log
from ..explain.from_trace.session import Trace
from ..explain.report.remarks.answer import INSTALLED, answer_lines, short
from ..explain.report.remarks.difference import ranks_in
from ..explain.report.remarks.over_source import source_lines
from ..explain.report.remarks.stored import FILE, Report, report_of

__all__ = ["in_one_text", "read_report", "read_reports", "text_of"]


def read_reports(path: str) -> dict[str, Report]:
    """The reports that a folder or a file holds, by the name of the process: "" where there is but one.

    Raises:
        ReportError: there is none, or it can't be read.
    """
    is_stored = path.endswith(".json") or os.path.exists(os.path.join(path, FILE))
    if not is_stored:
        ranks = ranks_in(path) if os.path.isdir(path) else []
        if ranks:
            return {os.path.basename(one): Report.read(one) for one in ranks}
    logs = [] if is_stored else [log for one in logs_in(path) for log in read_log(one)]
    if not logs:
        return {"": Report.read(path)}
    names = _names(logs)
    return {name: _report(log) for name, log in zip(names, logs)}


def read_report(path: str) -> Report:
    """The only report that `path` holds.

    Raises:
        ReportError: there is none, or there are several, or it can't be read.
    """
    found = read_reports(path)
    if len(found) > 1:
        raise ReportError("{} has logs of several processes ({}): name one file".format(path, ", ".join(found)))
    return next(iter(found.values()))


def _names(logs: list[Log]) -> list[str]:
    """A name for each: the rank; what the file is called where that is not known or said twice."""
    if len(logs) == 1:
        return [""]
    ranks = [log.rank for log in logs]
    names = []
    for log in logs:
        known = log.rank is not None and ranks.count(log.rank) == 1
        name = f"rank {log.rank}" if known else os.path.basename(log.path)
        alike = [other for other in logs if other.path == log.path]
        if not known and len(alike) > 1:
            name += f", process {log.records[0].process}"
        names.append(name)
    return names


def _report(log: Log) -> Report:
    trace = Trace(log)
    found = report_of(trace.session)
    found.notes, found.seconds = trace.notes, trace.seconds
    return found


def in_one_text(reports: dict[str, Report], form: str, path: str, formatted: Callable[[Report], str]) -> str:
    """All of them in one of the forms for programs: JSON becomes an object with one report for each name.

    Raises:
        ReportError: this form can't hold several.
    """
    if len(reports) == 1:
        return formatted(next(iter(reports.values())))
    if form == "json":
        return json.dumps({name: json.loads(formatted(one)) for name, one in reports.items()}, indent=1)
    if form == "html":
        raise ReportError("{} has several reports ({}), an HTML file holds one: name one file".format(
            path, ", ".join(reports)))  # fmt: skip
    every = [remark for one in reports.values() for remark in one.remarks]
    distinct = {(one.file, one.line, one.kind, one.words): one for one in reversed(every)}
    return formatted(Report(list(distinct.values())[::-1]))


def text_of(report: Report, base: str, wanted: str, line: str, colours: bool, everything: bool) -> list[str]:
    """A report for a terminal.

    Args:
        report: what to show.
        base: file names are relative to this folder.
        wanted: the only file to show, "" for all of the program.
        line: the only line of it, "" for all.
        colours, everything: as in `source_lines`.

    Returns:
        Its lines; none where there are no remarks on the file that is wanted.
    """
    files = list(dict.fromkeys(one.file for one in report.remarks))
    lines: list[str] = []
    if wanted:
        files = [file for file in files if os.path.realpath(file) == os.path.realpath(wanted)] or [
            file for file in files if file.replace(os.sep, "/").endswith("/" + wanted) or file == wanted
        ]
    else:
        lines += answer_lines(report, base) + ["  note: " + one for one in report.notes]
        files = [file for file in files if INSTALLED not in file] or files
    for file in files:
        remarks = [one for one in report.remarks if one.file == file and (not line or str(one.line) == line)]
        lines += [""] * (not wanted) + [short(file, base)]
        lines += source_lines(file, remarks, colours, everything)
    return lines
