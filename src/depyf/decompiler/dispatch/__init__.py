"""dispatch/: any bytecode of a function -> a function definition. The last resort, when nothing else gives source.

Takes: canonical instructions with any control flow and any stack shapes.
Gives: a tree that does the same in the same order. Stack entries that live from one basic block to another are
variables; what can be nested statements is; where it can't, a variable says where to continue, and a cycle with several
entries is a loop around a choice by that variable.
Holds on exit: each instruction is at the place in ``try`` bodies and handlers that its exception ranges and the
exceptions handled there demand; what has no such place is refused.

    decompile_dispatch(raw) -> DecompiledCode

Imports ``passes/``, ``limits/``, ``bytecode/``, ``syntax/``, ``names/``, ``flowgraph/`` and ``stack_machine/``.
"""

from __future__ import annotations

from .decompile import decompile_dispatch

__all__ = ["decompile_dispatch"]
