"""bytecode/code/: a code object of any supported version as plain data.

RawCode has the fields; one module each reads the flags, the slots of local variables, the line table, the exception
table, and describes the order of the fields in a file.
Imports ``instruction.py`` and ``versions/``.
"""
