"""lift/: control flow graph -> blocks of statements whose values no longer live on a stack.

Takes the graph that the flowgraph room leaves. Gives LiftedBlocks: statements, a Terminator with its test, and Evidence
of the source, which the structure room tells equal forms apart by. Their layout is the order of the source. What an
enclosing ``for``, ``with`` or ``except`` keeps on the stack is there as a Marker and tells which blocks are
inside. After ``fold``, conditions, conditional expressions, chained comparisons, boolean values and the comprehensions
that the compiler wrote into the code around them (3.12 on) are expressions of one block each, and the copies of loop
tests at the bottom of loops are gone.
Imports ``bytecode/``, ``syntax/`` and ``flowgraph/``.
"""

from __future__ import annotations

from .evidence import Evidence
from .folding import fold
from .lift_graph import WithItem, lift
from .lifted_block import LiftedBlock, Terminator

__all__ = ["Evidence", "LiftedBlock", "Terminator", "WithItem", "fold", "lift"]
