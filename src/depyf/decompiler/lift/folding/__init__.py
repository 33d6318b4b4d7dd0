"""Folding: conditions, conditional expressions, chained comparisons, boolean values and inlined comprehensions become
expressions.

Blocks are visited in reverse layout order, so inner and later parts are folded first. Each rule merges the blocks of
one construct into the first of them, and fires only on its exact shape.
Imports ``syntax/``, ``evidence.py``, ``block_order.py``, ``columns.py``, ``lifted_block.py`` and ``values.py``.
"""

from __future__ import annotations

from .fold import fold

__all__ = ["fold"]
