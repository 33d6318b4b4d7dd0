"""Exception ranges: the handlers of an instruction, without those that only restore the handled exception."""

from __future__ import annotations

from ..bytecode import Handler, Instruction
from ..limits.budget import STEP, spend
from ..stack_machine.shapes import only_restores


class ExceptionRanges:
    """The handlers that implement statements of the original."""

    def __init__(self, instructions: list[Instruction]) -> None:
        self.instructions = instructions

    def handler_of(self, ins: Instruction) -> Handler | None:
        """Return the innermost handler around ``ins``."""
        handler = ins.handler
        while handler is not None:
            spend(STEP, "following the order of events")
            if not only_restores(self.instructions, handler.target):
                return handler
            handler = self.instructions[handler.target].handler
        return None

    def outer(self, handler: Handler) -> Handler | None:
        """Return the innermost handler around ``handler``."""
        return self.handler_of(self.instructions[handler.target])

    def encloses(self, handler: Handler | None, inner: Handler | None) -> bool:
        """Whether ``handler`` (or none) is around ``inner``."""
        while inner is not None:
            spend(STEP, "following the order of events")
            inner = self.outer(inner)
            if inner == handler:
                return True
        return False

    def is_left(self, left: Handler | None, entered: Handler | None) -> bool:
        """Whether an instruction with the handler ``entered`` is out of the range of ``left``."""
        if self.encloses(entered, left):
            return True
        beside = entered is not None and self.outer(entered) != left
        return beside and self.encloses(self.outer(entered), left)  # type: ignore[arg-type]
