"""The table of handlers, filled by the modules of this room."""

from __future__ import annotations

from typing import Any, Callable

from ...bytecode import Instruction
from ...syntax import nodes
from ..symbolic_stack import SymbolicStack
from ..values import Cell, CommonConstant, Saved

Handle = Callable[[SymbolicStack, Instruction], None]

HANDLERS: dict[str, Any] = {
    **dict.fromkeys(("LOAD_FAST", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_GLOBAL", "LOAD_NAME"), nodes.Name),
    "CONST": nodes.Constant, "LOAD_CLOSURE": Cell, "LOAD_COMMON_CONSTANT": CommonConstant, "LOAD_FAST_AND_CLEAR": Saved,
}  # fmt: skip
"""The Handle of each operation, or the class of the node that is made of its operand and pushed."""


def handles(*operations: str) -> Callable[[Handle], Handle]:
    """Register a function for canonical operations."""

    def register(function: Handle) -> Handle:
        for operation in operations:
            HANDLERS[operation] = function
        return function

    return register
