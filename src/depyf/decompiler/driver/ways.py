"""The choices between sources of the same meaning."""

from __future__ import annotations

from typing import NamedTuple


class Way(NamedTuple):
    """Choices between sources of the same meaning, where hints decide: whether copies of the code's ends that have
    the same position are joined, and which transforms of the finished tree are left out. ``keeps_constants``: those
    that compilers would fold are kept apart. ``climbs``: where control has no form in Python the graph is given another
    one. ``settles``: parameters that lie on the stack at the beginning are loaded later, so that the rest is what a
    compiler made. ``asserts``: what pytest has made of an assert is written as the assert. ``engine``: 'structured', or
    one that needs no shapes that a compiler makes: 'events' for code whose only loops are iterations, 'dispatch' for
    any. ``skipped_rules``: rules of the structurer that are left out."""

    joins_ends: bool = True
    skipped_transforms: frozenset[str] = frozenset()
    keeps_constants: bool = False
    climbs: bool = False
    settles: bool = False
    asserts: bool = False
    engine: str = "structured"
    skipped_rules: frozenset[str] = frozenset()

    @property
    def symbolic(self) -> bool:
        """Whether its results need the symbolic proof."""
        return self.settles or self.engine != "structured"
