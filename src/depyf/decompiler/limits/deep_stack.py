"""A second try for what is nested so deep, or called so deep, that Python's stack has no room for it.

Trees are walked by recursion, in two frames or more for each level, and CPython compiles expressions some thousands of
levels deep, with 1,000 frames allowed by default. So what ends in a RecursionError is done once more in a thread, whose
stack is empty and has room for ten times as many frames.

Until CPython 3.9 a program that catches a RecursionError and goes on near the limit is aborted ("Cannot recover from
stack overflow", `_Py_CheckRecursiveCall` in Python/ceval.c). Hence the error is let through to here at first.
"""

from __future__ import annotations

import sys
import threading
from typing import Callable, TypeVar

T = TypeVar("T")

_FRAMES = 10_000
_STACK = 128 << 20  # bytes: a frame of 3.8 takes some 500 of the C stack, more where C code calls back
_LOCK = threading.Lock()  # one recursion limit and one stack size are for all threads
_threads: set[int] = set()


def is_deep() -> bool:
    """Whether this is the second try: a RecursionError is final."""
    return threading.get_ident() in _threads


def with_room(function: Callable[[], T]) -> T:
    """What ``function`` returns or raises; it is called again, on a deep stack, if it raises a RecursionError."""
    try:
        return function()
    except RecursionError:
        if is_deep():
            raise
    return _on_a_deep_stack(function)


def _on_a_deep_stack(function: Callable[[], T]) -> T:
    found: list[T] = []
    errors: list[BaseException] = []

    def call() -> None:
        limit = sys.getrecursionlimit()
        raised = max(limit, _FRAMES)
        _threads.add(threading.get_ident())
        sys.setrecursionlimit(raised)
        try:
            found.append(function())
        except BaseException as error:
            errors.append(error)
        finally:
            _threads.discard(threading.get_ident())
            # Here, since where there are many frames no lower limit is taken; and only if the program has set no other.
            if sys.getrecursionlimit() == raised:
                sys.setrecursionlimit(limit)

    with _LOCK:
        size = threading.stack_size(_STACK)
        try:
            thread = threading.Thread(target=call, name="depyf")
            thread.start()
        except RuntimeError as error:  # there are too many, or Python is shutting down
            raise RecursionError("nested too deep for the interpreter's stack") from error
        finally:
            threading.stack_size(size)
        thread.join()
    if errors:
        raise errors[0]
    return found[0]
