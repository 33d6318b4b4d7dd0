"""Tasks -> outcomes, in this process or in several. A file that crashes its process does not affect others.

Few tasks are in progress at a time, so that memory does not grow with their number. If a process of the pool dies, all
tasks in progress are repeated, each alone: the one whose process dies again is to blame.
"""

from __future__ import annotations

import multiprocessing
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Iterable, Iterator

from .outcome import Outcome
from .work import Options, Task, work

_WAITING = 2
"""Tasks in progress for each process: one that runs, one that waits."""


def run(tasks: Iterable[Task], options: Options, processes: int = 1) -> Iterator[tuple[Task, Outcome]]:
    """The outcomes as they come; with one process in the order of the tasks."""
    if processes <= 1:
        yield from ((task, work(task, options)) for task in tasks)
        return
    left = iter(tasks)
    while True:
        suspects: list[Task] = []
        yield from _in_pool(left, options, processes, suspects)
        if not suspects:
            return
        for task in suspects:
            yield task, _alone(task, options)


def _in_pool(
    tasks: Iterator[Task], options: Options, processes: int, suspects: list[Task]
) -> Iterator[tuple[Task, Outcome]]:
    """Run tasks until the end, or until a process dies: then ``suspects`` gets those in progress."""
    running: dict[Future[Outcome], Task] = {}
    with _pool(processes) as pool:
        try:
            while True:
                while len(running) < _WAITING * processes:
                    task = next(tasks, None)
                    if task is None:
                        break
                    try:
                        running[pool.submit(work, task, options)] = task
                    except BrokenProcessPool:
                        suspects.append(task)
                        break
                if not running:
                    return
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    task = running.pop(future)
                    try:
                        yield task, future.result()
                    except BrokenProcessPool:
                        suspects.append(task)
                if suspects:
                    suspects += running.values()
                    return
        finally:
            for future in running:
                future.cancel()


def _alone(task: Task, options: Options) -> Outcome:
    with _pool(1) as pool:
        try:
            return pool.submit(work, task, options).result()
        except BrokenProcessPool:
            return Outcome(task.path, error="the process that decompiled it died: it crashed, or was out of memory")


def _pool(processes: int) -> ProcessPoolExecutor:
    # A forked process would share the pipes of compilers with this one.
    return ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"))
