"""layout/: a text, and the code it was found for -> the same tokens on the lines and in the columns of that code.

Takes the code, a text that compiles to equivalent code, and a function that compiles. ``matching/`` finds where the
original's positions put tokens of the text, ``locations.py`` derives the location of each token, ``literals/`` picks
the spelling of a literal that fits its width, ``writing/`` writes the text. Holds on exit: the new text has the same
tokens, except for parentheses, trailing commas, ``import a as a`` for ``import a``, and the spelling of literals.
Nothing more is guaranteed: the caller compiles and proves it like any other text. Imports ``bytecode/``, ``proof/`` and
``syntax/``.
"""
