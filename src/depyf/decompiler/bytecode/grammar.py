"""Facts about the syntax of a version that leave the printer a choice."""

from __future__ import annotations

from .interpreters import Version


def has_nested_quotes(version: Version) -> bool:
    """Whether expressions in an f-string may contain its quotes and backslashes (PEP 701)."""
    return version >= (3, 12)


def cleans_docstrings(version: Version) -> bool:
    """Whether the compiler removes the indentation of docstrings (gh-81283)."""
    return version >= (3, 13)
