"""Splits blocks after the end of an exception handler, and after a ``break``.

Since 3.12 the code after a try statement may follow POP_EXCEPT without a jump, if only the handler reaches it. It is
not part of the handler. Likewise the code after a ``for`` follows the POP of the iterator if only the loop's ``break``
reaches it; it is not part of the loop.
"""

from __future__ import annotations

from ..bytecode import Instruction, stack_use, unbound_name
from .control_flow_graph import BasicBlock, ControlFlowGraph
from .stack_entries import ITERATES, ITERATOR, Entries, entries_after, entries_at_starts

_LEAVES = frozenset({"JUMP", "RETURN_VALUE", "SWAP", "POP", "POP_EXCEPT", "RERAISE"})
"""Operations that may follow in the handler's own exit, besides the return of a constant."""


def separate_handler_ends(graph: ControlFlowGraph) -> None:
    """Split blocks so that the code after a handler begins a block."""
    for block in list(graph.blocks):
        position = _end(block)
        if position is not None:
            graph.split(block, position)


def separate_breaks(graph: ControlFlowGraph) -> None:
    """Split blocks so that the code after a ``for`` loop or a with statement begins a block."""
    keeps = not _KEEPS.isdisjoint([i.op for block in graph.blocks for i in block.instructions])
    found = [block for block in graph.blocks if _may_leave(block.instructions)] if keeps else []
    if not found:
        return
    starts = entries_at_starts(graph)
    for block in found:
        entries = starts.get(block)
        if entries is None:
            continue
        leaves = False  # whether an exit function was called, and no statement has followed
        for position, instruction in enumerate(block.instructions[:-1]):
            if instruction.op == "POP" and (entries[-1:] == (ITERATOR,) or leaves):
                rest = block.instructions[position + 1 :]
                if leaves:
                    ends = _only_leaves(rest) or _leaves_outer_with(rest)
                else:
                    ends = _only_leaves(rest) and not _propagates(rest)
                if not ends:
                    graph.split(block, position + 1)
                    break
                if not leaves:
                    break
            after = entries_after(instruction, entries)
            leaves = leaves and instruction.op != "POP" or _calls_exit(instruction, entries)
            entries = after


_KEEPS = ITERATES | {"BEFORE_WITH", "BEFORE_ASYNC_WITH"}


def _may_leave(instructions: list[Instruction]) -> bool:
    """Whether a POP drops a value that the instruction before it did not push, or the result of an exit function."""
    for position, instruction in enumerate(instructions):
        if instruction.op == "POP":
            before = instructions[position - 1] if position else None
            if before is None or before.op == "YIELD_FROM" or not stack_use(before)[1]:
                return True
            if before.op in _CALLS and (position < 2 or instructions[position - 2].arg is None):
                return True
    return False


_CALLS = ("CALL", "CALL_FUNCTION")


def _calls_exit(call: Instruction, entries: Entries) -> bool:
    if call.op not in _CALLS:
        return False
    return any(entry is True for entry in entries[-stack_use(call)[0] :])


def _leaves_outer_with(instructions: list[Instruction]) -> bool:
    """Whether the exit function of the enclosing with statement is called next."""
    return [i.arg for i in instructions[:3] if i.op == "CONST"] == [None] * 3


def _only_leaves(instructions: list[Instruction]) -> bool:
    rest = [i.op for i in instructions if i.op != "NOP"]
    return not rest or rest[0] in _LEAVES or rest == ["CONST", "RETURN_VALUE"]


def _propagates(instructions: list[Instruction]) -> bool:
    """Whether an exception propagates, which no statement does: the loop was left by ``break``."""
    return [i.op for i in instructions if i.op != "NOP"] == ["RERAISE"]


def _end(block: BasicBlock) -> int | None:
    instructions = block.instructions
    operations = [i.op for i in instructions]
    if "POP_EXCEPT" not in operations:
        return None
    position = operations.index("POP_EXCEPT") + 1
    while position < len(instructions) and instructions[position].op == "NOP":
        position += 1
    if unbound_name(instructions[position : position + 3]) is not None:
        position += 3
    rest = instructions[position:]
    if rest and rest[0].op == "RERAISE" and instructions[0].op != "COPY":
        return position  # of an outer exception: the end of a `finally` body
    return None if _only_leaves(rest) else position
