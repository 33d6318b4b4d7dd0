"""Compilers of other CPython versions: processes that wait for source, started on demand and reused.

A process belongs to one thread while it works, so threads never share a pipe. If one dies or does not answer, that
request fails, and the next starts another. They end with this process (children.py).

Where no processes can be started, as in a browser, this interpreter is the only compiler (`OwnCompiler`).
"""

from __future__ import annotations

import atexit
import marshal
import os
import subprocess
import threading
import time
from typing import Any, Protocol

from ...children import Child
from ...errors import DecompilationError
from ...writing import undisturbed
from ..bytecode.interpreters import CAN_START, HOST_VERSION, Version, find_interpreter, missing
from ..limits.deep_stack import with_room
from .compile_worker import ENVELOPE, CompileFailure, marshalled, marshalled_twice, read_message, write_message

LIMIT = 60.0
"""The time limit of a compiler for one text, in seconds."""

_SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "compile_worker.py")


class NoInterpreter(DecompilationError):
    """The CPython needed to compile the source is not on this machine; the reason names its version."""


class Compilers(Protocol):
    """Compiles requests (`compile_request`) by the CPython of a version."""

    def compile(self, request: dict[str, Any], version: Version) -> tuple[str, Any]:
        """("code", marshalled code object of ``version``, or a tuple of two) or ("error", why there is none).

        Raises NoInterpreter.
        """

    def close(self) -> None:
        """Let go of what is kept for further requests."""


class OwnCompiler:
    """This interpreter, in this process: it has one version, and nothing bounds its time or memory."""

    def compile(self, request: dict[str, Any], version: Version) -> tuple[str, Any]:
        """As `Compilers.compile`."""
        if version != HOST_VERSION:
            raise NoInterpreter(missing(version), stage="recompile")
        try:
            if request.get("twice"):
                return "code", with_room(lambda: marshalled_twice(request))
            return "code", with_room(lambda: marshalled(request))
        except CompileFailure as error:
            return "error", str(error)

    def close(self) -> None:
        """Nothing is kept."""


class CompilerPool:
    """Passes requests to compilers of any version. Thread-safe."""

    def __init__(self, limit: float = LIMIT) -> None:
        self.limit = limit
        self._idle: dict[Version, list[_Compiler]] = {}
        self._lock = threading.Lock()
        self._owner = os.getpid()

    def compile(self, request: dict[str, Any], version: Version) -> tuple[str, Any]:
        """As `Compilers.compile`."""
        name = f"the compiler of CPython {version[0]}.{version[1]}"
        try:
            compiler = self._take(version)
        except OSError as error:  # too many files or processes, too little memory
            return "error", f"{name} can't be started: {error.strerror or error}"
        try:
            answer = compiler.ask(request, self.limit)
        except (OSError, EOFError, ValueError, TypeError, RuntimeError) as error:
            hangs = compiler.timed_out
            compiler.end()
            outcome = f"gave no answer within {self.limit:g} s" if hangs else f"broke down ({error})"
            return "error", f"{name} {outcome}"
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


class _Compiler(Child):
    """One process."""

    def __init__(self, executable: str) -> None:
        options = ("-I", "-S", "-B")
        # Not in the working directory, which may be hostile.
        super().__init__(executable, options, _SCRIPT, stderr=subprocess.DEVNULL, folder=os.path.dirname(executable))
        self.timed_out = False
        self._deadline: float | None = None
        self._ended = threading.Event()
        self._watch: threading.Thread | None = None

    def ask(self, request: dict[str, Any], limit: float) -> tuple[str, Any]:
        if self._watch is None:  # one thread for all requests: starting one takes as long as compiling a short text
            self._watch = threading.Thread(target=self._enforce_limits, args=(limit / 20,), daemon=True)
            with undisturbed():  # the signals of the process are not for this thread
                self._watch.start()
        self._deadline = time.monotonic() + limit
        try:
            write_message(self.requests, marshal.dumps(request, ENVELOPE))
            kind, *parts = read_message(self.answers)
        finally:
            self._deadline = None
        if kind == b"error":
            return "error", b"".join(parts).decode("utf-8", "surrogatepass")
        return "code", parts[0] if len(parts) == 1 else tuple(parts)

    def _enforce_limits(self, interval: float) -> None:
        while not self._ended.wait(interval):
            deadline = self._deadline
            if deadline is not None and time.monotonic() > deadline:
                self.timed_out = True
                self.process.kill()
                return

    def end(self) -> None:
        self._ended.set()
        super().end()


POOL: Compilers = CompilerPool() if CAN_START else OwnCompiler()
atexit.register(POOL.close)
