"""lift/: control flow graph -> blocks of statements, with expressions in place of the evaluation stack.

Takes the graph of the flowgraph room. Gives LiftedBlocks: statements, a Terminator with its test, and Evidence of the
source, by which the structure room chooses between equivalent forms. Their layout is the order of the source. What
an enclosing ``for``, ``with`` or ``except`` keeps on the stack is a Marker, which shows the blocks that are inside.
After ``fold``, conditions, conditional expressions, chained comparisons, boolean values and inlined comprehensions
(3.12 on) are expressions of one block each, and the copies of loop tests at the bottom of loops are gone.
Imports ``bytecode/``, ``syntax/`` and ``flowgraph/``.
"""

from __future__ import annotations

from .evidence import Evidence
from .folding import fold
from .lift_graph import WithItem, lift
from .lifted_block import LiftedBlock, Terminator

__all__ = ["Evidence", "LiftedBlock", "Terminator", "WithItem", "fold", "lift"]
