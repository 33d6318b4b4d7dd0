"""structure/: lifted blocks -> a tree of statements without jumps.

Takes the folded blocks. Every try and with statement becomes a node of the graph; the dominator tree and the
layout give the order of statements; the values that an enclosing statement keeps on the stack show what is inside it.
What no evidence settles is decided here too, as a choice that the search of ``surface_forms/`` may flip.
On exit, every block is in the tree exactly once (small exits may be copied), or DecompilationError names the one that
is not.
Imports ``limits/``, ``bytecode/``, ``syntax/``, ``flowgraph/`` and ``lift/``.
"""

from __future__ import annotations

from typing import Collection

from .by_position import (
    ELSE_CLAUSES,
    IDLE,
    write_else_clauses,
    write_else_lines,
    write_idle_lines,
    write_idle_statements,
)
from .context import NoPlace, SeveralEntries
from .flow import Flow
from .jumps import RULES as _JUMPS
from .match_statements import join_cases
from .one_trip_loops import OneTrip, insert_one_trip, one_trips
from .outer_loops import separate_outer_loops
from .single_end import join_ends
from .structurer import structure
from .try_ends import RULES as _TRIES

RULES = {
    name: rule.__doc__ or ""
    for rules in (_JUMPS, _TRIES, ELSE_CLAUSES, IDLE)
    for name, rule in rules.rules.items()
}
"""The docstring of each of the structurer's rules, by name, in the order in which they are tried."""

__all__ = [
    "RULES",
    "Flow",
    "NoPlace",
    "OneTrip",
    "SeveralEntries",
    "check_rules",
    "insert_one_trip",
    "join_cases",
    "join_ends",
    "one_trips",
    "separate_outer_loops",
    "structure",
    "write_else_clauses",
    "write_else_lines",
    "write_idle_lines",
    "write_idle_statements",
]


def check_rules(skipped: Collection[str]) -> None:
    """Raise ValueError if a name in ``skipped`` is not that of a rule."""
    unknown = set(skipped) - set(RULES)
    if unknown:
        raise ValueError(f"no rule: {', '.join(sorted(unknown))}")
