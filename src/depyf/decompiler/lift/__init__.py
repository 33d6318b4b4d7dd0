"""lift/: control flow graph -> blocks of statements whose values no longer live on a stack.

Takes the graph that the flowgraph room leaves. Gives LiftedBlocks: statements, and a terminator with its test; what
an enclosing ``for``, ``with`` or ``except`` keeps on the stack stands there as a Marker and tells which blocks are
inside. After ``fold``, conditions, conditional expressions, chained comparisons, boolean values and the comprehensions
that the compiler wrote into the code around them (3.12 on) are expressions of one block each, and the copies of loop
tests at the bottom of loops are gone.
Imports ``bytecode/``, ``syntax/`` and ``flowgraph/``.
"""

from __future__ import annotations

from .folding import fold
from .lift_graph import WithItem, lift
from .lifted_block import LiftedBlock

__all__ = ["LiftedBlock", "WithItem", "fold", "lift"]
