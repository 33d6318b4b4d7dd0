"""Cuts blocks behind the end of an exception handler, and behind a ``break``.

From 3.12 on the code behind a try statement may stand right behind POP_EXCEPT, without a jump, where only the handler
goes on to it. It is no part of the handler. Likewise the code behind a ``for``, where only its ``break`` leads to it,
stands right behind the POP of the iterator; it is no part of the loop.
"""

from __future__ import annotations

from ..bytecode import Instruction, unbound_name
from .control_flow_graph import BasicBlock, ControlFlowGraph
from .stack_entries import ITERATES, ITERATOR, entries_after, entries_at_starts

_LEAVES = frozenset({"JUMP", "RETURN_VALUE", "SWAP", "POP", "POP_EXCEPT", "RERAISE"})
"""What may follow in the handler's own way out, besides the return of a constant."""


def separate_handler_ends(graph: ControlFlowGraph) -> None:
    """Let code that follows the end of a handler begin a block of its own."""
    for block in list(graph.blocks):
        position = _end(block)
        if position is not None:
            graph.split(block, position)


def separate_breaks(graph: ControlFlowGraph) -> None:
    """Let code that follows the end of a ``for`` loop begin a block of its own."""
    if not any(block.instructions and block.instructions[-1].op in ITERATES for block in graph.blocks):
        return
    for block, entries in list(entries_at_starts(graph).items()):
        for position, instruction in enumerate(block.instructions[:-1]):
            if instruction.op == "POP" and entries[-1:] == (ITERATOR,):
                if not _only_leaves(block.instructions[position + 1 :]):
                    graph.split(block, position + 1)
                break
            entries = entries_after(instruction, entries)


def _only_leaves(instructions: list[Instruction]) -> bool:
    rest = [i.op for i in instructions if i.op != "NOP"]
    return not rest or rest[0] in _LEAVES or rest == ["CONST", "RETURN_VALUE"]


def _end(block: BasicBlock) -> int | None:
    instructions = block.instructions
    position = next((index for index, i in enumerate(instructions) if i.op == "POP_EXCEPT"), None)
    if position is None:
        return None
    position += 1
    while position < len(instructions) and instructions[position].op == "NOP":
        position += 1
    if unbound_name(instructions[position : position + 3]) is not None:
        position += 3
    rest = instructions[position:]
    if rest and rest[0].op == "RERAISE" and instructions[0].op != "COPY":
        return position  # of an exception around: the end of a `finally` body
    return None if _only_leaves(rest) else position
