"""The exceptions that depyf raises."""

from __future__ import annotations


class DepyfError(Exception):
    """Base of every exception that depyf raises on purpose."""


class DecompilationError(DepyfError):
    """A code object has no source that depyf could find and prove.

    ``reason`` says why, ``stage`` names the room that gave up, ``where`` the code and place (qualified name, offset
    or line), ``instructions`` holds the annotated instructions ('' if there are none to show).
    """

    def __init__(self, reason: str, *, stage: str = "", where: str = "", instructions: str = "") -> None:
        self.reason = reason
        self.stage = stage
        self.where = where
        self.instructions = instructions
        super().__init__(reason)

    def __str__(self) -> str:
        place = f" in {self.where}" if self.where else ""
        stage = f" [{self.stage}]" if self.stage else ""
        return f"cannot decompile{place}{stage}: {self.reason}"
