"""Tasks -> outcomes, in this process or in several. A file that crashes its process does not affect others.

Few tasks are in progress at a time, so that memory does not grow with their number. A task whose process dies is
repeated when all others are done, and alone, as memory may have been short: if that process dies too, it is to blame.
"""

from __future__ import annotations

import os
import pickle
import sys
import threading
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, ThreadPoolExecutor, wait
from functools import partial
from typing import Any, Callable, Iterable, Iterator

from ..children import Child
from ..writing import undisturbed
from .outcome import Outcome
from .work import Options, Task, work

_WAITING = 2
"""Tasks in progress for each process: one that runs, one that waits."""

_SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "worker.py")


_FAR_AHEAD = 200
"""The same of an executor of whose size nothing is known."""


def run(
    tasks: Iterable[Task], options: Options, processes: int = 1, executor: Executor | None = None, *,
    in_processes: bool = False,
) -> Iterator[tuple[Task, Outcome]]:  # fmt: skip
    """The outcomes as they come; with one process in the order of the tasks, in this process unless ``in_processes``.

    With an ``executor``, there.
    """
    if executor is not None:
        for task, found in _in_progress(tasks, partial(_submitted, executor, options), _FAR_AHEAD):
            yield task, found if isinstance(found, Outcome) else Outcome(task.path, error=_lost(found))
        return
    if processes <= 1 and not in_processes:
        yield from ((task, work(task, options)) for task in tasks)
        return
    suspects: list[Task] = []
    for task, outcome in _in_processes(tasks, options, processes):
        if outcome is None:
            suspects.append(task)
        else:
            yield task, outcome
    died = "the process that decompiled it died: it crashed, or was out of memory"
    for suspect in suspects:
        for task, outcome in _in_processes([suspect], options, 1):
            yield task, outcome or Outcome(task.path, error=died)


def _in_processes(tasks: Iterable[Task], options: Options, processes: int) -> Iterator[tuple[Task, Outcome | None]]:
    """The outcomes; None for a task whose process died."""
    pool = _Processes(processes)
    try:
        submit = partial(_submitted, pool, options)
        for task, found in _in_progress(tasks, submit, _WAITING * processes):
            if isinstance(found, BaseException) and not isinstance(found, _Died):
                raise found
            yield task, found if isinstance(found, Outcome) else None
    finally:
        pool.close()


def _submitted(pool: Any, options: Options, task: Task) -> Future[Outcome]:
    found: Future[Outcome] = pool.submit(work, task, options)
    return found


def _in_progress(
    tasks: Iterable[Task], submit: Callable[[Task], Future[Outcome]], ahead: int
) -> Iterator[tuple[Task, Outcome | BaseException]]:
    """The outcomes, or the exceptions of the futures, as they come; so many are in progress at a time."""
    left = iter(tasks)
    running: dict[Future[Any], Task] = {}
    try:
        while True:
            while len(running) < ahead:
                task = next(left, None)
                if task is None:
                    break
                running[submit(task)] = task
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                task = running.pop(future)
                gone = CancelledError("the executor has given it up") if future.cancelled() else None
                yield task, gone or future.exception() or future.result()
    finally:
        for future in running:
            future.cancel()


def _lost(error: BaseException) -> str:
    return f"the executor has no outcome of it: {type(error).__name__}: {error}"


class _Died(Exception):
    """The process has not answered, and is gone."""


class _Processes:
    """Processes that call functions. Each has a thread of this one, which waits for what it returns."""

    def __init__(self, number: int) -> None:
        self._threads = ThreadPoolExecutor(number)
        self._of_thread = threading.local()
        self._children: list[Child] = []
        self._closed = False

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """The future has a `_Died` if the process did."""
        with undisturbed():  # this may start a thread, and signals are for the main one
            return self._threads.submit(self._call, function, *arguments)

    def _call(self, *call: Any) -> Any:
        child: Child | None = getattr(self._of_thread, "child", None)
        try:
            if child is None:
                child = self._of_thread.child = self._started()
            pickle.dump(call, child.requests)
            child.requests.flush()
            returned, value = pickle.load(child.answers)
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            self._of_thread.child = None
            if child is not None:
                child.end()
            raise _Died from error
        if not returned:
            raise value
        return value

    def _started(self) -> Child:
        options = ["-I", *(["-X", "utf8"] if sys.flags.utf8_mode else []), *["-B"] * sys.dont_write_bytecode]
        child = Child(sys.executable, options, _SCRIPT)
        self._children.append(child)
        if self._closed:
            child.process.kill()
        pickle.dump(sys.path, child.requests)
        return child

    def close(self) -> None:
        """End the processes, whatever they are doing."""
        self._closed = True
        for child in self._children:
            child.process.kill()
        self._threads.shutdown()
        for child in self._children:
            child.end()
