"""What only positions reveal, once the tree has its statements: else clauses, and statements that do nothing.

``else_clauses.py`` and ``idle_statements.py`` need columns for most of what they do; ``else_lines.py`` and
``idle_lines.py`` read the lines of versions without columns.
Imports ``limits/``, ``bytecode/``, ``lift/``, ``syntax/``, ``context.py`` and ``rules.py``.
"""

from __future__ import annotations

from .else_clauses import RULES as ELSE_CLAUSES
from .else_clauses import write_else_clauses
from .else_lines import write_else_lines
from .idle_lines import write_idle_lines
from .idle_statements import RULES as IDLE
from .idle_statements import write_idle_statements

__all__ = [
    "ELSE_CLAUSES",
    "IDLE",
    "write_else_clauses",
    "write_else_lines",
    "write_idle_lines",
    "write_idle_statements",
]
