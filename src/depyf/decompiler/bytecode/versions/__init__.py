"""Opcode tables, one module per CPython version; the only place that knows raw opcodes.

A table maps opcode numbers to rows ``(raw name, rule, operation)``. The rule names how the raw argument is decoded
(decode.py has one function per rule), the operation is the canonical one it becomes.
"""

from __future__ import annotations

from .py311 import TABLE as _PY311
from .table import OpcodeTable

TABLES: dict[tuple[int, int], OpcodeTable] = {(3, 11): _PY311}


def supported_versions() -> str:
    """The versions that have a table, for messages."""
    return ", ".join(f"{major}.{minor}" for major, minor in sorted(TABLES))
