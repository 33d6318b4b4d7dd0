"""Escapes for text of the input: names, file names, whatever else may hold controls."""

from __future__ import annotations

__all__ = ["INVISIBLE", "printable"]

INVISIBLE = frozenset(
    map(chr, (0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x3164, *range(0xFE00, 0xFE10), 0xFFA0,
              *range(0xE0100, 0xE01F0)))
)  # fmt: skip
"""Letters and marks without a shape, which count as printable: Default_Ignorable_Code_Point in Unicode's
DerivedCoreProperties.txt."""


def printable(text: str) -> str:
    """``text`` with escapes for what is not printable or has no shape, newlines too: always one line."""
    if text.isascii() and text.isprintable():
        return text
    shown = (char if char.isprintable() and char not in INVISIBLE else ascii(char)[1:-1] for char in text)
    return "".join(shown)
