"""proof/lockstep/: two codes -> whether one's steps are the other's.

``normalize.py`` gives the normal form: equal forms are EXACT. Otherwise ``bisimulation.py`` walks both, step by step.
Takes canonical instructions; what it can't show is unproven.
Imports ``bytecode/``, ``constants.py``, ``ignored.py`` and ``verdict.py``.
"""
