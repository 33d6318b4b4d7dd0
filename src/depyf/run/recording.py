"""Begins a recording when the program imports ``torch._dynamo``, and reports at the end of the process."""

from __future__ import annotations

import atexit
import contextlib
import importlib.abc
import importlib.machinery
import os
import sys
import types
from typing import Any, Callable, Sequence

__all__ = ["When", "record"]

_WATCHED = "torch._dynamo"


class When(importlib.abc.MetaPathFinder):
    """Calls `then` once, when the module `name` has been imported."""

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
                then()

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def record(directory: str, at_end: Callable[[Any, float], None], html: bool = False) -> None:
    """Records into `directory` from the import of Dynamo on; `at_end` gets the recording's `Session`, or None, and the
    seconds that compiling took.

    What is registered here first runs last: after the program's own functions of `atexit`, and its threads.
    """
    stack = contextlib.ExitStack()
    found: list[Any] = []
    clocks: list[Any] = []
    parent = os.getpid()

    def begin() -> None:
        from ..explain.dump.compile_times import PhaseClock
        from ..explain.recording.session import prepare_debug

        clocks.append(PhaseClock())
        found.append(stack.enter_context(prepare_debug(directory, html=html)))

    def end() -> None:
        if os.getpid() != parent:
            return  # a fork's part of the recording is its own, and the parent reports
        seconds = clocks[0].seconds() if clocks else 0.0
        stack.close()
        at_end(found[0] if found else None, seconds)

    atexit.register(end)
    sys.meta_path.insert(0, When(_WATCHED, begin))
