"""names/: how names and constants are written that no source can have, or not in this place.

``spelling.py`` gives identifiers and texts for what has none, ``respelling.py`` a copy of the code in which every name
can be written, ``private_names.py`` the form that names have inside a class. Whatever is written in another way is
remembered, so that who compiles the text can put it back. ``naming_hints.py`` is the interface for hints from the names
in code, ``dynamo.py`` has those for names that Dynamo makes; the caller chooses which hints the rooms get.
Imports ``bytecode/``, ``syntax/`` and ``proof/``.
"""
