"""surface_forms/: other ways to write a proven text, to find the one that compiles to the original.

Takes statements and two functions that print and compile them. ``changes.py`` proposes small changes, ``exact.py`` and
``identical.py`` try them until the code is exact or identical. Holds on exit: a text was changed only if its proof got
better.
Imports ``limits/``, ``bytecode/``, ``syntax/``, ``proof/`` and ``lift/``.
"""
