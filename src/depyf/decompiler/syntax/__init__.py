"""The syntax tree: nodes, walks over them, and named transforms.

Takes: what other rooms build of statements and expressions.
Gives: the same tree, closer to what an author writes.
Holds on exit: names and fields are those of ``ast``, and a statement keeps the line of the original.
"""
