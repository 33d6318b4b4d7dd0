"""The lines of the program that a report shows.

A recording keeps those that its report needs, as they were: who reads it later, maybe on another machine, needs no
other file. What is missing (a log has no source, and a recording only the lines near remarks of a long file) is read
below folders that the user has named, never where a dump or a log says that it lies: both may come from anybody.
"""

from __future__ import annotations

import json
import linecache
import os
from typing import TYPE_CHECKING, Dict, Iterable, Mapping, Sequence

from ....errors import ReportError
from ....reading import read_at_most
from ...received import open_file, read_json

if TYPE_CHECKING:
    from .remark import Remark
    from .stored import Report

__all__ = ["SOURCES", "find_sources", "lines_around", "read_sources", "recorded_lines", "sources_json",
           "texts_of"]

SOURCES = "sources.json"
WHOLE = 300  # lines: a file of no more is kept, and shown in HTML, from its first line to its last
_FORMAT = 1
_AROUND = 2  # lines shown before and after one with a remark
_SHAPE = {"files": {str: {str: str}}}
_MOST_BYTES, _MOST_FILES = 4 << 20, 1000  # that are looked for
_DEEPEST = 12  # folders of a name
_ENDS = (".py", ".pyw")

Lines = Dict[int, str]


def recorded_lines(remarks: Sequence[Remark]) -> dict[str, Lines]:
    """By file, the lines that a report on this program shows. Reads the files that the remarks name."""
    found = {}
    for file, wanted in _by_file(remarks).items():
        texts = {at: text.rstrip("\n") for at, text in enumerate(linecache.getlines(file), 1)}
        if texts:
            near = texts if len(texts) <= WHOLE else sorted(_near(wanted, texts))
            found[file] = {at: texts[at] for at in near}
    return found


def sources_json(sources: Mapping[str, Lines]) -> str:
    """The text of `SOURCES`."""
    return json.dumps({"format": _FORMAT, "files": sources}, indent=1) + "\n"


def read_sources(folder: str) -> dict[str, Lines]:
    """Those of a dump; none before depyf wrote them.

    Raises:
        ReportError: the file can't be read.
    """
    path = os.path.join(folder, SOURCES)
    try:
        data = read_json(path, _FORMAT, _SHAPE, folder)
    except FileNotFoundError:
        return {}
    numbers = {number for texts in data["files"].values() for number in texts}
    wrong = next((one for one in numbers if not (one.isascii() and one.isdigit() and len(one) < 8)), None)
    if wrong is not None:
        raise ReportError(f"{path} is no report: {wrong[:40]!a} is no number of a line")
    return {file: {int(at): text for at, text in texts.items()} for file, texts in data["files"].items()}


def find_sources(report: Report, folders: Iterable[str], file: str = "", named: str = "") -> None:
    """Adds the lines of files that lie below `folders` to a report, and says which differ from what was compiled.

    Args:
        report: what to complete.
        folders: where the files may be: under the names that the report has for them, or under the ends of these.
        file: the name that the report has for the file `named`, which is read wherever it lies.
        named: a file that the user has named.
    """
    above = [os.path.realpath(one) for one in folders]
    for name, remarks in list(_by_file(report.remarks).items())[:_MOST_FILES]:
        known = report.sources.get(name, {})
        places = [(named, "")] if name == file else []
        for path, folder in places + [(path, one) for one in above for path in _paths(name, one)]:
            lines = _lines_of(path, folder)
            same = all(text.strip() in lines.get(at, "") for at, text in texts_of(remarks).items())
            if lines and same and all(lines.get(at) == text for at, text in known.items()):
                report.sources[name] = lines
                report.without.pop(name, None)
                break
            if lines:
                report.without[name] = "its text is another now: the lines are those that were compiled"
        else:
            if not known:
                report.without.setdefault(name, "its source is not here: --source DIR names the folder that has it")


def _paths(name: str, folder: str) -> Iterable[str]:
    """Where a file of this name may be below `folder`: its whole name, else the longest end of it."""
    if not name.endswith(_ENDS) or "\0" in name:
        return
    parts = [part for part in name.replace("\\", "/").split("/") if part]
    if ".." in parts:
        return
    if os.path.isabs(name) and os.path.normpath(name).startswith(os.path.join(folder, "")):
        yield os.path.normpath(name)
    for begin in range(max(0, len(parts) - _DEEPEST), len(parts)):
        yield os.path.join(folder, *parts[begin:])


def _lines_of(path: str, inside: str) -> Lines:
    """None where there is no such file, or none that may be read."""
    try:
        if inside and not os.path.realpath(path).endswith(_ENDS):
            return {}
        with open_file(path, inside) as file:
            data = read_at_most(file, _MOST_BYTES + 1)
    except (OSError, ValueError, ReportError):
        return {}
    if len(data) > _MOST_BYTES:
        return {}
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n").split("\n")
    return dict(enumerate(lines, 1)) if text else {}


def _by_file(remarks: Sequence[Remark]) -> dict[str, dict[int, list[Remark]]]:
    found: dict[str, dict[int, list[Remark]]] = {}
    for one in remarks:
        found.setdefault(one.file, {}).setdefault(one.line, []).append(one)
    return found


def texts_of(remarks: Mapping[int, Sequence[Remark]]) -> Lines:
    """The lines as the remarks on them have them."""
    return {line: next((one.text for one in found if one.text), "") for line, found in remarks.items()}


def lines_around(wanted: Iterable[int], texts: Mapping[int, str]) -> list[int]:
    """The lines wanted and those around them; blank ones only between others."""
    near = _near(wanted, texts)
    filled = {at for at in near if texts[at].strip()} | set(wanted)
    return sorted(filled | {at for at in near if at - 1 in filled and at + 1 in filled})


def _near(wanted: Iterable[int], texts: Mapping[int, str]) -> set[int]:
    return {at for line in wanted for at in range(line - _AROUND, line + _AROUND + 1) if at in texts}
