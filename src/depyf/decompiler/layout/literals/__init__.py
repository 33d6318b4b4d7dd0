"""A literal and the room that it had -> a spelling of the same value that fits: numbers, strings, f-strings.

Imports ``matching/`` and ``proof/``.
"""
