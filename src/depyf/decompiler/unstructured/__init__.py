"""unstructured/: any bytecode of a function, such as no compiler makes -> a function definition.

Takes: canonical instructions with any control flow and any stack shapes.
Gives: a tree with the same effects in the same order. Control flow is nested statements where possible; elsewhere a
state variable selects the next block, and an irreducible cycle is a loop around a choice by that variable.
Holds on exit: no observable effect was dropped, duplicated or reordered. Each instruction is in the ``try`` bodies and
handlers that its exception ranges and the handled exceptions require; what fits in none is refused.

    decompile_unstructured(raw, carries=True) -> DecompiledCode

The code is cut into nodes (``analysis.py``), each is written as a block by the stack machine, and the blocks are nested
(``graph.py``, ``statements.py``). What is known at the end of a block is carried to the next ones (``carried.py``) or
stored (``blocks.py``). If carried, lists built only to be unpacked are evaluated in advance, and statements are short
and well named; the only loops are iterations. This is for the code of tools. If stored, stack entries that are live
across blocks are variables, and any code has a text: the last resort.

Imports ``passes/``, ``limits/``, ``bytecode/``, ``syntax/``, ``printing/``, ``names/``, ``flowgraph/`` and
``stack_machine/``.
"""

from __future__ import annotations

from ..stack_machine.definition import DecompiledCode
from .decompile import decompile_unstructured

__all__ = ["DecompiledCode", "decompile_unstructured"]
