"""dispatch/: any bytecode of a function -> a function definition. The last resort, when nothing else gives source.

Takes: canonical instructions with any control flow and any stack shapes.
Gives: a tree with the same effects in the same order. Stack entries that are live across basic blocks are variables.
Control flow is nested statements where possible; elsewhere a state variable selects the next block, and an irreducible
cycle is a loop around a choice by that variable.
Holds on exit: each instruction is in the ``try`` bodies and handlers that its exception ranges and the handled
exceptions require; what fits in none is refused.

    decompile_dispatch(raw) -> DecompiledCode

Imports ``passes/``, ``limits/``, ``bytecode/``, ``syntax/``, ``printing/``, ``names/``, ``flowgraph/`` and
``stack_machine/``.
"""

from __future__ import annotations

from .decompile import decompile_dispatch

__all__ = ["decompile_dispatch"]
