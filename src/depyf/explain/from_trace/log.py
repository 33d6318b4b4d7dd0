"""The format of the log: records of one line of JSON after a prefix, their payloads in the lines below.

Written by `torch._logging._internal.trace_structured` and `TorchLogsFormatter`, from torch 2.3 on. A payload's lines
begin with a tab; its MD5 is in the record (``has_payload``). File names in stacks are numbers of strings that were told
before (``{"str": ["train.py", 1]}``).
"""

from __future__ import annotations

import hashlib
import itertools
import os
import re
import zlib
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Iterator, NamedTuple

from ...errors import ReportError
from ..model import SourceLine
from ..received import WrongShape, below, check_json, loads, names_in, open_file

__all__ = ["Limit", "Log", "Record", "logs_in", "read_log"]

_NAME = re.compile(r"dedicated_log_torch_trace_(?:rank_(?P<rank>\d+)_)?.*\.log(?:\.gz)?$")
_PREFIX = re.compile(r"[VIWEC]\d{4} \d\d:\d\d:\d\d\.\d+ (?P<process>\d{1,10}) .*?\] ?(?P<json>\{.*)$")
_BEGINNING = re.compile(r"[VIWEC]\d{0,4}(?: [\d:.]*(?: .*)?)?$")
_GZIP = b"\x1f\x8b"
_READ, _UNPACK = 1 << 13, 1 << 16  # bytes; what is left of a piece is copied for each member that ends in it
_LONGEST_LINE = 16 << 20
_METRICS = {
    "compile_id?": str, "co_name?": str, "co_filename?": str, "co_firstlineno?": int, "fail_type?": str,
    "fail_reason?": str, "fail_user_frame_filename?": str, "fail_user_frame_lineno?": int, "guard_count?": int,
    "has_guarded_code?": bool, "is_runtime?": bool, "start_time?": float, "entire_frame_compile_time_s?": float,
    "backend_compile_time_s?": float, "inductor_compile_time_s?": float, "triton_compile_time_us?": float,
    "duration_us?": float, "dynamo_time_before_restart_s?": float, "restart_reasons?": object,
    "graph_op_count?": int, "graph_input_count?": int, "compliant_custom_ops?": object, "guard_latency_us?": float,
    "dynamo_config?": str,
}  # fmt: skip
_SHAPE = {
    "frame_id?": int, "frame_compile_id?": int, "compiled_autograd_id?": int, "attempt?": int, "rank?": int,
    "has_payload?": str, "str?": (str, int), "artifact?": {"name?": str}, "compilation_metrics?": _METRICS,
    "bwd_compilation_metrics?": _METRICS, "dynamo_output_graph?": object, "dynamo_guards?": object,
    "dynamo_cpp_guards_str?": object, "inductor_output_code?": object, "inductor_post_grad_graph?": object,
    "dynamo_start?": {"stack?": [{"line?": int, "name?": str, "filename?": int, "loc?": str}]},
}  # fmt: skip
"""What is read of a record; the fields for everything else are passed over."""

_TELLING = frozenset(name.rstrip("?") for name in _SHAPE) - {
    "frame_id", "frame_compile_id", "compiled_autograd_id", "attempt", "has_payload"
}  # fmt: skip
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
        name: str = self.data.get("artifact", {}).get("name", "")
        return name


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
    inherited: dict[int, str] = field(default_factory=dict)  # a fork's log does not repeat what its parent's has
    cut: str = ""

    def stack(self, frames: Any) -> list[SourceLine]:
        """A stack of a record, outermost line first.

        Raises:
            ReportError: it names a string that the log does not have.
        """
        return [
            SourceLine(self._string(one.get("filename")), one.get("line", 0), one.get("loc", "").strip(),
                       one.get("name", ""))
            for one in frames
        ]  # fmt: skip

    def _string(self, number: Any) -> str:
        found = self.strings.get(number, self.inherited.get(number))
        if found is None:
            raise ReportError(f"{self.path} is damaged: string {number} is missing")
        return found


@dataclass
class Limit:
    """What logs may still hold: whoever packed them may have packed a few bytes many times.

    Attributes:
        text: bytes, unpacked, of all logs of a folder.
        kept: of one log, those of payloads, which are kept until its report is made.
        records: of one log, those that tell of compilations; each takes about a kilobyte.
        others: of one log, records of any kind.
    """

    text: int = 4 << 30
    kept: int = 128 << 20
    records: int = 200_000
    others: int = 1_000_000

    def take(self, path: str, what: str, number: int) -> None:
        """Raises ReportError when that is more than is left."""
        left = getattr(self, what) - number
        setattr(self, what, left)
        if left < 0:
            most = getattr(Limit, what)
            words = f"{most} records" if what in ("records", "others") else f"{most >> 20} MB of text"
            raise ReportError(f"{path} is too large: it holds more than {words}; name one file, or log less")


def logs_in(path: str) -> list[str]:
    """The logs in a folder, by rank and name; `path` itself if it is a file. Empty where there are none."""
    if not os.path.isdir(path):
        return [path] if os.path.exists(path) else []
    names = [name for name in names_in(path) if _NAME.match(name) and below(os.path.join(path, name), path)]
    return [os.path.join(path, name) for name in sorted(names, key=lambda name: (_rank_in(name) or 0, name))]


def _rank_in(name: str) -> int | None:
    match = _NAME.match(name)
    return int(match["rank"]) if match is not None and match["rank"] else None


def read_log(path: str, limit: Limit | None = None) -> list[Log]:
    """Reads a file, gzip'd or not; one `Log` for each process that has written records of a compilation into it.

    A file that ends in the middle of a record is read as far as it goes: see `Log.cut`. Of `limit`, what it holds is
    taken.

    Raises:
        ReportError: it can't be read, is no such log, is damaged before its end, or is larger than the limit.
    """
    found: dict[int, Log] = {}
    strings: dict[int, str] = {}
    rank = _rank_in(os.path.basename(path))
    cut: list[str] = []
    compiled = set()
    for record in _records(path, cut, limit or Limit()):
        log = found.get(record.process)
        if log is None:
            log = found[record.process] = Log(path, rank, inherited=strings)
        if "str" in record.data:
            text, number = record.data["str"]
            log.strings[number] = text
            strings.setdefault(number, text)
        log.rank = record.data.get("rank", log.rank)
        log.records.append(record)
        if "dynamo_start" in record.data:
            compiled.add(record.process)
    logs = list(found.values()) or [Log(path, rank)]
    if cut:
        logs[-1].cut = cut[0]
    return [log for number, log in found.items() if number in compiled] or logs[:1]


def _unpacked(path: str, file: BinaryIO, cut: list[str]) -> Iterator[bytes]:
    """The bytes of a file in pieces; those of a gzip file unpacked, as far as it goes, one member after the other."""
    data = file.read(_READ)
    if not data.startswith(_GZIP):
        while data:
            yield data
            data = file.read(_READ)
        return
    member = zlib.decompressobj(wbits=31)
    try:
        while data:
            yield member.decompress(data, _UNPACK)
            data = member.unconsumed_tail
            if member.eof:
                data = member.unused_data or file.read(_READ)
                if not data or not data.startswith(_GZIP[: len(data)]):  # a file may be padded
                    return
                member = zlib.decompressobj(wbits=31)
            data = data or file.read(_READ)
    except zlib.error as error:
        raise ReportError(f"{path} can't be unpacked: {error}") from error
    if not member.eof:
        cut.append("the gzip file is cut off")


def _lines(path: str, cut: list[str], limit: Limit) -> Iterator[bytes]:
    """The lines of a file, one at a time, as they are written anywhere but on Windows."""
    rest: list[bytes] = []  # of a line whose end has not come
    length = 0
    end: bytes | None = None
    try:
        with open_file(path) as file:
            for data in _unpacked(path, file, cut):
                limit.take(path, "text", len(data))
                *whole, last = data.split(b"\n")
                for part in whole:
                    line = b"".join([*rest, part])
                    if end is None:
                        end = line[len(line.rstrip(b"\r")) :]
                    yield line[: len(line) - len(end)] if end and line.endswith(end) else line
                    rest, length = [], 0
                rest.append(last)
                length += len(last)
                if length > _LONGEST_LINE:
                    raise ReportError(f"{path} is too large: a line has more than {_LONGEST_LINE >> 20} MB")
    except OSError as error:
        raise ReportError(f"{path} can't be read: {error.strerror}") from error
    yield b"".join(rest)


def _records(path: str, cut: list[str], limit: Limit) -> Iterator[Record]:
    """The records of a file which tell of compilations. Damage to the last one is put into `cut`; it is left out."""
    group: list[bytes] = []  # the line of a record, and those of its payload
    begin = at = size = 0
    for line in itertools.chain(_lines(path, cut, limit), [None]):
        if line is not None and line.startswith(b"\t") and begin:
            size += len(line)
            if size > limit.kept:
                limit.take(path, "kept", size)
            group.append(line)
        elif line or line is None and begin:
            if begin:
                limit.take(path, "others", 1)
                record = _record(path, group, begin, cut if line is None else None)
                if record is not None and not _TELLING.isdisjoint(record.data):
                    limit.take(path, "kept", size)
                    limit.take(path, "records", 1)
                    yield record
            begin, size, group = at + 1, 0, [line or b""]
        at += 1
    if not begin:
        raise ReportError(f"{path} is empty: nothing was compiled, or the program was killed; {_WHAT_TO_DO}")


def _record(path: str, group: list[bytes], begin: int, cut: list[str] | None) -> Record | None:
    """The record of these lines. Where it is damaged, `cut` says so if it is given, as the file ends here."""
    head = group[0].decode("utf-8", "replace")
    match = _PREFIX.match(head)
    try:
        data = loads(match["json"]) if match is not None else None
    except ValueError:
        data = None
    if match is not None and isinstance(data, dict):
        payload = b"\n".join([line[1:] for line in group[1:]])
        told = data.get("has_payload")
        if not isinstance(told, str) or hashlib.md5(payload).hexdigest() == told:
            try:
                data = check_json(data, _SHAPE)
            except WrongShape as error:
                raise ReportError(f"{path} is damaged: line {begin}: {error}") from error
            return Record(data, payload.decode("utf-8", "replace"), begin, int(match["process"]))
        words = "has a payload that was changed"
    else:
        words = "is no record"
    if cut is not None and begin > 1 and (match is not None or _BEGINNING.match(head)):
        cut.append(f"the log ends in the middle of a record (line {begin})")
        return None
    if begin == 1 and words == "is no record":
        raise ReportError(f"{path} is no log of TORCH_TRACE: it begins with {head[:40]!r}; {_WHAT_TO_DO}")
    raise ReportError(f"{path} is damaged: line {begin} {words}")
