"""Opcode tables, one module per CPython version; the only package that knows raw opcodes.

A table maps opcode numbers to rows ``(raw name, rule, operation, caches)``. The rule (one of those in rules.py) decodes
the raw argument, the operation is the canonical one that it becomes. Each module holds the differences from the
previous version. docs/new-python-version.md describes how to add one.
"""

from __future__ import annotations

from . import py37, py38, py39, py310, py311, py312, py313, py314, py315
from .table import OpcodeTable

TABLES: dict[tuple[int, int], OpcodeTable] = {
    module.TABLE.version: module.TABLE
    for module in (py37, py38, py39, py310, py311, py312, py313, py314, py315)
}

OLDEST_HOST = (3, 8)
HOSTS: list[tuple[int, int]] = [version for version in TABLES if version >= OLDEST_HOST]
"""The versions that depyf runs on; on each it reads code of all versions in TABLES."""


def supported_versions() -> str:
    """The versions that have a table, for messages."""
    return ", ".join(f"{major}.{minor}" for major, minor in sorted(TABLES))
