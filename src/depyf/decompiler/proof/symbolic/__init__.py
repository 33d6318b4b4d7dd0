"""proof/symbolic/: two codes with values wherever they are -> whether they do the same.

Both are executed with symbolic values side by side, and each thing that can be seen from outside must come in the same
order with the same values. For code that no compiler made, and for text of another shape than the code. Takes
canonical instructions, gives a Verdict; what it can't show is unproven.
Imports ``limits/``, ``bytecode/``, ``constants.py``, ``metadata.py`` and ``verdict.py``.
"""
