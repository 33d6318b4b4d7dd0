"""proof/lockstep/: two codes -> whether they take the same steps.

``normalize.py`` gives the normal form: equal forms are EXACT. Otherwise ``bisimulation.py`` walks both, step by step.
Takes canonical instructions; whatever it can't show is unproven.
Imports ``bytecode/``, ``constants.py``, ``ignored.py`` and ``verdict.py``.
"""
