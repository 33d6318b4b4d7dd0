"""surface_forms/: alternative forms of a proven text, to find the one that compiles to the original.

Takes statements, and two functions that print and compile them. ``changes.py`` proposes small changes, ``exact.py`` and
``identical.py`` try them until the code is exact or identical, ``loop_tests.py`` tries ``while 1``, ``dead_code.py``
places for the names that dead code left. On exit, a text has changed only if its proof has improved.
Imports ``limits/``, ``bytecode/``, ``syntax/``, ``proof/`` and ``lift/``.
"""
