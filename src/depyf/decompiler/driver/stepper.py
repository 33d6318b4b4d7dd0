"""Shows the decompiler's work between its stages, and checks the invariants there.

The pipeline reports each stage and pass to a Stepper by name, which prints the representation, or stops there::

    depyf decompile FILE.py:QUALNAME --steps
    depyf decompile FILE.py:QUALNAME --stop-after structure
    depyf decompile FILE.py:QUALNAME --stop-after undo_optimiser:finally_copies
    depyf decompile FILE.py:QUALNAME --check
"""

from __future__ import annotations

import sys
from typing import Any, Callable, Protocol

from ..passes import BrokenInvariant, Observer, Pass, broken
from .passes import STAGES, Stage, is_name

NAMES = tuple(stage.name for stage in STAGES)
"""The stages of the pipeline, in order."""


class Output(Protocol):
    """Where to print: a text file, for example."""

    def write(self, text: str, /) -> Any: ...


class StopStepping(Exception):
    """The requested stage is done. Not an error: the pipeline must let it propagate."""


class Stepper:
    """Prints the pipeline's state after its stages.

    ``stop_after`` names the stage or pass (as in docs/passes.md) after which to print and stop; ``steps`` prints every
    stage; ``out`` is the stream (standard output if None). ``checks``: check the invariants of every pass; one that
    does not hold raises BrokenInvariant. Raises ValueError for an unknown stage.
    """

    def __init__(
        self,
        *,
        stop_after: str | None = None,
        steps: bool = False,
        out: Output | None = None,
        checks: bool = False,
    ) -> None:
        if stop_after is not None and not is_name(stop_after):
            raise ValueError(f"no stage {stop_after!r}; the stages are: {', '.join(NAMES)}")
        self.stop_after = stop_after
        self.steps = steps
        self.out = out
        self.checks = checks
        self.seen: list[str] = []

    @property
    def listens(self) -> bool:
        """Whether the stages must be reported."""
        return self.steps or self.checks or self.stop_after is not None

    def run(self, stage: Stage, work: Any) -> None:
        """Run a stage, and report it."""
        work.after = after = self.observer(stage)
        stage.run(work, after)
        self.stage(stage.name, lambda: stage.render(work))

    def observer(self, stage: Stage) -> Observer | None:
        """The function to call after each pass of ``stage``; None if there is none."""
        if not self.checks and (self.stop_after is None or not self.stop_after.startswith(f"{stage.name}:")):
            return None

        def after(one: Pass[Any], work: Any) -> None:
            name = f"{stage.name}:{one.name}"
            wrong = broken(one, work) if self.checks else ""
            if wrong:
                raise BrokenInvariant(f"after {name} in {work.raw.qualname}: {wrong}")
            if name == self.stop_after:
                self._print(name, stage.render(work))
                raise StopStepping(name)

        return after

    def stage(self, name: str, render: Callable[[], str]) -> None:
        """Report that stage ``name`` is done; ``render`` returns its result as text and is called only if needed.

        Raises StopStepping if it is the stage to stop after, and ValueError if ``name`` is not a stage.
        """
        if name not in NAMES:
            raise ValueError(f"{name!r} is none of the stages {', '.join(NAMES)}")
        self.seen.append(name)
        stop = name == self.stop_after
        if not (stop or self.steps):
            return
        self._print(name, render())
        if stop:
            raise StopStepping(name)

    def _print(self, name: str, text: str) -> None:
        out = self.out if self.out is not None else sys.stdout
        out.write(f"---- {name} " + "-" * max(4, 74 - len(name)) + "\n")
        out.write(text if text.endswith("\n") else text + "\n")
