"""bytecode/canonical/: passes over decoded instructions, each of which undoes one difference between versions.

A pass takes and gives a list of instructions, knows one shape, and does nothing where the shape is absent; an
instance of the shape that no compiler makes is an error. ``disassemble.py`` has their order.
Imports ``code/``, ``edit.py`` and ``instruction.py``.
"""
