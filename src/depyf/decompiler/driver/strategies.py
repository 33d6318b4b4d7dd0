"""The attempts at one code object: each gives source of the same meaning, if it gives any."""

from __future__ import annotations

from typing import NamedTuple


class Strategy(NamedTuple):
    """One attempt at a code object; the proof decides whether it counts.

    Attributes:
        joins_ends: join copies of the code's ends that have the same position.
        skipped_transforms: transforms of the finished tree that are left out.
        keeps_constants: keep constants apart that compilers would fold.
        climbs: give the graph another form where control flow has no equivalent in Python.
        delays_parameter_loads: load parameters that lie on the stack at the beginning later, so that the rest is what a
            compiler made.
        asserts: write what pytest made of an assert as the assert.
        engine: 'structured', or one that needs none of a compiler's shapes: 'events' if the only loops are iterations,
            'dispatch' for any code.
        skipped_rules: rules of the structurer that are left out.
        reads_columns: let columns tell what is an ``else`` clause where that makes no difference to what the code does.
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
        """Whether its results need the symbolic proof."""
        return self.delays_parameter_loads or self.engine != "structured"
