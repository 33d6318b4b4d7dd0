"""Child processes that end when their parent is gone, however it ended: by a signal, by SIGKILL, or by itself.

    CPYTHON [OPTION ...] children.py DESCRIPTOR SCRIPT [ARGUMENT ...]

A child runs this file first, on any CPython from 3.7. The descriptor is of a pipe whose other end only the parent has,
so the system closes that end with its process. Then the kernel ends the child, whatever it is doing (with SIGKILL, or
SIGIO where the signal can't be chosen). On Windows, a child ends when it next reads its standard input.
"""

from __future__ import annotations

import contextlib
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO, Iterator, Sequence

_ENDS: set[int] = set()
"""The other ends of the pipes of this process's children."""


class Child:
    """A process that runs a script, with pipes to its standard input and from its standard output.

    Started with all of its interpreter's ``options``, which should have ``-I``: a child is to search no folder that its
    parent does not. ``folder`` is its working directory, by default that of this process. Raises OSError.
    """

    def __init__(
        self, interpreter: str, options: Sequence[str], script: str, stderr: int | None = None,
        folder: str | None = None,
    ) -> None:  # fmt: skip
        from subprocess import PIPE, Popen

        command = [interpreter, *options, os.path.abspath(__file__), "-", script]
        if not hasattr(os, "register_at_fork"):  # on Windows
            self._end = -1
            self.process = Popen(command, stdin=PIPE, stdout=PIPE, stderr=stderr, cwd=folder)
        else:
            theirs, self._end = os.pipe()
            _ENDS.add(self._end)
            command[-2] = str(theirs)
            try:
                with _without_interrupts():
                    self.process = Popen(
                        command, stdin=PIPE, stdout=PIPE, stderr=stderr, pass_fds=(theirs,), cwd=folder
                    )
            except BaseException:
                self._let_go()
                raise
            finally:
                os.close(theirs)
        assert self.process.stdin is not None and self.process.stdout is not None
        self.requests: IO[bytes] = self.process.stdin
        self.answers: IO[bytes] = self.process.stdout

    def end(self) -> None:
        """End the process, and wait until it is gone."""
        self.process.kill()
        for pipe in (self.requests, self.answers):
            try:
                pipe.close()
            except OSError:
                pass  # the rest of the buffer has no receiver
        self.process.wait()
        self._let_go()

    def _let_go(self) -> None:
        if self._end in _ENDS:
            _ENDS.discard(self._end)
            os.close(self._end)


@contextlib.contextmanager
def _without_interrupts() -> Iterator[None]:
    """Children that are started here leave the interrupt of a terminal, which goes to all, to their parent."""
    import signal

    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _forked() -> None:
    """A process that was forked holds no child of its parent."""
    while _ENDS:
        os.close(_ENDS.pop())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


def _end_with_parent(descriptor: int) -> None:
    """Have this process ended when the other end of the pipe is closed."""
    import fcntl

    fcntl.fcntl(descriptor, fcntl.F_SETOWN, os.getpid())
    if hasattr(fcntl, "F_SETSIG"):
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, 9)
    fcntl.fcntl(descriptor, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    try:
        if not os.read(descriptor, 1):  # the parent was gone before
            os._exit(1)
    except BlockingIOError:
        pass


def _run(script: str) -> None:
    sys.argv[:] = sys.argv[2:]
    with open(script, "rb") as file:
        code = compile(file.read(), script, "exec", dont_inherit=True)
    exec(code, {"__name__": "__main__", "__file__": script, "__builtins__": __builtins__})


if __name__ == "__main__":
    if sys.argv[1] != "-":
        _end_with_parent(int(sys.argv[1]))
    _run(sys.argv[2])
