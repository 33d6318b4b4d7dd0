"""refusals/: refused code -> the parts of it that are proven by themselves, and a mark for the rest.

Holds on exit: what is shown can be compiled, and no statement that is not proven is without a mark.
Imports ``bytecode/``, ``syntax/``, ``proof/``, ``names/``, ``flowgraph/``, ``lift/``, ``definitions/``, ``result.py``
and ``units.py``.
"""
