"""The evaluation stack before each block, as far as needed to distinguish operands from entries of statements."""

from __future__ import annotations

from typing import Tuple, Union

from ..bytecode import LOADS, Instruction, stack_use
from .control_flow_graph import BasicBlock, ControlFlowGraph

ITERATOR = "iterator"
ITERATES = frozenset({"FOR_ITER", "ASYNC_FOR_ITER"})
Entries = Tuple[Union[bool, str], ...]
"""For each entry, from the bottom, whether a statement keeps it there (ITERATOR, an exception, ``__exit__``)."""


def entries_at_starts(graph: ControlFlowGraph) -> dict[BasicBlock, Entries]:
    """Return the stack before each reachable block."""
    found: dict[BasicBlock, Entries] = {}
    todo: list[tuple[BasicBlock, Entries]] = [(graph.entry, ())]
    while todo:
        block, entries = todo.pop()
        if block in found:
            continue
        found[block] = entries
        if block.handler_block is not None and block.handler is not None:
            kept = entries[: block.handler.depth]
            todo.append((block.handler_block, kept + (True,) * (1 + block.handler.lasti)))
        for instruction in block.instructions[:-1]:
            op = instruction.op
            entries = (*entries, False) if op in LOADS else entries_after(instruction, entries)
        last = block.last
        if block.target is not None and last is not None:
            todo.append((block.target, entries_after(last, entries, jump=True)))
        if block.fall is not None:
            todo.append((block.fall, entries_after(last, entries) if last is not None else entries))
    return found


def entries_after(instruction: Instruction, entries: Entries, *, jump: bool = False) -> Entries:
    """Return the stack after ``instruction``, on its fall-through edge or, if ``jump``, its jump edge."""
    op = instruction.op
    if op == "SWAP":
        changed = list(entries)
        if instruction.arg <= len(changed):
            changed[-1], changed[-instruction.arg] = changed[-instruction.arg], changed[-1]
        return tuple(changed)
    pops, pushes = stack_use(instruction, jump=jump)
    below = entries[:-pops] if pops else entries
    if op in ITERATES and not jump:
        return (*entries[:-1], ITERATOR, False)
    if op in ("BEFORE_WITH", "BEFORE_ASYNC_WITH"):
        return (*below, True, False)
    if op == "PUSH_EXC_INFO":
        return (*below, True)
    return below + (False,) * pushes
