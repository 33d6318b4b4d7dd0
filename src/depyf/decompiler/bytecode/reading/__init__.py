"""bytecode/reading/: a live code object, marshalled code or a .pyc file -> RawCode.

Holds on exit: the fields of every version have 3.11's shape, nested code is read too, and there are qualified names
even where the version stores none. Damaged input raises DecompilationError.
Imports ``code/`` and ``versions/``.
"""
