"""bytecode/decoding/: RawCode -> instructions with names instead of numbers, one by one.

Each opcode is decoded by the rule that its version's table names. Holds on exit: jump targets and handlers are
indices, operands are names, constants and operators; what is dropped is listed in ``dropped.py``. Sequences of
several instructions still have the shape of the version.
Imports ``code/``, ``edit.py``, ``instruction.py`` and ``versions/``.
"""
