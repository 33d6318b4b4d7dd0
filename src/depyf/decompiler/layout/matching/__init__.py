"""A text and the code it was found for -> where the original's positions put its tokens.

``tokens.py`` tokenizes the text, ``pairs.py`` pairs the instructions that both compile to, ``runs.py`` compares line
tables of which only the lines differ, ``unchanged.py`` finds statements that only moved, ``blocks.py`` joins
neighbouring ones, ``anchors.py`` maps spans of the text to positions in the original.
Imports ``bytecode/`` and ``proof/``.
"""
