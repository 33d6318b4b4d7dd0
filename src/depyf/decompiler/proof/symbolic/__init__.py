"""proof/symbolic/: two codes, which may keep their values in different places -> whether they do the same.

Both are executed side by side with symbolic values, and all externally visible events must have the same order and
the same values. For code that no compiler made, and for text whose shape differs from the code's. Takes canonical
instructions, gives a Verdict; whatever it can't show is unproven.
Imports ``limits/``, ``bytecode/``, ``constants.py``, ``metadata.py`` and ``verdict.py``.
"""
