"""Lines of the program, and code objects as text, as plain data: a part of the model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .names import file_name

__all__ = ["Decompiled", "SourceLine"]


@dataclass(frozen=True)
class SourceLine:
    """One line of the user's program: where it is, and its text without indentation."""

    filename: str
    line: int
    text: str = ""
    function: str = ""

    @property
    def place(self) -> str:
        """``toy.py:3``: without folders, which differ between machines."""
        return f"{file_name(self.filename)}:{self.line}"


@dataclass
class Decompiled:
    """A code object as text, and what was shown about that text.

    `level` is the verdict's word: identical, exact, equivalent, unproven or refused. `verdict` is the sentence for
    readers. `source` is empty when refused; `listing` then has the annotated instructions, if any. `constants` are the
    objects that names in the source refer to, as they have no literals.
    """

    source: str = ""
    level: str = "refused"
    verdict: str = ""
    reasons: list[str] = field(default_factory=list)
    assumptions: list[str] = field(default_factory=list)
    folded: int = 0
    listing: str = ""
    constants: dict[str, Any] = field(default_factory=dict, repr=False, compare=False, metadata={"live": True})

    @property
    def proven(self) -> bool:
        """Whether `source` was shown to do what the bytecode does."""
        return self.equal or self.level == "equivalent"

    @property
    def equal(self) -> bool:
        """Whether `source` compiles to equal instructions."""
        return self.level in ("identical", "exact")
