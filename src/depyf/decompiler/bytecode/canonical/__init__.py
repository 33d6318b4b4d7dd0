"""bytecode/canonical/: passes over decoded instructions; each removes one difference between versions.

A pass maps a list of instructions to another, knows one shape, and does nothing where the shape is absent; an
instance of the shape that no compiler emits is an error. ``disassemble.py`` lists the passes in order.
Imports ``code/``, ``dataflow.py``, ``edit.py`` and ``instruction.py``.
"""
