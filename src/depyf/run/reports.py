"""Where ``depyf report`` finds its reports: folders of recordings, and logs of ``TORCH_TRACE``."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from typing import Callable, Sequence

from ..errors import ReportError
from ..escapes import printable
from ..explain.from_trace.log import Limit, Log, logs_in, read_log
from ..explain.from_trace.session import Trace
from ..explain.report.remarks.answer import answer_lines, short
from ..explain.report.remarks.difference import ranks_in
from ..explain.report.remarks.over_source import source_lines
from ..explain.report.remarks.remark import Remark
from ..explain.report.remarks.sources import find_sources
from ..explain.report.remarks.stored import FILE, Report, report_of
from ..sarif import plain_json

__all__ = ["in_one_text", "read_report", "read_reports", "text_of"]


def read_reports(path: str, sources: Sequence[str] = (), wanted: str = "") -> dict[str, Report]:
    """The reports that a folder or a file holds, by the name of the process: "" where there is but one.

    Args:
        path: the folder or the file.
        sources: folders with source files that may be read, besides `path`.
        wanted: a source file that the user has named: see `text_of`.

    Raises:
        ReportError: there is none, or it can't be read.
    """
    if not os.path.lexists(path):
        raise ReportError(f"there is no folder or file {path}: `depyf run -o {path} PROGRAM` makes one")
    is_stored = path.endswith(".json") or os.path.exists(os.path.join(path, FILE))
    ranks = ranks_in(path) if not is_stored and os.path.isdir(path) else []
    limit = Limit()
    logs: list[Log] = []
    traced: list[Report] = []
    for one in [] if is_stored or ranks else logs_in(path):
        limit = Limit(limit.text)
        for log in read_log(one, limit):
            traced.append(_report(log))
            logs.append(replace(log, records=log.records[:1], strings={}, inherited={}))
    if ranks:
        found = {os.path.basename(one): Report.read(one) for one in ranks}
    elif logs:
        found = dict(zip(_names(logs), traced))
    else:
        found = {"": Report.read(path)}
    folder = path if os.path.isdir(path) else os.path.dirname(path) or os.curdir
    for each in found.values():
        named = next(iter(_files_named(each, wanted)), "") if wanted else ""
        find_sources(each, [*sources, folder], named, wanted)
    return found


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
        name = f"rank {log.rank}" if known else printable(os.path.basename(log.path))
        alike = [other for other in logs if other.path == log.path]
        if not known and len(alike) > 1:
            name += f", process {log.records[0].process}"
        names.append(name)
    return names


def _report(log: Log) -> Report:
    trace = Trace(log)
    found = report_of(trace.session)
    return found


def in_one_text(reports: dict[str, Report], form: str, path: str, formatted: Callable[[Report], str]) -> str:
    """All of them in one of the forms for programs: JSON becomes an object with one report for each name.

    Raises:
        ReportError: this form can't hold several.
    """
    if len(reports) == 1:
        return formatted(next(iter(reports.values())))
    if form == "json":
        return plain_json(json.dumps({name: json.loads(formatted(one)) for name, one in reports.items()}, indent=1))
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
    lines: list[str] = []
    if wanted:
        files = _files_named(report, wanted)
    else:
        files = list(dict.fromkeys(one.file for one in report.remarks))
        lines += answer_lines(report, base) + ["  note: " + one for one in report.notes]
        files = list(dict.fromkeys(one.file for one in report.remarks if not one.package)) or files
    by_file: dict[str, list[Remark]] = {}
    for one in report.remarks:
        if not line or str(one.line) == line:
            by_file.setdefault(one.file, []).append(one)
    for file in files:
        remarks = by_file.get(file, [])
        without = f"  ({report.without[file]})" if file in report.without else ""
        lines += [""] * (not wanted) + [short(file, base) + without]
        lines += source_lines(report.sources.get(file, {}), remarks, colours, everything)
    return lines


def _files_named(report: Report, wanted: str) -> list[str]:
    """The files of a report that a user's name of a file means. What the report names is not looked up."""
    files = list(dict.fromkeys(one.file for one in report.remarks))
    whole = {os.path.abspath(wanted), os.path.realpath(wanted)}
    return [file for file in files if os.path.abspath(file) in whole] or [
        file for file in files if file.replace(os.sep, "/").endswith("/" + wanted) or file == wanted
    ]
