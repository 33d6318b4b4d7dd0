"""A line on the terminal while a long compilation lasts: which function, and for how long."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from types import CodeType
from typing import Any

__all__ = ["CompilationProgress", "watch_compilations"]

_AFTER = 2.0  # seconds
_EVERY = 0.5
_ERASE = "\r\x1b[2K"


def _is_wanted() -> bool:
    """Whether standard error is a terminal that can erase a line, and this process is the only one, or the first rank,
    to write there."""
    stream = sys.__stderr__
    with contextlib.suppress(ValueError):  # closed
        is_terminal = stream is not None and stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        return is_terminal and os.environ.get("LOCAL_RANK", "0") == "0"
    return False


class CompilationProgress:
    """Told when a compilation begins and ends; shows the line from a thread of its own in between.

    Writes to the file descriptor: a thread that is stopped at the interpreter's end must not hold the stream's lock.

    Args:
        descriptor: of the terminal.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._process = os.getpid()
        self._changing = threading.Lock()
        self._compiling: list[tuple[CodeType, float]] = []  # the innermost last
        self._is_shown = False
        self._begun = threading.Event()
        self._thread: threading.Thread | None = None

    def __call__(self, code: CodeType | None) -> None:
        """A compilation of `code` begins; with None, the last that began has ended, and its line is gone on return."""
        if os.getpid() != self._process:
            return  # a fork has no such thread, and the terminal is its parent's
        with self._changing:
            if code is not None:
                self._compiling.append((code, time.monotonic()))
                self._begun.set()
            elif self._compiling:
                self._compiling.pop()
                self._erase()
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="depyf-progress", daemon=True)
                self._thread.start()

    def _watch(self) -> None:
        while True:
            self._begun.wait()
            time.sleep(_EVERY)
            with self._changing:
                if self._compiling:
                    self._show(*self._compiling[-1])
                else:
                    self._begun.clear()

    def _show(self, code: CodeType, since: float) -> None:
        seconds = time.monotonic() - since
        if seconds >= _AFTER:
            name = getattr(code, "co_qualname", code.co_name).replace("<locals>.", "")
            place = f"{os.path.basename(code.co_filename)}:{code.co_firstlineno}"
            line = f"depyf: compiling {name} ({place}), {seconds:.0f} s"
            self._write(_ERASE + line[: self._columns() - 1])
            self._is_shown = True

    def _erase(self) -> None:
        if self._is_shown:
            self._write(_ERASE)
            self._is_shown = False

    def _columns(self) -> int:
        try:
            return os.get_terminal_size(self._descriptor).columns or 80
        except OSError:
            return 80

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError):
            os.write(self._descriptor, text.encode("utf-8", "replace"))


def watch_compilations(watchers: list[Any]) -> None:
    """Adds a `CompilationProgress` to those who are told of compilations, where a line can be shown."""
    if _is_wanted() and sys.__stderr__ is not None:
        watchers.append(CompilationProgress(sys.__stderr__.fileno()))
