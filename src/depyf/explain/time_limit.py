"""A limit on the time which one artifact may take: a decompiler that hangs must not hang the user's program."""

from __future__ import annotations

import ctypes
import threading
from typing import Any, Callable

from .containment import edge

__all__ = ["LONGEST", "TookTooLong", "within_limit"]

LONGEST = 60.0  # seconds for one code object: a hundred times what the largest of Dynamo's take
_GIVEN_UP: list[str] = []


class TookTooLong(Exception):
    """The work was given up."""


def within_limit(function: Callable[..., Any], *args: Any) -> Any:
    """`function(*args)`, in a thread of its own: only from outside can it be given up, whatever it does.

    The caller waits, so it is not at work at the same time; the whole stack is free for it, however deep the user's
    program is in its own.

    Raises TookTooLong after `LONGEST` seconds, a tenth of it where that has happened before, and what `function`
    raises.
    """
    outcome: list[tuple[Any, Any]] = []

    @edge
    def work() -> None:
        try:
            outcome.append((function(*args), None))
        except BaseException as error:
            outcome.append((None, error))

    thread = threading.Thread(target=work, name="depyf", daemon=True)
    try:
        thread.start()
    except RuntimeError:  # the system has no more threads, or the interpreter is ending
        return function(*args)
    seconds = LONGEST / 10 if _GIVEN_UP else LONGEST
    thread.join(seconds)
    if not outcome:
        _GIVEN_UP.append(getattr(function, "__name__", ""))
        _give_up(thread)
        raise TookTooLong(f"given up after {seconds:.3g} seconds")
    result, error = outcome[0]
    if error is not None:
        raise error
    return result


def _give_up(thread: threading.Thread) -> None:
    """Ends the thread at its next step in Python; one that hangs in C runs until the process ends."""
    if thread.ident is not None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(SystemExit))
