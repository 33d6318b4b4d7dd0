"""passes/: what a pass of the decompiler is: a step with a name, a reason for its place, and what holds after it.

Rooms keep their passes in tuples, in the order in which they run; the driver puts the tuples together
(``driver/passes.py``). Takes such a tuple and the work that the passes change; gives nothing. An observer is told of
each pass that has run: the stepper shows the work, and checks what must hold.
Nothing is imported: every room may use this one.
"""

from __future__ import annotations

from .run import BrokenInvariant, Invariant, Observer, Pass, broken, run_passes

__all__ = ["BrokenInvariant", "Invariant", "Observer", "Pass", "broken", "run_passes"]
