"""One function per canonical operation: how it changes the symbolic stack.

Imports ``bytecode/``, ``syntax/``, ``columns.py``, ``symbolic_stack.py`` and ``values.py``.
"""

from __future__ import annotations

from . import (
    calls,
    displays,
    exceptions,
    formatted_strings,
    functions,
    imports,
    match_statements,
    names,
    operators,
    type_parameters,
)
from .registry import HANDLERS

__all__ = [
    "HANDLERS",
    "calls",
    "displays",
    "exceptions",
    "formatted_strings",
    "functions",
    "imports",
    "match_statements",
    "names",
    "operators",
    "type_parameters",
]
