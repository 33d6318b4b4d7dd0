"""layout/: a text and the code that it was found for -> the same tokens in the lines and columns of that code.

Takes a text that compiles to what the code does, the code, and a function that compiles. ``pairs.py`` pairs the
instructions of both, ``unchanged.py`` finds statements that are only moved, ``tokens.py`` cuts the others,
``anchors.py`` finds for spans of the text the places of the original, ``places.py`` gives tokens their places,
``spelling.py`` finds the literal that fills a place, ``emit.py`` writes. Holds on exit: the new text has the same
tokens, but for parentheses, commas at ends, and the spelling of literals. Nothing else is known of it: who uses it
compiles it and proves it as any other.
Imports ``bytecode/`` and ``proof/``.
"""
