"""The evaluation stack before each block, as far as it tells expressions from what statements keep."""

from __future__ import annotations

from typing import Tuple, Union

from ..bytecode import Instruction, stack_use
from .control_flow_graph import BasicBlock, ControlFlowGraph

ITERATOR = "iterator"
ITERATES = frozenset({"FOR_ITER", "ASYNC_FOR_ITER"})
Entries = Tuple[Union[bool, str], ...]
"""For each entry, from the bottom, whether a statement keeps it there (ITERATOR, an exception, ``__exit__``)."""


def entries_at_starts(graph: ControlFlowGraph) -> dict[BasicBlock, Entries]:
    """The stack before each block that control reaches."""
    return {block: entries for block, (entries, _) in stacks_at_starts(graph).items()}


def stacks_at_starts(graph: ControlFlowGraph) -> dict[BasicBlock, tuple[Entries, int | None]]:
    """The same, and the offset of what has put the lowest value there that no statement keeps; None if there is none.

    Parts of one expression that control reaches on several paths have that value in common.
    """
    found: dict[BasicBlock, tuple[Entries, int | None]] = {}
    todo: list[tuple[BasicBlock, Entries, int | None]] = [(graph.entry, (), None)]
    while todo:
        block, entries, lowest = todo.pop()
        if block in found:
            continue
        found[block] = entries, lowest
        if block.handler_block is not None and block.handler is not None:
            kept = entries[: block.handler.depth] + (True,) * (1 + block.handler.lasti)
            todo.append((block.handler_block, kept, None if all(kept) else lowest))
        for instruction in block.instructions[:-1]:
            entries, lowest = _step(instruction, entries, lowest)
        last = block.last
        if block.target is not None and last is not None:
            todo.append((block.target, *_step(last, entries, lowest, jump=True)))
        if block.fall is not None:
            todo.append((block.fall, *(_step(last, entries, lowest) if last is not None else (entries, lowest))))
    return found


def _step(
    instruction: Instruction, entries: Entries, lowest: int | None, *, jump: bool = False
) -> tuple[Entries, int | None]:
    after = entries_after(instruction, entries, jump=jump)
    if all(after):
        return after, None
    taken = stack_use(instruction, jump=jump)[0]
    is_kept = not all(entries) and instruction.op != "SWAP" and len(entries) - taken > entries.index(False)
    return after, lowest if is_kept or instruction.op == "SWAP" else instruction.offset


def entries_after(instruction: Instruction, entries: Entries, *, jump: bool = False) -> Entries:
    """The stack after ``instruction``, on its falling or its jumping edge."""
    op = instruction.op
    if op == "SWAP":
        changed = list(entries)
        if instruction.arg <= len(changed):
            changed[-1], changed[-instruction.arg] = changed[-instruction.arg], changed[-1]
        return tuple(changed)
    pops, pushes = stack_use(instruction, jump=jump)
    below = entries[: max(0, len(entries) - pops)]
    if op in ITERATES and not jump:
        return (*entries[:-1], ITERATOR, False)
    if op in ("BEFORE_WITH", "BEFORE_ASYNC_WITH"):
        return (*below, True, False)
    if op == "PUSH_EXC_INFO":
        return (*below, True)
    return below + (False,) * pushes
