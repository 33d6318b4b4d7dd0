"""Cuts blocks behind the end of an exception handler.

From 3.12 on the code behind a try statement may stand right behind POP_EXCEPT, without a jump, where only the handler
goes on to it. It is no part of the handler.
"""

from __future__ import annotations

from ..bytecode import Instruction
from .control_flow_graph import BasicBlock, ControlFlowGraph

_LEAVES = frozenset({"JUMP", "RETURN_VALUE", "SWAP", "POP", "POP_EXCEPT", "RERAISE"})
"""What may follow in the handler's own way out, besides the return of a constant."""


def separate_handler_ends(graph: ControlFlowGraph) -> None:
    """Let code that follows the end of a handler begin a block of its own."""
    for block in list(graph.blocks):
        position = _end(block)
        if position is not None:
            graph.split(block, position)


def _end(block: BasicBlock) -> int | None:
    instructions = block.instructions
    position = next((index for index, i in enumerate(instructions) if i.op == "POP_EXCEPT"), None)
    if position is None:
        return None
    position += 1
    while position < len(instructions) and instructions[position].op == "NOP":
        position += 1
    if _unbinds(instructions[position : position + 3]):
        position += 3
    rest = [i.op for i in instructions[position:] if i.op != "NOP"]
    if not rest or rest[0] in _LEAVES or rest == ["CONST", "RETURN_VALUE"]:
        return None
    return position


def _unbinds(steps: list[Instruction]) -> bool:
    """Whether these unbind the name of ``except ... as name``."""
    if len(steps) < 3 or steps[0].op != "CONST" or steps[0].arg is not None:
        return False
    return steps[2].op == steps[1].op.replace("STORE_", "DELETE_") != steps[1].op and steps[1].arg == steps[2].arg
