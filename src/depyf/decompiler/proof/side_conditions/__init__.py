"""proof/side_conditions/: what the normal form and the walks do not see, and a program might.

Each module asks one question about one code or a pair, with yes or a reason as answer: only where all are answered
does the walk's result stand.
Imports ``bytecode/``, ``constants.py``, ``ignored.py``, ``lockstep/``, ``symbolic/`` and ``verdict.py``.
"""
