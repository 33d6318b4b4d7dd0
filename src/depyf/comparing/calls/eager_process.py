"""The program as it was before a call, in a process of its own, where the call can be run in eager.

The process is a fork: it has the program's whole state, and the program never sees what it does. So that nobody else
sees it either, its files, pipes and sockets lead nowhere, and whatever would reach outside ends it: then the call is
not compared, and the reason is told.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import select
import shutil
import signal
import stat
import sys
import tempfile
import time
import warnings
from typing import Any, Callable, Mapping

from ..graphs.evaluate import Cannot

__all__ = ["EagerProcess", "why_not_in_eager"]

_SECONDS = 60.0  # for the call in eager
_DONE, _LATE = b".", b"!"
_REACH_OUTSIDE = (
    "ftplib.", "http.client.", "os.chmod", "os.chown", "os.exec", "os.fork", "os.kill", "os.link", "os.mkdir",
    "os.posix_spawn", "os.remove", "os.rename", "os.rmdir", "os.spawn", "os.symlink", "os.system", "os.truncate",
    "shutil.", "signal.pthread_kill", "smtplib.", "socket.bind", "socket.connect", "socket.send", "sqlite3.connect",
    "subprocess.", "tempfile.", "urllib.",
)  # fmt: skip
"""Audit events by their beginnings: https://docs.python.org/3/library/audit_events.html."""
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def why_not_in_eager() -> str:
    """Why the program cannot be forked now; "" when it can."""
    import torch

    if not hasattr(os, "fork") or not os.path.isdir("/proc/self/fd"):
        return "it can't be run twice on this system"
    if torch.cuda.is_initialized():
        return "CUDA can't be used in a fork"
    distributed = sys.modules.get("torch.distributed")
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return "it is one of several ranks"
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        is_shared = any(line.split()[1][1:4:2] == "ws" and "/sem." not in line for line in maps)
    return "it shares memory with another process" if is_shared else ""


class EagerProcess:
    """Forks the program.

    Args:
        run: what is to be run there, given a request; gives what torch can save.

    Raises:
        Cannot: there is no memory for it, or an earlier call did not end in time.
    """

    too_slow = ""
    """Why a call did not end: other threads may have held a lock, and the next call would wait for it as well."""

    def __init__(self, run: Callable[[Mapping[str, Any]], Any]) -> None:
        if self.too_slow:
            raise Cannot(self.too_slow)
        self._folder = tempfile.mkdtemp(prefix="depyf-eager-")
        asked, self._ask = os.pipe()
        self._answer, answered = os.pipe()
        self._asked, self._number = 0, 0
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # Python warns of forks while there are threads
                child = os.fork()
        except OSError as error:
            self.close(asked, answered)
            raise Cannot(f"the program can't be forked: {error.strerror}") from None
        if not child:
            try:
                if not os.fork():  # not a child of the program's, which might wait for its own
                    _serve(run, asked, answered, self._folder)
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        os.close(asked)
        os.close(answered)

    def ask(self, **request: Any) -> int:
        """Has the call run; the number by which its answer is read."""
        self._asked += 1
        with contextlib.suppress(BrokenPipeError):  # it has ended: there will be no answer
            os.write(self._ask, json.dumps({**request, "number": self._asked}).encode() + b"\n")
        return self._asked

    def answer(self, number: int) -> Any:
        """What a run gave.

        Raises:
            Cannot: it could not be run to its end.
        """
        import torch

        while self._number < number:
            ready, _, _ = select.select([self._answer], [], [], 2 * _SECONDS)
            answer = os.read(self._answer, 1) if ready else _LATE
            if answer == _LATE:
                EagerProcess.too_slow = f"a call takes more than {_SECONDS:.0f} s in eager"
            if answer != _DONE:
                raise Cannot(self.too_slow or "it could not be run in eager")
            self._number += 1
        try:
            with open(os.path.join(self._folder, f"{number}.why"), encoding="utf-8") as file:
                raise Cannot(file.read())
        except FileNotFoundError:
            pass
        try:
            return torch.load(os.path.join(self._folder, f"{number}.pt"), weights_only=False)
        except FileNotFoundError:
            raise Cannot("its process ended in eager") from None

    def run(self, **request: Any) -> Any:
        """Asks, and waits for the answer."""
        return self.answer(self.ask(**request))

    def give(self, value: Any) -> str:
        """Puts a value where a run can read it; its path."""
        import torch

        path = os.path.join(self._folder, "given.pt")
        torch.save(value, path)
        return path

    def close(self, *more: int) -> None:
        """Ends the process, and closes `more` descriptors."""
        for descriptor in (self._ask, self._answer, *more):
            with contextlib.suppress(OSError):
                os.close(descriptor)
        shutil.rmtree(self._folder, ignore_errors=True)


# ---- in the other process


def _serve(run: Callable[[Mapping[str, Any]], Any], asked: int, answered: int, folder: str) -> None:
    os.setsid()  # no Ctrl-C of the terminal's
    _cut_off({asked, answered})
    with os.fdopen(asked, encoding="utf-8") as requests:
        for line in requests:
            request = json.loads(line)
            path = os.path.join(folder, str(request["number"]))
            child = os.fork()
            if not child:
                try:
                    _answer(run, request, path)
                finally:
                    os._exit(0)
            end = time.monotonic() + _SECONDS
            while os.waitpid(child, os.WNOHANG) == (0, 0):
                if time.monotonic() > end:
                    os.kill(child, signal.SIGKILL)
                    os.waitpid(child, 0)
                    os.write(answered, _LATE)
                    return
                time.sleep(0.002)
            os.write(answered, _DONE)
    shutil.rmtree(folder, ignore_errors=True)  # the program has ended, maybe without a word


def _answer(run: Callable[[Mapping[str, Any]], Any], request: Mapping[str, Any], path: str) -> None:
    import torch

    torch.set_num_threads(1)  # threads of OpenMP are not in a fork
    sys.dont_write_bytecode = True
    sys.addaudithook(lambda event, args: _end_if_outside(event, args, path))
    try:
        torch.save(run(request), path + ".pt")
    except BaseException as error:
        _write(path + ".why", f"{type(error).__name__} in eager: {error}")


def _end_if_outside(event: str, args: Any, path: str) -> None:
    writes = event == "open" and (isinstance(args[2], int) and args[2] & _WRITES) and args[0] != os.devnull
    if writes and not str(args[0]).startswith(path) or event.startswith(_REACH_OUTSIDE):
        what = f"it writes to {os.path.basename(str(args[0]))}" if writes else f"it calls {event}"
        _write(path + ".why", what)
        os._exit(0)


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _cut_off(kept: set[int]) -> None:
    """Files are read from where the program is, without moving it; anything else leads nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor in map(int, os.listdir("/proc/self/fd")):
        with contextlib.suppress(OSError):  # the one that lists them is closed
            mode = os.fstat(descriptor).st_mode
            if descriptor in (*kept, nowhere) or stat.S_ISCHR(mode) and descriptor > 2:
                continue
            own = -1
            if stat.S_ISREG(mode) and fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
                own = os.open(f"/proc/self/fd/{descriptor}", os.O_RDONLY)
                os.lseek(own, os.lseek(descriptor, 0, os.SEEK_CUR), os.SEEK_SET)
            os.dup2(nowhere if own < 0 else own, descriptor)
            if own >= 0:
                os.close(own)
