"""Begins a recording when the program imports ``torch._dynamo``, and reports at the end of the process."""

from __future__ import annotations

import atexit
import contextlib
import importlib.abc
import importlib.machinery
import os
import sys
import time
import types
from typing import Any, Callable, Mapping, Sequence

__all__ = ["When", "record", "record_child", "record_children"]

_WATCHED = "torch._dynamo"
_SPAWN = "multiprocessing.spawn"
_KEY = "depyf"
_IN_CHILD = """\
try:
    from depyf.run.recording import record_child
    record_child({!r}, {!r}, {!r})
except Exception:
    import logging
    logging.getLogger("depyf").debug("this process is not recorded", exc_info=True)
"""


class When(importlib.abc.MetaPathFinder):
    """Calls `then` once, when the module `name` has been imported. What it raises does not reach the program."""

    def __init__(self, name: str, then: Callable[[], None]) -> None:
        self._name, self._then = name, then

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """That of the other finders, with a loader that calls `then` at its end."""
        if fullname != self._name or self not in sys.meta_path:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is not None and spec.loader is not None:
            execute, then = spec.loader.exec_module, self._then

            def exec_module(module: types.ModuleType) -> None:
                del spec.loader.exec_module  # type: ignore[union-attr]
                execute(module)
                with contextlib.suppress(Exception):
                    then()

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def record(
    directory: str, at_end: Callable[[Any, Any], None], html: bool = False, shows_progress: bool = False,
    comparing: Mapping[str, Any] | None = None, times: bool = False,
) -> None:
    """Records into `directory` from the import of Dynamo on; `at_end` gets the recording's `Session`, or None,
    and the exception with which a recording failed to begin, or None.

    With `comparing`, options of `begin_comparing`, what is computed is compared with eager.
    With `shows_progress`, a terminal has a line on each long compilation while it lasts.

    What is registered here first runs last: after the program's own functions of `atexit`, and its threads.
    """
    stack = contextlib.ExitStack()
    found: list[Any] = []
    failed: list[Exception] = []
    parent = os.getpid()
    started = time.time()

    def begin() -> None:
        try:
            from ..explain.dump import processes
            from ..explain.recording.session import prepare_debug
            from ..explain.running import WATCHERS
            from .progress import watch_compilations

            _leave_program_alone(started)
            if os.getpid() != parent:  # forked before: multiprocessing ends it without what `atexit` has
                processes.before_this_process_ends(stack.close)
            elif shows_progress:
                watch_compilations(WATCHERS)
            session = stack.enter_context(prepare_debug(directory, html=html, time=times))
            found.append(session)
            if comparing is not None:
                from ..comparing.session import begin_comparing

                begin_comparing(session, stack, **comparing)
        except Exception as error:
            failed.append(error)

    def end() -> None:
        if os.getpid() != parent:
            return  # a fork's part of the recording is its own, and the parent reports
        error = getattr(sys, "last_value", None)  # that the program has ended with
        if error is not None and not found and not failed:
            with contextlib.suppress(Exception):
                _begin_late(begin, error)
        stack.close()
        at_end(found[0] if found else None, failed[0] if failed else None)

    atexit.register(end)
    sys.meta_path.insert(0, When(_WATCHED, begin))
    record_children(directory, started)


def _begin_late(begin: Callable[[], None], error: BaseException) -> None:
    """Begins where torch.compile has raised before it imported Dynamo, to say so."""
    from ..explain.recording.session import note_error_of_program
    from ..explain.torch_facts.torch_attempts import calls_of_compile

    if calls_of_compile(error):
        begin()
        note_error_of_program(error)


def _leave_program_alone(started: float) -> None:
    """Sets what a recording does otherwise where nobody has asked for it in the program's text."""
    import logging

    from ..explain.containment import logger
    from ..explain.dump import processes
    from ..explain.transformed import transformed_code

    processes.STARTED = started  # processes that this one has spawned may have recorded before
    transformed_code.EXCHANGES = False
    logger.addHandler(logging.NullHandler())  # the index has what goes there, and standard error is the program's
    logger.propagate = False


def record_children(directory: str, started: float) -> None:
    """Has processes that `multiprocessing` spawns from now on, by itself or through its server, record there too."""
    if _SPAWN in sys.modules:
        _prepare_children(directory, started)
    else:
        sys.meta_path.insert(0, When(_SPAWN, lambda: _prepare_children(directory, started)))


def _prepare_children(directory: str, started: float) -> None:
    spawn: Any = sys.modules[_SPAWN]
    prepared = spawn.get_preparation_data
    message = _ToChild(directory, started)

    def get_preparation_data(name: str) -> dict[str, Any]:
        data: dict[str, Any] = prepared(name)
        return {_KEY: message, **data}

    spawn.get_preparation_data = get_preparation_data


class _ToChild:
    """What a spawned process unpickles before it does anything: begins a recording, or nothing if that is impossible.

    A spawned process looks up what it knows in its preparation data, and passes over the rest.
    """

    def __init__(self, directory: str, started: float) -> None:
        self._directory, self._started = directory, started

    def __reduce__(self) -> Any:
        from ..owners import OWN

        return exec, (_IN_CHILD.format(self._directory, self._started, sorted(OWN)), {})


def record_child(directory: str, started: float, packages: Sequence[str] = ()) -> None:
    """In a spawned process: records from the import of Dynamo to the end of the process.

    Args:
        directory: that of the whole program: the process gets a folder in it.
        started: when the program was, in seconds since the epoch: what is younger is not written over.
        packages: the installed ones that are the user's.
    """
    stack = contextlib.ExitStack()

    def begin() -> None:
        from ..explain.dump import processes
        from ..explain.recording.session import prepare_debug
        from ..owners import own

        own(packages)
        _leave_program_alone(started)
        stack.enter_context(prepare_debug(directory))
        processes.before_this_process_ends(stack.close)

    sys.meta_path.insert(0, When(_WATCHED, begin))
    record_children(directory, started)
