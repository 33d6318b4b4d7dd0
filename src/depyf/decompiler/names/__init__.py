"""names/: the spelling of names and constants that source can't have at all, or not at their position.

``spelling.py`` chooses identifiers and texts for those, ``respelling.py`` makes a copy of the code in which every name
can be written, ``private_names.py`` gives the form of names inside a class. ``by_use.py`` finds the names that
compilers give, where the stored ones are others: with ``shared_variables.py`` for variables that share a cell, and
``annotation_keys.py`` for the parameters that keys name. ``qualified_names.py`` has the qualified names of all of it.
Every substitution is recorded, so that it can be undone after compiling. ``naming_hints.py`` is the interface for hints
from the names in code, ``dynamo.py`` has those for names that Dynamo makes; the caller chooses which hints the rooms
get. Imports ``bytecode/``, ``syntax/`` and ``proof/``.
"""
