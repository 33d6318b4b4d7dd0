"""A bound on the work for one file or function: hostile code costs its author's time, not ours.

Work is counted in steps, so that the answer is the same on every machine and under every load; a step takes some ten
microseconds. Loops whose number of rounds code can drive up call `spend`. Where nobody has set a budget that does
nothing.

A code object has steps of its own, in proportion to its instructions, and a part of the steps that belong to all. Each
attempt gets at most a half of the one and a quarter of the other, so that those after it have some left, and so has the
rest of the file.
"""

from __future__ import annotations

import contextlib
import threading
from typing import Hashable, Iterator

from ...errors import DecompilationError

DEFAULT_STEPS = 200_000
"""For all code objects together: some two seconds."""
_ONE_FOR = 2_000
"""Each instruction has one step for so many of these: 100 by default, a millisecond."""
STEP = 0.2
"""A round of a small loop that follows jumps or handlers, which hostile code can lead in a circle."""
_FEWEST = 200
"""Steps of an attempt, however little is left: what is small enough is done all the same."""


class OutOfBudget(DecompilationError):
    """An attempt has taken its share of the steps; ``stage`` says in which loop."""


class Budget:
    """How many steps are left, of the whole and of each code object."""

    def __init__(self, steps: int = DEFAULT_STEPS) -> None:
        self.steps = steps
        self.left = float(steps)
        self.own: dict[Hashable, float] = {}
        self.parts: list[_Part] = []
        self.spent = 0

    @contextlib.contextmanager
    def counted(self) -> Iterator[None]:
        """This thread spends of this budget, until the end of the block."""
        before, parts = _local.budget, self.parts
        _local.budget, self.parts = self, []
        try:
            yield
        finally:
            _local.budget, self.parts = before, parts

    @contextlib.contextmanager
    def part(self, unit: Hashable, size: int, where: str = "") -> Iterator[None]:
        """What is spent in the block is spent for ``unit``, which has ``size`` instructions."""
        own = self.own.setdefault(unit, self.steps * size / _ONE_FOR)
        part, parts = _Part(max(own / 2 + self.left / 4, _FEWEST), where), self.parts
        parts.append(part)
        try:
            yield
        finally:
            parts.pop()  # after an interrupt this may run when `counted` has ended, which has another list
            self.own[unit] = max(own - part.spent, 0.0)
            self.left = max(self.left - max(part.spent - own, 0.0), 0.0)


class _Part:
    def __init__(self, most: float, where: str) -> None:
        self.most, self.where, self.spent = most, where, 0.0


class _Local(threading.local):
    budget: Budget | None = None


_local = _Local()


def spend(steps: float, stage: str) -> None:
    """So much has been done in ``stage``. Raises OutOfBudget if that was too much for the attempt that is made."""
    budget = _local.budget
    if budget is None:
        return
    budget.spent += int(steps)
    if budget.parts:
        part = budget.parts[-1]
        part.spent += steps
        if part.spent > part.most:
            raise OutOfBudget(
                f"gave up after {int(part.spent)} steps in {stage}; a budget of more than {budget.steps} steps "
                "may be enough",
                stage=stage,
                where=part.where,
            )


def current_budget() -> Budget | None:
    """What this thread spends of."""
    return _local.budget


def part_for(unit: Hashable, size: int, where: str = "") -> contextlib.AbstractContextManager[None]:
    """`Budget.part` of the budget that this thread spends of, if it has one."""
    budget = _local.budget
    return contextlib.nullcontext() if budget is None else budget.part(unit, size, where)
