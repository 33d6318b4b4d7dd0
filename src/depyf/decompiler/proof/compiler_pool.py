"""Compilers of other CPython versions: processes that wait for source, started on demand and reused.

A process belongs to one thread while it works, so threads never share a pipe. If one dies or does not answer, that
request fails, and the next starts another. They end with this process, and when their pipe closes.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import threading
import time
from typing import Any

from ...errors import DecompilationError
from ..bytecode.interpreters import Version, find_interpreter, missing
from .compile_worker import read_message, write_message

LIMIT = 60.0
"""The time limit of a compiler for one text, in seconds."""

_SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "compile_worker.py")


class NoInterpreter(DecompilationError):
    """The CPython needed to compile the source is not on this machine; the reason names its version."""


class CompilerPool:
    """Passes requests to compilers of any version. Thread-safe."""

    def __init__(self, limit: float = LIMIT) -> None:
        self.limit = limit
        self._idle: dict[Version, list[_Compiler]] = {}
        self._lock = threading.Lock()
        self._owner = os.getpid()

    def compile(self, request: dict[str, Any], version: Version) -> tuple[str, Any]:
        """("code", marshalled code object of ``version``) or ("error", why there is none).

        Raises NoInterpreter.
        """
        compiler = self._take(version)
        try:
            answer = compiler.ask(request, self.limit)
        except (OSError, EOFError, ValueError, TypeError) as error:
            hangs = compiler.timed_out
            compiler.end()
            outcome = f"gave no answer within {self.limit:g} s" if hangs else f"broke down ({error})"
            return "error", f"the compiler of CPython {version[0]}.{version[1]} {outcome}"
        except BaseException:
            compiler.end()
            raise
        with self._lock:
            self._idle.setdefault(version, []).append(compiler)
        return answer

    def _take(self, version: Version) -> _Compiler:
        with self._lock:
            if self._owner != os.getpid():  # after a fork: these processes belong to the parent
                self._idle.clear()
                self._owner = os.getpid()
            waiting = self._idle.get(version, [])
            while waiting:
                compiler = waiting.pop()
                if compiler.process.poll() is None:
                    return compiler
                compiler.end()
        executable = find_interpreter(version)
        if executable is None:
            raise NoInterpreter(missing(version), stage="recompile")
        return _Compiler(executable)

    def close(self) -> None:
        """End all idle processes."""
        with self._lock:
            if self._owner == os.getpid():
                for compiler in (c for waiting in self._idle.values() for c in waiting):
                    compiler.end()
            self._idle.clear()


class _Compiler:
    """One process."""

    def __init__(self, executable: str) -> None:
        self.timed_out = False
        self._deadline: float | None = None
        self._ended = threading.Event()
        self._watch: threading.Thread | None = None
        self.process = subprocess.Popen(
            [executable, "-I", "-S", "-B", _SCRIPT],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def ask(self, request: dict[str, Any], limit: float) -> tuple[str, Any]:
        process = self.process
        assert process.stdin is not None and process.stdout is not None
        if self._watch is None:  # one thread for all requests: starting one takes as long as compiling a short text
            self._watch = threading.Thread(target=self._enforce_limits, args=(limit / 20,), daemon=True)
            self._watch.start()
        self._deadline = time.monotonic() + limit
        try:
            write_message(process.stdin, request)
            kind, value = read_message(process.stdout)
        finally:
            self._deadline = None
        return kind, value

    def _enforce_limits(self, interval: float) -> None:
        while not self._ended.wait(interval):
            deadline = self._deadline
            if deadline is not None and time.monotonic() > deadline:
                self.timed_out = True
                self.process.kill()
                return

    def end(self) -> None:
        self._ended.set()
        self.process.kill()
        for pipe in (self.process.stdin, self.process.stdout):
            try:
                if pipe is not None:
                    pipe.close()
            except OSError:
                pass  # the rest of the buffer has no receiver
        self.process.wait()


POOL = CompilerPool()
atexit.register(POOL.close)
