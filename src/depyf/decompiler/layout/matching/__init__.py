"""A text and the code it was found for -> where the original's positions put its tokens.

``tokens.py`` tokenizes the text, ``pairs.py`` pairs the instructions that both compile to, ``runs.py`` compares their line
tables where only lines differ, ``unchanged.py`` finds statements that only moved, ``blocks.py`` joins neighbouring ones,
``anchors.py`` maps spans of the text to positions in the original.
Imports ``bytecode/`` and ``proof/``.
"""
