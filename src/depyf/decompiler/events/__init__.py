"""events/: bytecode that no compiler emits, such as Dynamo's -> a function definition.

Takes: canonical instructions with any stack shapes whose only loops are iterations: values live across branches, loops
and exception ranges, shuffled stacks, lists built only to be unpacked.
Gives: a tree with the same effects in the same order, one statement for each side effect unless it fits into a larger
expression.
Holds on exit: no observable effect was dropped, duplicated or reordered. Only operations on private containers were
evaluated in advance.

    decompile_events(raw) -> DecompiledCode

Imports ``passes/``, ``limits/``, ``bytecode/``, ``syntax/``, ``printing/``, ``names/`` and ``stack_machine/``.
"""

from __future__ import annotations

from ..stack_machine.definition import DecompiledCode
from .decompile import decompile_events

__all__ = ["DecompiledCode", "decompile_events"]
