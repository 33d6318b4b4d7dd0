"""How much of "exact" the author's own source reaches when ``ast.unparse`` has laid it out anew.

Bytecode depends a little on where lines end, so no text that was made without the author's layout is sure of 100 %.
"""

from __future__ import annotations

import ast
import types
from typing import NamedTuple

from depyf.decompiler.bytecode import load
from depyf.decompiler.proof import prove_all


class Ceiling(NamedTuple):
    """Of one module: its code objects, and those that come back exact at least, and identical; 0 if not measured."""

    codes: int = 0
    exact: int = 0
    identical: int = 0


def ceiling(source: bytes, code: types.CodeType, optimize: int) -> Ceiling:
    """Of the module ``code``, compiled from ``source``; nothing before 3.9, which has no ``ast.unparse``."""
    if not hasattr(ast, "unparse"):
        return Ceiling()
    text = ast.unparse(ast.parse(source))
    again = compile(text, code.co_filename, "exec", dont_inherit=True, optimize=optimize)
    verdicts = [verdict for verdict, _ in prove_all(load(code), load(again)).values()]
    return Ceiling(len(verdicts), sum(one.exact for one in verdicts), sum(one.identical for one in verdicts))
