"""Joins the copies of short ways out of the code.

Where code jumps to a few instructions that end in a return or raise, the compiler writes a copy of them instead of
the jump. From 3.12 on the code behind a try statement so comes to stand in its handlers as well. A copy has the source
positions of the original, which tells it from code that was written twice.
"""

from __future__ import annotations

from typing import Any, Hashable

from ..bytecode import Instruction, RawCode, stack_use
from .control_flow_graph import BasicBlock, ControlFlowGraph

LONGEST = 16
"""The compiler copies four instructions at most; canonical ones may be more."""
_READ_BELOW = frozenset({"COPY", "SWAP", "IMPORT_FROM", "RERAISE"})


def join_exit_copies(graph: ControlFlowGraph) -> None:
    """Let every copy jump to the original instead: to the last one that control reaches without an exception."""
    groups: dict[Hashable, list[tuple[BasicBlock, int]]] = {}
    for block in graph.blocks:
        for position in _starts(block):
            groups.setdefault(_key(block, position), []).append((block, position))
    usual = _reached_without_exceptions(graph)
    joined: set[BasicBlock] = set()
    for _, members in sorted(groups.items(), key=lambda item: item[1][0][1] - len(item[1][0][0].instructions)):
        members = [member for member in members if member[0] not in joined]
        if len(members) < 2:
            continue
        block, position = original = max(members, key=lambda member: (member[0] in usual, member[0].start))
        joined.update(member[0] for member in members)
        target = graph.split(block, position)
        for copy, start in members:
            if (copy, start) != original:
                first = copy.instructions[start]
                jump = Instruction("JUMP", None, target.start, first.handler, first.offset, first.line, first.position)
                copy.instructions[start:] = [jump]
                copy.fall, copy.target = None, target
    if joined:
        graph.remove_unreachable()


def _starts(block: BasicBlock) -> list[int]:
    """Where in ``block`` a way out may begin: places from which on nothing is used that lies on the stack."""
    instructions = block.instructions
    if not instructions or instructions[-1].op not in ("RETURN_VALUE", "RAISE_VARARGS"):
        return []
    starts = []
    needed = 0
    for position in range(len(instructions) - 1, max(-1, len(instructions) - 1 - LONGEST), -1):
        instruction = instructions[position]
        if instruction.op in _READ_BELOW:
            break
        pops, pushes = stack_use(instruction)
        needed = max(0, needed - pushes) + pops
        inside = position and instructions[position - 1].position == instruction.position  # of a statement
        if not needed and not inside and instruction.op != "NOP" and instruction.line is not None:
            starts.append(position)
    if len(instructions) > 1 and instructions[-2].op == "CONST" and instructions[-1].op == "RETURN_VALUE":
        starts = [start for start in starts if start != len(instructions) - 2]  # may stand anywhere as it is
    return starts


def _key(block: BasicBlock, position: int) -> Hashable:
    steps = [(i.op, _operand(i.arg), i.position) for i in block.instructions[position:] if i.op != "NOP"]
    return (block.region, block.handler_block, tuple(steps))


def _operand(value: Any) -> Hashable:
    if isinstance(value, RawCode):
        return value.code if value.code is not None else id(value)
    return (type(value), repr(value))


def _reached_without_exceptions(graph: ControlFlowGraph) -> set[BasicBlock]:
    seen = {graph.entry}
    todo = [graph.entry]
    while todo:
        for successor in todo.pop().successors:
            if successor not in seen:
                seen.add(successor)
                todo.append(successor)
    return seen
