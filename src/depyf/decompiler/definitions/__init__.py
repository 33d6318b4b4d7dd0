"""definitions/: structured statements with placeholders -> the finished body of one code object.

Takes what ``structure/`` gives, in which functions, classes and comprehensions are code objects still. Gives statements
with definitions in their places, and what the kind of the code adds or hides: docstrings, declarations, annotations,
type parameters, class prologues, asserts that pytest has rewritten. Nested code is asked for by a function that the
driver gives.
Imports ``bytecode/``, ``syntax/``, ``proof/``, ``names/`` and ``lift/``.
"""
