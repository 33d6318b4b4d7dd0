"""live/: live objects -> their code, and what only the object knows.

Takes a function, method, class, generator or anything that wraps one. Gives the code object to decompile, and puts
default values, decorators of methods and members of classes into the result.
Imports ``bytecode/``, ``syntax/``, ``proof/``, ``names/``, ``definitions/`` and ``driver/``.
"""
