"""bytecode/reading/: a live code object, marshalled code or a .pyc file -> RawCode.

Holds on exit: every version's fields have 3.11's shape, nested code is read too, qualified names are there also where
the version keeps none. What is damaged raises DecompilationError.
Imports ``code/`` and ``versions/``.
"""
