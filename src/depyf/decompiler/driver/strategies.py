"""The strategies for one code object: each gives source of the same meaning, or fails."""

from __future__ import annotations

from typing import NamedTuple


class Strategy(NamedTuple):
    """One attempt at a code object; the proof decides whether it counts.

    Attributes:
        joins_ends: join copies of the code's ends that have the same position.
        skipped_transforms: transforms of the finished tree to skip.
        keeps_constants: keep constants separate that compilers would fold.
        climbs: give the graph another form where control flow has no equivalent in Python.
        delays_parameter_loads: delay loads of parameters that are on the stack from the start, so that the rest has a
            compiler's shape.
        asserts: fold asserts that pytest has rewritten.
        engine: 'structured', or one that needs none of a compiler's shapes: 'events' if the only loops are iterations,
            'dispatch' for any code.
        skipped_rules: rules of the structurer to skip.
        reads_columns: let columns decide what is an ``else`` clause where that does not change behaviour.
    """

    joins_ends: bool = True
    skipped_transforms: frozenset[str] = frozenset()
    keeps_constants: bool = False
    climbs: bool = False
    delays_parameter_loads: bool = False
    asserts: bool = False
    engine: str = "structured"
    skipped_rules: frozenset[str] = frozenset()
    reads_columns: bool = True

    @property
    def symbolic(self) -> bool:
        """Whether its results require the symbolic proof."""
        return self.delays_parameter_loads or self.engine != "structured"
