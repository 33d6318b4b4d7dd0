"""bytecode/code/: a code object of any supported version as plain data.

RawCode has the fields, one module each knows a table in them: flags, slots of local variables, lines, handlers, and
the order of the fields in a file.
Imports ``instruction.py`` and ``versions/``.
"""
