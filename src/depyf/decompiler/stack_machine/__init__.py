"""stack_machine/: what each operation does with a stack of values, written as statements in the order of its effects.

Takes: one canonical instruction after the other, of those that neither jump nor leave.
Gives: statements, and a stack whose entries are values: known, held by variables, or still to be written.
Holds on exit: all that has happened is written, or pending in order (see ``writer.py``).

``events/`` and ``dispatch/`` drive it: they follow jumps and exception ranges, and say where a value that continues
to another place of the code is kept. Which operations they take, and where they differ, is in the table of handlers
that each makes of `operations.HANDLERS`. The machine of ``proof/`` is another one: it must not share this one's errors.

    machine = Machine(raw, Spelling(raw), "events", HANDLERS, upcoming)
    machine.execute(instruction)

Imports ``limits/``, ``bytecode/``, ``syntax/``, ``proof/`` and ``names/``.
"""

from __future__ import annotations

from .machine import Machine
from .operations import HANDLERS

__all__ = ["HANDLERS", "Machine"]
