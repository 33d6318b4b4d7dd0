"""layout/: a text, and the code it was found for -> the same tokens on the lines and in the columns of that code.

Takes the code, a text that compiles to equivalent code, and a function that compiles. ``pairs.py`` pairs the
instructions of the two, ``unchanged.py`` finds statements that only moved, ``tokens.py`` tokenizes the others,
``anchors.py`` maps spans of the text to positions in the original, ``locations.py`` derives the location of each
token, ``spelling.py`` picks the spelling of a literal that fits its width, ``emit.py`` writes the text. Holds on exit:
the new text has the same tokens, except for parentheses, trailing commas, and the spelling of literals. Nothing more
is guaranteed: the caller compiles and proves it like any other text.
Imports ``bytecode/`` and ``proof/``.
"""
