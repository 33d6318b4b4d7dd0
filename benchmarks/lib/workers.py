"""Run a function over many items in processes that may crash, hang or eat the memory: each such item is one answer."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import time
from typing import Any, Callable, Iterable, Iterator, NamedTuple


class Answer(NamedTuple):
    """What became of ``item``: ``value`` if ``failure`` is '', else how the worker ended ('hang', 'crash: ...')."""

    item: Any
    value: Any
    failure: str


class _Worker:
    """One process, the pipe to it, and what it is busy with."""

    def __init__(self, work: Callable[[Any], Any], memory: int) -> None:
        context = multiprocessing.get_context("spawn")  # a fork would share this process' state
        self.pipe, child = context.Pipe()
        self.process = context.Process(target=_serve, args=(child, work, memory), daemon=True)
        self.process.start()
        child.close()
        self.item: Any = None
        self.busy = False
        self.deadline = 0.0

    def give(self, item: Any, limit: float) -> None:
        self.item, self.busy, self.deadline = item, True, time.monotonic() + limit
        self.pipe.send(item)

    def end(self) -> str:
        """Kill the process if it still runs; says how it ended."""
        self.process.join(0.5)
        code = self.process.exitcode
        if code is None:
            self.process.kill()
            self.process.join()
        self.pipe.close()
        return f"exit status {code}" if code is not None else "killed"


def run(
    work: Callable[[Any], Any], items: Iterable[Any], *, processes: int, limit: float, memory: int = 0
) -> Iterator[Answer]:
    """Answers of ``work(item)``, as they come in.

    ``work`` must be importable in a new process, ``limit`` is in seconds per item, ``memory`` in bytes of address
    space per process (0: no limit). A worker that dies or is killed is replaced. Items are started lazily.
    """
    waiting = iter(items)
    workers: list[_Worker] = []
    exhausted = False
    try:
        while True:
            while not exhausted and (len(workers) < processes or not all(w.busy for w in workers)):
                try:
                    item = next(waiting)
                except StopIteration:
                    exhausted = True
                    break
                idle = next((w for w in workers if not w.busy), None)
                if idle is None:
                    idle = _Worker(work, memory)
                    workers.append(idle)
                # A process that is still starting up has not used any of its item's time.
                idle.give(item, limit if idle.process.exitcode is None and idle.item is not None else limit + 5)
            busy = [w for w in workers if w.busy]
            if not busy:
                return
            timeout = max(0.0, min(w.deadline for w in busy) - time.monotonic())
            ready = multiprocessing.connection.wait([w.pipe for w in busy], timeout)
            for worker in busy:
                if worker.pipe in ready:
                    try:
                        value, failure = worker.pipe.recv()
                    except (EOFError, OSError):
                        workers.remove(worker)
                        yield Answer(worker.item, None, f"crash: the process ended with {worker.end()}")
                        continue
                    worker.busy = False
                    yield Answer(worker.item, value, failure)
                elif time.monotonic() >= worker.deadline:
                    workers.remove(worker)
                    worker.process.kill()
                    worker.end()
                    yield Answer(worker.item, None, f"hang: no answer within {limit:g} s")
    finally:
        for worker in workers:
            worker.process.kill()
            worker.end()


def _serve(pipe: Any, work: Callable[[Any], Any], memory: int) -> None:
    """The life of a worker process."""
    if memory:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    while True:
        try:
            item = pipe.recv()
        except EOFError:
            return
        try:
            answer = (work(item), "")
        except BaseException as error:
            answer = (None, f"crash: {type(error).__name__}: {error}"[:500])
        pipe.send(answer)
