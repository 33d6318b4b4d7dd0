"""proof/side_conditions/: what the normal form and the walks ignore, but a program might observe.

Each module checks one condition of one code or a pair, and returns a reason where it fails: the result of a walk is
valid only if all hold.
Imports ``bytecode/``, ``constants.py``, ``ignored.py``, ``lockstep/``, ``symbolic/`` and ``verdict.py``.
"""
