"""stack_machine/: symbolic execution of operations on a stack of values, written as statements in side-effect order.

Takes: canonical instructions one by one, except jumps and those that leave the code.
Gives: statements, and a stack whose entries are values: known, held by variables, or still to be written.
Holds on exit: all effects so far are written, or pending in order (see ``writer.py``).

``unstructured/`` drives it: it follows jumps and exception ranges, and decides which variables hold values that are
live across them. It derives its tables of handlers from `operations.HANDLERS`: the operations that it accepts, and
those that it executes differently. ``proof/`` has a machine of its own, lest both share an error.

    machine = Machine(raw, Spelling(raw), "events", HANDLERS, upcoming)
    machine.execute(instruction)

Imports ``limits/``, ``bytecode/``, ``syntax/``, ``printing/``, ``proof/`` and ``names/``.
"""

from __future__ import annotations

from .machine import Machine
from .operations import HANDLERS

__all__ = ["HANDLERS", "Machine"]
