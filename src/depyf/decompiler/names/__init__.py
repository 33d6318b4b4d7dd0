"""names/: how names and constants are written that no source can have, or not in this place.

``spelling.py`` gives identifiers and texts for what has none, ``respelling.py`` a copy of the code in which every name
can be written, ``private_names.py`` the form that names have inside a class. Whatever is written in another way is
remembered, so that who compiles the text can put it back. ``words.py`` says what the names in code tell of its values,
``dynamo.py`` knows the names that Dynamo makes: which of the two the rooms are given, their caller decides.
Imports ``bytecode/``, ``syntax/`` and ``proof/``.
"""
