"""Reports as text, JSON and SARIF.

Names and statements come from untrusted files: unprintable characters in them are escaped.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from typing import Any, Iterable, Iterator, Sequence
from urllib.parse import quote

from ..escapes import printable
from ..sarif import sarif_log
from .report import ONLY_IN_SOURCE, Change, FileReport, Loading, NotLookedAt, Status, worst

_MOST_LINES = 30
"""The limit of text lines about one change; JSON has all of them."""

_MOST_NAMES = 3
"""The limit of names of one kind of file that was not looked at; with -v, in JSON and SARIF there are all."""

_RULES = {
    "differs": "a compiled file is not what its source says",
    "not-checked": "a compiled file was not compared with its source",
    "not-looked-at": "a file that an import may run, and that has no source to compare with",
}
_FIELDS = ("in the .pyc", "in the source")
_COMPILED = "compiled file"
_SAME = "same but for comments and layout"


def lines_of(report: FileReport) -> Iterator[str]:
    """The lines shown for one file on a terminal."""
    head = f"{report.path}: {_words(report)}"
    if report.version is not None and report.kind == _COMPILED:
        level = " -" + report.optimize * "O" if report.optimize else ""
        head += f" (CPython {report.version[0]}.{report.version[1]}{level})"
    if report.source is not None and report.status is Status.DIFFERS:
        head += f" from {report.source}"
    yield printable(head)
    if report.loading_reason and (not report.fine or report.loading is not Loading.LOADED):
        yield printable(f"  {report.loading.value}: {report.loading_reason}")
    for note in report.notes:
        yield printable(f"  note: {note}")
    if report.status is not Status.IDENTICAL and not report.changes:
        yield from (printable(f"  {reason}") for reason in report.reasons)
    sides = _FIELDS if report.kind == _COMPILED else (f"in {report.path}", f"in {report.source}")
    for change in report.changes:
        yield from change_lines(change, sides)
    if report.decompiled is not None:
        yield from ("  | " + printable(line) for line in report.decompiled.splitlines())


def _words(report: FileReport) -> str:
    """The status; of Python files, other lines are no more than comments and layout."""
    is_same = report.status is Status.OTHER_LINES and report.kind != _COMPILED
    return _SAME if is_same else report.status.value


def change_lines(change: Change, sides: tuple[str, str] = _FIELDS) -> Iterator[str]:
    """The lines of one change; ``sides`` are the headings of both sides."""
    if change.what:
        yield printable(f"  {change.what}")
    if not change.lines and not change.source_lines:
        return
    yield printable(f"  {change.where}")
    both = ((sides[0], change.lines, change.line), (sides[1], change.source_lines, change.source_line))
    for side, lines, line in both:
        if not lines:
            continue
        yield f"    {printable(side)}" + (f", line {line}:" if line is not None else ":")
        yield from (f"      {printable(text)}" for text in lines[:_MOST_LINES])
        if len(lines) > _MOST_LINES:
            yield f"      ... and {len(lines) - _MOST_LINES} more lines"


def summary(counts: Counter[tuple[str, str]]) -> str:
    """How many files have each status, in one line: compiled files, and those compared with a source tree."""
    parts = []
    for noun in dict.fromkeys(kind for kind, _ in counts):
        found = {words: count for (kind, words), count in counts.items() if kind == noun}
        total = sum(found.values())
        order = sorted(found, key=[*(status.value for status in Status), _SAME].index)
        listed = ", ".join(f"{found[words]} {words}" for words in order)
        parts.append(f"{total} {noun}{'s' * (total > 1)}: {listed}")
    return "; ".join(parts)


def count(counts: Counter[tuple[str, str]], report: FileReport) -> None:
    """Count a report for `summary`."""
    counts[report.kind, _words(report)] += 1


def beside_lines(files: Sequence[NotLookedAt], verbose: bool) -> Iterator[str]:
    """What else an import may run, by kind."""
    kinds: dict[str, list[NotLookedAt]] = {}
    for file in files:
        kinds.setdefault(file.kind, []).append(file)
    for kind, found in kinds.items():
        words = "only in the source" if kind == ONLY_IN_SOURCE else "not looked at"
        why = "" if kind == ONLY_IN_SOURCE else " that an import may run"
        yield f"{words}: {len(found)} {kind.partition(' of ')[0]}{'s' * (len(found) > 1)}{why}"
        shown = found if verbose else found[:_MOST_NAMES]
        yield from (printable(f"  {file.path}: {file.reason}") for file in shown)
        if len(found) > len(shown):
            yield f"  ... and {len(found) - len(shown)} more (-v names them)"


def json_text(
    reports: Sequence[FileReport], version: str, not_looked_at: Sequence[NotLookedAt] = (), status: int | None = None
) -> str:
    """All reports as JSON; lone surrogates of names that are not UTF-8 are escaped."""
    counts = Counter(report.status for report in reports)
    found: dict[str, Any] = {
        "depyf": version,
        "exit_status": worst(report.exit_status for report in reports) if status is None else status,
        "counts": {status.value: counts[status] for status in Status},
        "files": [report.to_dict() for report in reports],
        "not_looked_at": [file.to_dict() for file in not_looked_at],
    }
    return json.dumps(found, indent=1)


def sarif(reports: Iterable[FileReport], base: str, version: str, not_looked_at: Iterable[NotLookedAt] = ()) -> str:
    """The files that are not fine, or were not looked at, as a SARIF log; they are named relative to ``base``."""
    results = [_result(report, change, base) for report in reports if not report.fine for change in _parts(report)]
    results += [_note(file, base) for file in not_looked_at]
    return sarif_log(_RULES, results, version)


def _parts(report: FileReport) -> Sequence[Change]:
    return report.changes or (Change("", "; ".join(report.reasons)),)


def _result(report: FileReport, change: Change, base: str) -> dict[str, Any]:
    differs = report.status is Status.DIFFERS
    text: list[str] = [f"{report.path}: {report.status.value}", f"{report.loading.value}: {report.loading_reason}"]
    text += [change.what] if change.what else []
    text += [f"{change.where}: only {_FIELDS[0]}:", *change.lines] if change.lines else []
    text += [f"{change.where}: only {_FIELDS[1]}:", *change.source_lines] if change.source_lines else []
    location: dict[str, Any] = {"artifactLocation": {"uri": _uri(report.source or report.path, base)}}
    if report.source is not None:
        location["region"] = {"startLine": change.source_line or change.line or 1}
    return {
        "ruleId": "differs" if differs else "not-checked",
        "level": "error" if differs else "warning",
        "message": {"text": "\n".join(map(printable, text))},
        "locations": [{"physicalLocation": location}],
    }


def _note(file: NotLookedAt, base: str) -> dict[str, Any]:
    return {
        "ruleId": "not-looked-at",
        "level": "note",
        "message": {"text": printable(f"{file.path}: {file.kind}, not looked at: {file.reason}")},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": _uri(file.path, base)}}}],
    }


def _uri(path: str, base: str) -> str:
    full = os.path.abspath(path)
    inside = full.startswith(os.path.join(base, ""))
    name = (os.path.relpath(full, base) if inside else path).replace(os.sep, "/")
    return quote(name.encode("utf-8", "surrogateescape"))
