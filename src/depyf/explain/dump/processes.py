"""Which folder this process writes to: every process that records has one of its own.

A job of several ranks gives each its ``rank_N``. Processes which nobody numbered (forked while a recording was going
on, or recording into one directory at the same time) are told apart by a lock on the folder, which the system
takes back when its process ends, however it ends: who finds it taken goes to ``process_0``, ``process_1``, ...
"""

from __future__ import annotations

import atexit
import itertools
import os
import re
import sys
import time
from typing import Any, Callable

from ...writing import open_folder, remove_unfinished

__all__ = ["INDEX", "ProcessFolder", "before_this_process_ends", "is_of_this_run", "rank_and_size"]

INDEX = "README.md"

STARTED = time.time()
WRITTEN: set[str] = set()  # paths written by this process, in any dump
_OF_RANK = r"(?<![a-zA-Z])rank[-_]?{}(?!\d)"  # "rank_0", vLLM's "rank_0_dp_0"
_NO_LOCKS = -1  # the file system, or the system, has none


class ProcessFolder:
    """The folder of this process, held until `release`.

    Attributes:
        path: its absolute path. It exists.
        ranks: how many ranks have a folder beside it; 1 where it belongs to no rank.
    """

    def __init__(self, path: str, forked_from: str = "") -> None:
        """Finds and makes the folder.

        Args:
            path: what the user asked for.
            forked_from: for a process which was forked while its parent was recording: the parent's folder.

        Raises OSError when no folder can be made.
        """
        rank, self.ranks = (0, 1) if forked_from else rank_and_size()
        self.path = wished = forked_from or os.path.abspath(path)
        if self.ranks > 1 and re.search(_OF_RANK.format(rank), os.path.basename(wished)):
            self.ranks = 1  # the program has given each rank a folder by itself
        if self.ranks > 1:
            self.path = wished = os.path.join(wished, f"rank_{rank}")
        below = forked_from or os.path.abspath(path)
        held = None if forked_from else _held(self.path, below)
        for number in itertools.count():
            if held is not None:
                break
            self.path = os.path.join(wished, f"process_{number}")
            held = _held(self.path, below)
        self._lock: int | None = held
        self._process = os.getpid()

    def release(self) -> None:
        """Lets others have the folder. A process that was forked meanwhile leaves its parent's alone."""
        lock, self._lock = self._lock, None
        if lock is None or lock == _NO_LOCKS:
            return
        if self._process == os.getpid():
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_UN)  # closing is not enough: a child has it open too
        os.close(lock)


def is_of_this_run(path: str) -> bool:
    """Whether another process of this run may have written the file `path`: it is not ours, and younger than we are."""
    if path in WRITTEN:
        return False
    try:
        return os.lstat(path).st_mtime >= STARTED
    except OSError:
        return False


def rank_and_size() -> tuple[int, int]:
    """The rank of this process and the number of ranks, as torch.distributed or its launcher says; (0, 1) if alone."""
    distributed = sys.modules.get("torch.distributed")
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return int(distributed.get_rank()), int(distributed.get_world_size())
    try:
        return int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    except (KeyError, ValueError):
        return 0, 1


def before_this_process_ends(function: Callable[[], Any]) -> None:
    """Calls `function` when the process ends by itself: also where multiprocessing ends it, which skips `atexit`."""
    atexit.register(function)
    util = sys.modules.get("multiprocessing.util")
    if util is not None:
        util.Finalize(None, function, exitpriority=0)


def _held(path: str, below: str) -> int | None:
    """Makes the folder and locks it. None when another process of this run has it, or had it.

    Links in the folder `below`, which the user has named, are not followed: another may have put them there.
    """
    if is_of_this_run(os.path.join(path, INDEX)):
        return None
    os.makedirs(below, exist_ok=True)
    try:
        import fcntl
    except ImportError:
        os.makedirs(path, exist_ok=True)
        return _NO_LOCKS
    lock = open_folder(path, below)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return None
    except OSError:
        os.close(lock)
        return _NO_LOCKS
    remove_unfinished(path, below)
    return lock
