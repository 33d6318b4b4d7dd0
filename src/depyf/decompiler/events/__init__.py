"""events/: bytecode that no compiler makes -> a function definition. Dynamo's code is of this kind.

Takes: canonical instructions of any stack shapes, with no other loops than iterations: values across branches,
loops and exception ranges, shuffled stacks, lists built only to be taken apart.
Gives: a tree that does the same in the same order, one statement for each thing that happens unless it fits into a
larger expression.
Holds on exit: nothing that can be seen from outside was dropped, doubled or moved past another such thing. Only
operations on private containers were done in advance.

    decompile_events(raw) -> DecompiledCode

Imports ``passes/``, ``limits/``, ``bytecode/``, ``syntax/``, ``names/`` and ``stack_machine/``.
"""

from __future__ import annotations

from ..stack_machine.definition import DecompiledCode
from .decompile import decompile_events

__all__ = ["DecompiledCode", "decompile_events"]
