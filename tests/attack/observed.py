"""Compiling syntax trees, and saying how two logs differ."""

from __future__ import annotations

import ast
import types
import warnings
from typing import Any, Optional


def compiled(tree: ast.Module) -> Optional[types.CodeType]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            code: types.CodeType = compile(tree, "<attack>", "exec", dont_inherit=True, optimize=0)
            return code
    except (SyntaxError, ValueError, TypeError, RecursionError):
        return None


def first_difference(left: Any, right: Any) -> str:
    for number, (one, other) in enumerate(zip(left, right)):
        if one != other:
            return f"entry {number} of the log is {_short(one)}, of the mutant's {_short(other)}"
    return f"the logs have {len(left)} and {len(right)} entries"


def _short(thing: Any) -> str:
    text = repr(thing)
    return text if len(text) < 300 else text[:300] + "..."
