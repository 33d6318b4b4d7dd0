"""The table of handlers, filled by the modules of this room."""

from __future__ import annotations

from typing import Callable

from ...bytecode import Instruction
from ..symbolic_stack import SymbolicStack

Handle = Callable[[SymbolicStack, Instruction], None]

HANDLERS: dict[str, Handle] = {}


def handles(*operations: str) -> Callable[[Handle], Handle]:
    """Register a function for canonical operations."""

    def register(function: Handle) -> Handle:
        for operation in operations:
            HANDLERS[operation] = function
        return function

    return register
