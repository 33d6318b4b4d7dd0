"""Indenting text, kept for callers of earlier releases."""

from __future__ import annotations

__all__ = ["add_indentation", "remove_indentation"]


def add_indentation(code: str, indentation: int = 4) -> str:
    """`code` with every line moved right, each ended by a newline."""
    return "".join(" " * indentation + line + "\n" for line in code.splitlines())


def remove_indentation(code: str, indentation: int = 4) -> str:
    """`code` with every line's first characters, as many as `indentation` says, taken off."""
    return "".join(line[indentation:] + "\n" for line in code.splitlines())
