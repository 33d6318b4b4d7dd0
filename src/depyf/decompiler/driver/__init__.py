"""driver/: RawCode -> Result: every code object through the stages, put together, proven, and tried again.

``units.py`` runs the stages for one code object in one strategy, ``ladder.py`` gives the graph other forms where
structuring fails, ``decompilation.py`` puts code objects together and proves them, ``partial.py`` and ``refused.py``
show what is left of the rest, ``authors_layout.py`` puts the text into the author's lines and columns. Holds on exit:
what is not proven is refused, and marked in the text.
Imports ``passes/``, ``limits/``, ``bytecode/``, ``syntax/``, ``proof/``, ``names/``, ``flowgraph/``, ``lift/``,
``structure/``, ``definitions/``, ``layout/``, ``surface_forms/``, ``events/`` and ``dispatch/``.
"""
