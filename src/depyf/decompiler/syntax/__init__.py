"""The syntax tree: nodes, named transforms, and the printer.

Takes: a list of statements that the structure room has built.
Gives: source text, and the original line of each of its lines.
Holds on exit: the text parses, on the version whose syntax it uses, to the tree that was given.
Imports ``limits/``.
"""
