"""The handlers of operations: each changes the stack and writes statements.

    HANDLERS[operation](machine, argument)

Imports ``bytecode/``, ``syntax/``, ``names/``, ``containers.py``, ``hints.py``, ``machine.py`` and ``state.py``.
"""

from __future__ import annotations

from . import (
    additions,
    calls,
    displays,
    exceptions,
    functions,
    imports,
    iteration,
    names,
    operators,
    stack,
    strings,
    subscripts,
    unpacking,
)
from .registry import HANDLERS

__all__ = [
    "HANDLERS",
    "additions",
    "calls",
    "displays",
    "exceptions",
    "functions",
    "imports",
    "iteration",
    "names",
    "operators",
    "stack",
    "strings",
    "subscripts",
    "unpacking",
]
