"""Tokens with locations -> the text.

``items.py`` gives each logical line its items, ``declarations.py`` and ``imports.py`` place what has no instruction,
``emit.py`` writes the lines.
Imports ``literals/``, ``matching/`` and ``locations.py``.
"""
