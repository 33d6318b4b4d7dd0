"""texts/: a proven text -> a better one: exact or identical by another spelling, or in its author's layout.

Holds on exit: the text loses no proof, and no exactness.
Imports ``limits/``, ``bytecode/``, ``printing/``, ``proof/``, ``layout/``, ``surface_forms/`` and ``units.py``.
"""
