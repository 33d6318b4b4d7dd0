"""definitions/: structured statements with placeholders -> the finished body of one code object.

Takes the output of ``structure/``, in which functions, classes and comprehensions are still code objects. Gives
statements with the definitions inserted, and with what the kind of the code adds or hides: docstrings, declarations,
annotations, type parameters, class prologues, asserts rewritten by pytest. The driver passes a function that
decompiles nested code.
Imports ``bytecode/``, ``syntax/``, ``printing/``, ``proof/``, ``names/`` and ``lift/``.
"""
