"""The printer: a syntax tree as source text.

Takes: a list of statements of ``syntax/``, and what the text of a version may hold.
Gives: source text, and the original line of each of its lines.
Holds on exit: the text parses, on the version whose syntax it uses, to the tree that was given; the tree is as it was.
Imports ``limits/`` and ``syntax/``.
"""
