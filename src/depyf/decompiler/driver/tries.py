"""What was tried for one code object, and what has come of it so far."""

from __future__ import annotations

from typing import Sequence

from ...errors import DecompilationError
from ..bytecode import RawCode
from ..surface_forms.kinds import Search
from ..syntax import nodes
from ..unstructured import DecompiledCode
from .strategies import Strategy
from .units import Unit


class Tries:
    """The strategies for one code object, the errors of those that failed, and what the next one makes of it.

    Attributes:
        unit: its statements, until they are finished.
        body: its finished statements; None while there are none, or none that fit what has become of nested code.
        form: how these were found.
        unstructured: more about them, if they were not structured.
        outlined: the code without inlined comprehensions, once it is asked for.
        is_by_columns: columns have made decisions in them.
        folds_asserts: asserts that pytest rewrote are folded in them.
        search: of other spellings.
    """

    __slots__ = ("strategies", "failures", "unit", "body", "form", "unstructured", "outlined", "is_by_columns",
                 "folds_asserts", "search")  # fmt: skip

    def __init__(self, strategies: Sequence[Strategy]) -> None:
        self.strategies = strategies
        self.failures: list[DecompilationError] = []
        self.unit: Unit | None = None
        self.body: list[nodes.Statement] | None = None
        self.form = "structured"
        self.unstructured: DecompiledCode | None = None
        self.outlined: RawCode | None = None
        self.is_by_columns = self.folds_asserts = False
        self.search: Search | None = None

    @property
    def strategy(self) -> Strategy:
        """The one to try now."""
        return self.strategies[min(len(self.failures), len(self.strategies) - 1)]

    @property
    def are_over(self) -> bool:
        """Whether all strategies have failed."""
        return len(self.failures) == len(self.strategies)

    def fail(self, error: DecompilationError) -> None:
        """Switch to the next strategy; without columns it would be the same where these have decided nothing."""
        unit, self.unit = self.unit, None
        by_columns = self.is_by_columns or unit is not None and unit.is_by_columns
        self.failures.append(error)
        if not by_columns and not self.are_over and not self.strategy.reads_columns:
            self.failures.append(error)
        self.is_by_columns = False
