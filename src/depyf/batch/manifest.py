"""What earlier runs have written into a folder, in a file of that folder: a line of JSON for each text, the last holds.

A text is kept if the record says that it was made of the same input by the same depyf in the same way, and it is the
very file that was written: its hash fits, and the time at which the system has last changed it. Nobody can choose that
time, so a record that came with the folder, by a checkout or from an archive, makes nothing proven.

A line is appended when its text is in place, so what interrupts a run leaves true records. Several runs may write at
once: one that is alone, as a lock tells, also removes what killed ones have left.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import sys
import time
from collections import Counter
from typing import Any, Iterable, Iterator

from .. import __version__
from ..decompiler.bytecode.interpreters import HOST_VERSION, find_interpreter
from ..decompiler.proof import Level
from ..reading import open_regular, read_at_most
from ..targets import split_target
from ..writing import open_below, remove_unfinished, write_file
from .outcome import Doubt, Outcome
from .work import Options, Task

NAME = ".depyf.jsonl"

_LARGEST, _LONGEST = 1 << 26, 1 << 20
"""The most bytes of such a file, and of a line, that are read; beyond them everything is done again."""
_LARGEST_TEXT = 1 << 28
_SURE = [level.value for level in Level if level not in (Level.UNPROVEN, Level.REFUSED)]


class Manifest:
    """That of a folder, which need not exist, and of the files that this run may write. A context manager.

    ``problem`` says why records could not be written; then the next run does their files again.
    """

    def __init__(self, directory: str, outputs: Iterable[str], options: Options, *, again: bool = False) -> None:
        self.directory, self._outputs, self._again = directory, outputs, again
        self.problem, self._has_lines = "", options.line_map
        self._how = [__version__, sys.version, [*options[:3], list(options.version or ()), *options[4:]]]
        self._lines: dict[str, bytes] = {}
        self._inputs: dict[str, str] = {}
        self._file, self._is_cut = -1, False

    def __enter__(self) -> Manifest:
        if os.path.isdir(self.directory):
            self._begin()
        return self

    def __exit__(self, *error: object) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def kept(self, task: Task) -> Outcome | None:
        """The outcome of an earlier run, if all that it depends on is as it was."""
        content = _input_of(task)
        if content is None:
            return None
        self._inputs[task.output] = hashlib.sha256(content).hexdigest()
        record = None if self._again else self._record(task)
        if record is None or record.get("input") != self._inputs[task.output] or record.get("how") != self._how:
            return None
        outcome = _outcome_of(record, task)
        if outcome is None or record.get("compiler") != _has_compiler(outcome) or record.get("target") != task.target:
            return None
        digest, changed = self._state(task.output)
        return outcome if [digest, changed] == [record.get("text"), record.get("changed")] else None

    def write(self, task: Task, outcome: Outcome) -> bool:
        """Write the text of an outcome, and a record of it; whether another file was there, which is kept beside it.

        Raises OSError, ValueError.
        """
        text = outcome.text or ""
        data = (text if text.endswith("\n") else text + "\n").encode("utf-8", "surrogatepass")
        digest = hashlib.sha256(data).hexdigest()
        os.makedirs(self.directory, exist_ok=True)
        there = self._state(task.output)[0]
        record = self._record(task) or {}
        is_foreign = not self._again and there not in ("", hashlib.sha256().hexdigest(), digest, record.get("text"))
        write_file(task.output, data, within=self.directory, keep=is_foreign)
        if task.output in self._inputs:
            self._append(task, outcome, digest)
        return is_foreign

    def _append(self, task: Task, outcome: Outcome, digest: str) -> None:
        line = json.dumps({
            "output": self._name(task), "input": self._inputs[task.output], "target": task.target, "how": self._how,
            "compiler": _has_compiler(outcome), "text": digest, "changed": os.lstat(task.output).st_ctime_ns,
            "python": outcome.version, "filename": outcome.filename, "verdicts": outcome.verdicts,
            "doubts": outcome.doubts, "lines": outcome.lines if self._has_lines else {},
        }).encode() + b"\n"  # fmt: skip
        if self._file < 0 and not self.problem:
            self._begin()
        if self.problem:
            return
        data = b"\n" * self._is_cut + line
        try:
            self._is_cut = os.write(self._file, data) < len(data)
        except OSError as error:
            self.problem = error.strerror or str(error)

    def _name(self, task: Task) -> str:
        return os.path.relpath(task.output, self.directory)

    def _record(self, task: Task) -> dict[str, Any] | None:
        line = self._lines.get(self._name(task))
        return None if line is None else _parsed(line)

    def _state(self, path: str) -> tuple[str, int]:
        """The hash of a file, and when it was last changed; a word for what is no file, "" for nothing or a folder."""
        try:
            with open(open_below(path, self.directory, os.O_RDONLY), "rb") as file:
                found = os.fstat(file.fileno())
                if stat.S_ISREG(found.st_mode):
                    return hashlib.sha256(read_at_most(file, _LARGEST_TEXT)).hexdigest(), found.st_ctime_ns
        except FileNotFoundError:
            return "", 0  # what another run has made since then is its text
        except OSError:
            pass  # what can't be read is not ours
        is_there = os.path.islink(path) or os.path.exists(path) and not os.path.isdir(path)
        return "no file" if is_there else "", 0

    def _begin(self) -> None:
        path = os.path.join(self.directory, NAME)
        try:
            with contextlib.suppress(FileNotFoundError):
                if not stat.S_ISREG(os.lstat(path).st_mode):
                    write_file(path, b"", within=self.directory)  # in the place of a link or a pipe
            self._file = open_below(path, self.directory, os.O_RDWR | os.O_APPEND | os.O_CREAT)
            with _locked(self._file) as alone:
                self._read(alone)
                for folder in {self.directory, *map(os.path.dirname, self._outputs)} if alone else ():
                    remove_unfinished(folder, self.directory)
        except OSError as error:
            self.problem = error.strerror or str(error)

    def _read(self, alone: bool) -> None:
        data = b""
        while len(data) <= _LARGEST:
            more = os.read(self._file, 1 << 20)
            if not more:
                break
            data += more
        lines = data.split(b"\n")
        self._is_cut = bool(lines.pop())
        for line in lines if len(data) <= _LARGEST else ():
            record = _parsed(line) or {}
            if isinstance(record.get("output"), str):
                self._lines[record["output"]] = line
        if alone and len(lines) > 100 + 2 * len(self._lines):
            os.ftruncate(self._file, 0)  # a run that is killed here loses records, not texts
            os.write(self._file, b"".join(line + b"\n" for line in self._lines.values()))


@contextlib.contextmanager
def _locked(file: int) -> Iterator[bool]:
    """Say that a run is going on, until the file is closed. Whether it is the only one; none starts in the block."""
    try:
        import fcntl
    except ImportError:  # on Windows, where files that are open can't be removed
        yield True
        return
    alone = False
    with contextlib.suppress(OSError):  # another run has it, or the file system has no locks
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        alone = True
    yield alone
    for _ in range(20):  # another run may be in this block
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return
        time.sleep(0.05)


def _input_of(task: Task) -> bytes | None:
    """All that the outcome is made of; None if that is not one file."""
    if task.data is not None:
        return task.data
    path = task.target if os.path.isfile(task.target) else split_target(task.target)[0]
    if not os.path.isfile(path):
        return None
    with contextlib.suppress(OSError), open_regular(path) as file:
        return read_at_most(file, _LARGEST_TEXT)
    return None


def _has_compiler(outcome: Outcome) -> bool:
    """Whether there is a CPython of the version of the code, without which nothing is proven."""
    version = outcome.version
    return version is None or version == HOST_VERSION or find_interpreter(version) is not None


def _parsed(line: bytes) -> dict[str, Any] | None:
    """The object in a line, whatever somebody has put there."""
    if len(line) > _LONGEST:
        return None
    try:
        found = json.loads(line, parse_int=_int)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _int(text: str) -> int:
    if len(text) > 20:
        raise ValueError("not a number of ours")
    return int(text)


def _outcome_of(record: dict[str, Any], task: Task) -> Outcome | None:
    """The outcome in a record; None if one of its values is none that is written there."""
    try:
        version = tuple(map(_natural, record["python"])) if record["python"] is not None else None
        verdicts = Counter({Level(level).value: _natural(count) for level, count in record["verdicts"].items()})
        doubts = tuple(
            Doubt(_text(where), _natural(line), Level(verdict).value, tuple(map(_text, reasons)))
            for where, line, verdict, reasons in record["doubts"]
        )
        lines = {int(line): _natural(original) for line, original in record["lines"].items()}
        filename = _text(record["filename"])
    except (KeyError, ValueError, TypeError, AttributeError):
        return None
    is_whole = len(doubts) == sum(count for level, count in verdicts.items() if level not in _SURE)
    if not is_whole or not sum(verdicts.values()) or version is not None and len(version) != 2:
        return None
    return Outcome(
        task.path, task.output, None, lines, version, filename, verdicts, doubts, was_there=True
    )


def _natural(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise TypeError(value)
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value
