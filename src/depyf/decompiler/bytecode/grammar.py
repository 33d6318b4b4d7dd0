"""What the text of a version may hold that older versions can't read, where the printer has a choice."""

from __future__ import annotations

from .interpreters import Version


def has_nested_quotes(version: Version) -> bool:
    """Whether expressions in an f-string may hold its own quotes and backslashes (PEP 701)."""
    return version >= (3, 12)


def cleans_docstrings(version: Version) -> bool:
    """Whether the compiler takes the indentation of docstrings away (gh-81283)."""
    return version >= (3, 13)
