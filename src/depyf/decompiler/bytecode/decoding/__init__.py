"""bytecode/decoding/: RawCode -> instructions with names instead of numbers, one by one.

Every opcode is decoded by the rule that its version's table names. Holds on exit: jump targets and handlers are
indices, operands are names, constants and operators; what the reader drops is listed in ``dropped.py``. Shapes of
several instructions are still those of the version.
Imports ``code/``, ``instruction.py`` and ``versions/``.
"""
