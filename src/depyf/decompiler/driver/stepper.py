"""Look at the decompiler's work between its stages.

A Stepper is handed to the pipeline, which reports each stage by name. It prints the representation, or stops there::

    python -m depyf decompile FILE.py:QUALNAME --steps
    python -m depyf decompile FILE.py:QUALNAME --stop-after structure
"""

from __future__ import annotations

import sys
from typing import Callable, Optional, TextIO

STAGES = (
    "load",  # the code object as plain data
    "disassemble",  # canonical instructions
    "flowgraph",  # basic blocks and edges
    "undo_optimiser",  # the same graph as the code generator would have made it
    "lift",  # blocks of statements; the evaluation stack is gone
    "structure",  # a tree of statements; jumps are gone
    "polish",  # the tree after the transforms
    "print",  # source
    "prove",  # the verdict
)
"""The stages of the pipeline, in order. A stage may report sub-steps as 'polish:name-of-the-transform'."""


class StopStepping(Exception):
    """The stage that was asked for is done. Not an error: the pipeline must let it pass."""


class Stepper:
    """Prints what the pipeline holds after its stages.

    ``stop_after`` names the stage (one of STAGES, or 'stage:substep') after which to print and stop; ``steps`` prints
    every stage; ``out`` is where to (standard output if None). Raises ValueError for an unknown stage.
    """

    def __init__(self, *, stop_after: Optional[str] = None, steps: bool = False, out: Optional[TextIO] = None) -> None:
        if stop_after is not None and stop_after.partition(":")[0] not in STAGES:
            raise ValueError(f"no stage {stop_after!r}; the stages are: {', '.join(STAGES)}")
        self.stop_after = stop_after
        self.steps = steps
        self.out = out
        self.seen: list[str] = []

    def stage(self, name: str, render: Callable[[], str]) -> None:
        """Report that stage ``name`` is done; ``render`` gives its result as text and is called only if wanted.

        Raises StopStepping if this is where to stop, and ValueError if ``name`` belongs to no stage.
        """
        if name not in STAGES and name.partition(":")[0] not in STAGES:
            raise ValueError(f"{name!r} is none of the stages {', '.join(STAGES)}")
        self.seen.append(name)
        stop = name == self.stop_after
        if not (stop or self.steps):
            return
        text = render()
        out = self.out if self.out is not None else sys.stdout
        out.write(f"---- {name} " + "-" * max(4, 74 - len(name)) + "\n")
        out.write(text if text.endswith("\n") else text + "\n")
        if stop:
            raise StopStepping(name)
