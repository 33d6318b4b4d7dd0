"""Runs of accepted mutants in a child process: code that hangs or kills its process does no more than that."""

from __future__ import annotations

import faulthandler
import os
import pickle
import resource
import signal
import struct
import sys
import traceback
from typing import Callable, List, Sequence

SECONDS = 20
"""Of the processor's time for one task; of anybody's time ten times as many."""
BYTES = 2 << 30
"""Of address space, beside what the process has: made-up code may double a list for as long as it runs. A process that
has imported torch has more than 4 GiB, and a thread that can't be started there is waited for.
"""
_TIME_IS_UP = (signal.SIGPROF, signal.SIGALRM)


def in_child(tasks: Sequence[Callable[[], str]], seconds: int = 0) -> List[str]:
    """What each task returns; "endless" for one that does not return in time, "died: ..." for one that dies."""
    results: List[str] = []
    while len(results) < len(tasks):
        results.extend(_some(tasks[len(results) :], seconds or SECONDS))
    return results


def _some(tasks: Sequence[Callable[[], str]], seconds: int) -> List[str]:
    """Results of the first tasks: all of them, or up to the first one that brings the child down."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _work(tasks, writing, seconds)
    os.close(writing)
    results: List[str] = []
    with os.fdopen(reading, "rb") as pipe:
        while True:
            head = pipe.read(4)
            if len(head) < 4:
                break
            results.append(pickle.loads(pipe.read(struct.unpack("<I", head)[0])))
    _, status = os.waitpid(child, 0)
    if len(results) < len(tasks):
        killed = os.WIFSIGNALED(status) and os.WTERMSIG(status)
        results.append("endless" if killed in _TIME_IS_UP else f"died: status {status}")
    return results


def _work(tasks: Sequence[Callable[[], str]], writing: int, seconds: int) -> None:
    """In the child: never returns."""
    try:
        for number in _TIME_IS_UP:
            signal.signal(number, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_AS, (_address_space() + BYTES,) * 2)
        faulthandler.disable()  # made-up instructions may kill this process: that is what it is for
        sys.unraisablehook = lambda unraisable: None  # what made-up code leaves behind complains when it is dropped
        for task in tasks:
            signal.setitimer(signal.ITIMER_PROF, seconds)
            signal.alarm(10 * seconds)
            try:
                result = task()
            except Exception:
                result = "died: " + traceback.format_exc()
            data = pickle.dumps(result)
            os.write(writing, struct.pack("<I", len(data)) + data)
    finally:
        os._exit(0)


def _address_space() -> int:
    """The bytes of this process's address space; 0 where the system does not tell."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 0
