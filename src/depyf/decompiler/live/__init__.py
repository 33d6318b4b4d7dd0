"""live/: live objects -> their code, and what only the object has.

Takes a function, method, class, generator or anything that wraps one. Gives the code object to decompile, and adds
default values, decorators of methods and members of classes to the result.
Imports ``bytecode/``, ``syntax/``, ``printing/``, ``proof/``, ``names/``, ``definitions/`` and ``driver/``.
"""
