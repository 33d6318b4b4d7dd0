"""The format of the log: records of one line of JSON after a prefix, their payloads in the lines below.

Written by `torch._logging._internal.trace_structured` and `TorchLogsFormatter`, from torch 2.3 on. A payload's lines
begin with a tab; its MD5 is in the record (``has_payload``). File names in stacks are numbers of strings that were told
before (``{"str": ["train.py", 1]}``).
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import zlib
from dataclasses import dataclass, field
from typing import Any, Iterator, NamedTuple

from ...errors import ReportError
from ..model import SourceLine

__all__ = ["Log", "Record", "logs_in", "read_log"]

_NAME = re.compile(r"dedicated_log_torch_trace_(?:rank_(?P<rank>\d+)_)?.*\.log(?:\.gz)?$")
_PREFIX = re.compile(r"[VIWEC]\d{4} \d\d:\d\d:\d\d\.\d+ (?P<process>\d+) .*?\] ?(?P<json>\{.*)$")
_BEGINNING = re.compile(r"[VIWEC]\d{0,4}(?: [\d:.]*(?: .*)?)?$")
_GZIP = b"\x1f\x8b"
_WHAT_TO_DO = "run the program with TORCH_TRACE=DIR, and pass DIR"


class Record(NamedTuple):
    """One record. `data` is its JSON, `at` the number of its line, `process` the id of the process that wrote it."""

    data: dict[str, Any]
    payload: str
    at: int
    process: int

    @property
    def compile_id(self) -> str:
        """As `str(torch._guards.CompileId)`: ``0/1``, ``!0/0/1`` under compiled autograd; "" outside of both."""
        frame, number = self.data.get("frame_id"), self.data.get("frame_compile_id")
        inside = "" if frame is None else f"{frame}/{number}"
        autograd = self.data.get("compiled_autograd_id")
        return inside if autograd is None else "!{}".format("/".join(filter(None, [str(autograd), inside])))

    @property
    def artifact(self) -> str:
        """Its name, for a record of the kind ``artifact``."""
        found = self.data.get("artifact")
        return str(found.get("name", "")) if isinstance(found, dict) else ""


@dataclass
class Log:
    """What one process has written into one file.

    Attributes:
        path: of the file.
        rank: of the process in its job; None where the log does not tell.
        records: in order.
        cut: what is wrong at the end of the file, "" if nothing is.
    """

    path: str
    rank: int | None = None
    records: list[Record] = field(default_factory=list)
    strings: dict[int, str] = field(default_factory=dict)
    cut: str = ""

    def stack(self, frames: Any) -> list[SourceLine]:
        """A stack of a record, outermost line first.

        Raises:
            ReportError: it names a string that the log does not have.
        """
        return [
            SourceLine(self._string(one.get("filename")), int(one.get("line") or 0), str(one.get("loc") or "").strip(),
                       str(one.get("name") or ""))
            for one in frames
        ]  # fmt: skip

    def _string(self, number: Any) -> str:
        if number in self.strings:
            return self.strings[number]
        raise ReportError(f"{self.path} is damaged: string {number} is missing")


def logs_in(path: str) -> list[str]:
    """The logs in a folder, by rank and name; `path` itself if it is a file. Empty where there are none."""
    if os.path.isfile(path):
        return [path]
    names = [name for name in os.listdir(path) if _NAME.match(name)] if os.path.isdir(path) else []
    return [os.path.join(path, name) for name in sorted(names, key=lambda name: (_rank_in(name) or 0, name))]


def _rank_in(name: str) -> int | None:
    match = _NAME.match(name)
    return int(match["rank"]) if match is not None and match["rank"] else None


def read_log(path: str) -> list[Log]:
    """Reads a file, gzip'd or not; one `Log` for each process that has written records of a compilation into it.

    A file that ends in the middle of a record is read as far as it goes: see `Log.cut`.

    Raises:
        ReportError: it can't be read, is no such log, or is damaged before its end.
    """
    text, cut = _text(path)
    found: dict[int, Log] = {}
    rank = _rank_in(os.path.basename(path))
    strings: dict[int, str] = {}
    for record in _records(path, text, cut):
        log = found.get(record.process)
        if log is None:  # what a fork has of its parent's table, its log does not repeat
            log = found[record.process] = Log(path, rank, strings=dict(strings))
        told = record.data.get("str")
        if isinstance(told, list) and len(told) == 2:
            log.strings[told[1]] = strings[told[1]] = str(told[0])
        if isinstance(record.data.get("rank"), int):
            log.rank = record.data["rank"]
        log.records.append(record)
    logs = list(found.values())
    if cut and logs:
        logs[-1].cut = cut[0]
    compiled = [log for log in logs if any("dynamo_start" in record.data for record in log.records)]
    return compiled or logs[:1]


def _text(path: str) -> Any:
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise ReportError(f"{path} can't be read: {error.strerror}") from error
    cut: list[str] = []  # filled in by `_records` too
    if data.startswith(_GZIP):
        unpacked = b""
        try:
            while data.startswith(_GZIP):
                member = zlib.decompressobj(wbits=31)
                unpacked += member.decompress(data)
                data = member.unused_data
                if not member.eof:
                    cut.append("the gzip file is cut off")
        except zlib.error as error:
            raise ReportError(f"{path} can't be unpacked: {error}") from error
        data = unpacked
    if not data.strip():
        raise ReportError(f"{path} is empty: nothing was compiled, or the program was killed; {_WHAT_TO_DO}")
    text = data.decode("utf-8", "replace")
    if text.partition("\n")[0].endswith("\r"):  # written on Windows
        text = text.replace("\r\n", "\n")
    return text, cut


def _records(path: str, text: str, cut: list[str]) -> Iterator[Record]:
    """The records of a file's text. Whatever is wrong with the last one is put into `cut`; it is left out then."""
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        begin, at = at, at + 1
        while at < len(lines) and lines[at].startswith("\t"):
            at += 1
        if not line and at == len(lines):
            return
        is_last = not any(lines[at:])
        match = _PREFIX.match(line)
        try:
            data = json.loads(match["json"]) if match is not None else None
        except ValueError:
            data = None
        payload = "\n".join(one[1:] for one in lines[begin + 1 : at])
        if match is not None and isinstance(data, dict) and _is_whole(data, payload):
            yield Record(data, payload, begin + 1, int(match["process"]))
        elif is_last and begin > 0 and (match is not None or _BEGINNING.match(line)):
            cut.append(f"the log ends in the middle of a record (line {begin + 1})")
        elif begin == 0 and (match is None or not isinstance(data, dict)):
            begins = f"it begins with {line[:40]!r}"
            raise ReportError(f"{path} is no log of TORCH_TRACE: {begins}; {_WHAT_TO_DO}")
        else:
            what = "is no record" if match is None or not isinstance(data, dict) else "has a payload that was changed"
            raise ReportError(f"{path} is damaged: line {begin + 1} {what}")


def _is_whole(data: dict[str, Any], payload: str) -> bool:
    told = data.get("has_payload")
    if not isinstance(told, str):
        return True
    return hashlib.md5(payload.encode("utf-8", "surrogatepass")).hexdigest() == told
