"""Tests that say how a function is compiled: into how many graphs, with which breaks, how often.

    with depyf.testing.compiled(breaks=0, recompiles=1):
        for size in (8, 16, 24):
            step(torch.ones(size))

The pytest plugin (`pytest_plugin.py`) does the same for a marker. Importing this imports no torch.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from typing import Any, Mapping

from .errors import require_torch

__all__ = ["NotAsCompiled", "compiled", "story_of"]

_NOUNS = {
    "breaks": "graph break", "recompiles": "recompilation", "graphs": "graph", "uncompiled": "uncompiled function",
    "raised": "raising call",
}  # fmt: skip
_KINDS = {"breaks": "break", "recompiles": "recompile", "graphs": "graph", "uncompiled": "uncompiled",
          "raised": "raised"}  # fmt: skip
_COUNTS = {"recompiles": "recompilations"}  # else they have the names of the arguments
_MOST = 10


class NotAsCompiled(AssertionError):
    """What was compiled in a block is not what was said: the message is the story, with lines of the program.

    Example:
        >>> issubclass(depyf.testing.NotAsCompiled, AssertionError)  # so that a test fails by it
        True
    """


class compiled(contextlib.ContextDecorator):
    """Records the block, or the function that it decorates, and fails if that was not compiled as said.

    Args:
        breaks: places at which a graph ends before its function does. The same place counts once, however often it is
            compiled. None, here and below: any number.
        recompiles: compilations because an earlier one did not fit. Those of the rest of a function, for the same
            reason, are not counted.
        graphs: graphs, over all compilations.
        uncompiled: functions that torch.compile was asked for and left to Python; functions without anything to
            compile are none.
        raised: calls whose compilation ended with an exception that the block has caught.
        fresh: whether Dynamo forgets first what it has compiled (``torch._dynamo.reset``), so that the block compiles.
            Of what was compiled before, not all can be told: kernels and recompilations are gone.
        same_as_eager: whether what Inductor's graphs compute is compared as well, as `depyf.compare` does.

    As a context manager it gives the model of what is recorded, as `depyf.prepare_debug` does.

    Raises:
        NotAsCompiled: a number is another one, nothing was compiled at all and `graphs` is not 0, or a line computes
            something else.
        RuntimeError: a recording is going on: it would count more than this block.

    Example:
        >>> @torch.compile(backend="eager", dynamic=False)
        ... def scale(x, by):
        ...     return x * by
        >>> with depyf.testing.compiled(breaks=0, recompiles=1):
        ...     for by in (1.0, 2.0):
        ...         _ = scale(torch.ones(4), by)
    """

    def __init__(
        self,
        *,
        breaks: int | None = None,
        recompiles: int | None = None,
        graphs: int | None = None,
        uncompiled: int | None = 0,
        raised: int | None = 0,
        fresh: bool = True,
        same_as_eager: bool = False,
    ) -> None:
        self._wanted = {"breaks": breaks, "recompiles": recompiles, "graphs": graphs, "uncompiled": uncompiled,
                        "raised": raised}  # fmt: skip
        self._fresh, self._same_as_eager = fresh, same_as_eager
        self._comparison: Any = None

    def __enter__(self) -> Any:
        require_torch("depyf.testing.compiled")
        import torch

        from .explain.recording.session import active_recorders, prepare_debug

        if active_recorders():
            raise RuntimeError("depyf.testing.compiled inside another recording: it would count more than its block")
        if self._fresh:
            torch._dynamo.reset()
        self._stack = contextlib.ExitStack()
        folder = self._stack.enter_context(tempfile.TemporaryDirectory())
        self._session = self._stack.enter_context(prepare_debug(folder))
        if self._same_as_eager:
            from .comparing.session import begin_comparing

            self._comparison = begin_comparing(self._session, self._stack, repros=False)
        return self._session

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        __tracebackhide__ = True  # pytest shows the user's line
        self._stack.close()
        story = story_of(self._session, self._wanted) if kind is None else []
        if kind is None and self._comparison is not None and self._comparison.findings:
            story.append(str(self._comparison))
        if story:
            raise NotAsCompiled("\n".join(story))


def story_of(session: Any, wanted: Mapping[str, int | None]) -> list[str]:
    """What a test is told of a recording: each number that is not the one wanted, with its findings."""
    from .explain.report.remarks.counts import counted
    from .explain.report.remarks.stored import report_of

    report = report_of(session)
    remarks = [one for one in report.remarks if not one.follows]
    found = {what: report.counts[_COUNTS.get(what, what)] for what in wanted}
    lines: list[str] = []
    if not any(found.values()) and not report.counts["functions"] and wanted.get("graphs") != 0:
        return ["nothing was compiled: no compiled function was called in the block, or torch.compile is switched off"]
    for what, number in wanted.items():
        if number is None or found[what] == number:
            continue
        about = [one for one in remarks if one.kind == _KINDS[what]]
        end = ":" if about else ""
        lines.append(f"{counted(found[what], _NOUNS[what])}, {_allowed(number)}{end}")
        for one in about[:_MOST]:
            lines += _told(one)
        if len(about) > _MOST:
            lines.append(f"  and {len(about) - _MOST} more")
    return lines


def _told(one: Any) -> list[str]:
    from .explain.report.remarks.answer import short

    file = short(one.file, os.getcwd())
    lines = [f"  {file}:{one.line}  {one.said}"]
    if one.text:
        lines.append(f"    > {one.line:5}  {one.text}")
    lines += ["      " + words for words in one.details]
    return lines + ["    hint: " + words for words in [one.instead, *one.hints] if words]


def _allowed(number: int) -> str:
    return f"{number} expected" if number else "none allowed"
