"""No collection of cyclic garbage while code is decompiled.

Graphs and trees are many objects that live until the end, and every full collection visits all of them: of 100,000
instructions it takes half of the time on CPython 3.8. What the decompiler leaves behind is the next collection's. It
also means that no finalizer of the program runs in the middle of our work, in a hook of torch's compiler say, only
because we made objects.

The switch belongs to the whole process, so that other threads collect nothing meanwhile either. Whoever turns it off
in one of them during that time finds it on again.
"""

from __future__ import annotations

import contextlib
import gc
import os
import threading
from typing import Iterator


class _Pause:
    """Who is decompiling at present, in all threads, and whether the last one turns collections on again."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.running = 0
        self.was_on = False

    def begin(self) -> None:
        with self.lock:
            if not self.running:
                self.was_on = gc.isenabled()
                gc.disable()
            self.running += 1

    def end(self) -> None:
        with self.lock:
            self.running -= 1
            if not self.running and self.was_on:
                gc.enable()


_PAUSE = _Pause()


def _in_forked_process() -> None:
    """Another thread has forked: the ones that were decompiling are not in this process."""
    global _PAUSE
    running, was_on = _PAUSE.running, _PAUSE.was_on
    _PAUSE = _Pause()
    if running and was_on:
        gc.enable()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_forked_process)


@contextlib.contextmanager
def no_collections() -> Iterator[None]:
    """Until the end of the block; it is as it was then, once no other thread is in such a block."""
    pause = _PAUSE
    pause.begin()
    try:
        yield
    finally:
        pause.end()
