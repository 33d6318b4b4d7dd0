"""Moves the POP of a value that a ``finally`` body discards to where the value is computed.

``try: return a()`` keeps the value of ``a()`` on the stack while the copy of the ``finally`` body runs. If that body
leaves by ``return``, ``break`` or ``continue`` of its own, it pops the value, which no statement expresses. Directly
after the call the POP is the end of an expression statement.
"""

from __future__ import annotations

from collections import Counter

from ..bytecode import Instruction, stack_use
from .control_flow_graph import BasicBlock, ControlFlowGraph

_MAX_BLOCKS = 200
_LEAVES = frozenset({"RETURN_VALUE", "RAISE_VARARGS", "RERAISE"})


def drop_abandoned_values(graph: ControlFlowGraph) -> None:
    """Move the POPs of values that leave a ``try`` statement only to be popped after it."""
    protected = [block for block in graph.blocks if block.handler is not None]
    sources = Counter([successor for block in graph.blocks for successor in block.successors]) if protected else {}
    for block in protected:
        if len(block.successors) != 1:
            continue
        (following,) = block.successors
        computing = [i for i in block.instructions if i.op not in ("NOP", "JUMP")]
        if following.handler == block.handler or sources[following] != 1 or not computing:
            continue
        last = computing[-1]
        pops = _pops(following) if stack_use(last)[1] == 1 else []
        if pops:
            for instruction in pops:
                instruction.op, instruction.arg = "NOP", None
            pop = Instruction("POP", handler=last.handler, offset=last.offset, line=last.line)
            block.instructions.insert(block.instructions.index(last) + 1, pop)


def _pops(start: BasicBlock) -> list[Instruction]:
    """Return the instructions that pop the value on top of the stack at ``start``; empty if any path uses it."""
    found: list[Instruction] = []
    above = {start: 0}
    todo = [start]
    while todo:
        block = todo.pop()
        count = above[block]
        if not block.instructions or block.handler != start.handler or len(above) > _MAX_BLOCKS:
            return []
        for position, instruction in enumerate(block.instructions):
            op = instruction.op
            pops, pushes = stack_use(instruction)
            if op == "POP" and count == 0:
                found.append(instruction)
                break
            if op == "SWAP" and instruction.arg == 2 and count == 1:
                following = block.instructions[position + 1 : position + 2]
                if [i.op for i in following] != ["POP"]:
                    return []
                found += [instruction, *following]
                break
            if pops > count or op in _LEAVES or op in ("SWAP", "COPY") and instruction.arg > count:
                return []
            edges = [(block.fall, count + pushes - pops)] if instruction is block.last else []
            if edges and block.target is not None:
                pops_there, pushes_there = stack_use(instruction, jump=True)
                edges.append((block.target, count + pushes_there - pops_there))
            for successor, left in edges:
                if successor is not None:
                    if left < 0 or above.get(successor, left) != left:
                        return []
                    if successor not in above:
                        todo.append(successor)
                    above[successor] = left
            count += pushes - pops
    return found
