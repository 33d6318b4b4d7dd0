"""The exits of a pattern: where its tests jump when they fail."""

from __future__ import annotations

from typing import NamedTuple

from ...bytecode import EXITS, Instruction
from ..control_flow_graph import BasicBlock

_MAX_STEPS = 10_000
_MAX_EXIT_LENGTH = 200
"""The most blocks, and the most instructions, that are read to compare two exits."""


class Position(NamedTuple):
    """The position before the instruction with index ``offset`` of a block."""

    block: BasicBlock
    offset: int


class FailureExit(NamedTuple):
    """The target of a failing test, and the number of values that it leaves on the stack."""

    target: Position
    depth: int


def landing(failing: FailureExit, depth: int) -> Position | None:
    """Return where an exit leads after popping all but ``depth`` values; None if it does anything else."""
    block, index = failing.target
    left = failing.depth - depth
    for _ in range(_MAX_STEPS):
        if index == len(block.instructions):
            if block.fall is None:
                return None
            block, index = block.fall, 0
            continue
        op = block.instructions[index].op
        if op == "JUMP":
            assert block.target is not None
            block, index = block.target, 0
            continue
        if left == 0 or op not in ("POP", "NOP"):
            return Position(block, index) if left == 0 else None
        left -= op == "POP"
        index += 1
    return None


def past_jumps(position: Position) -> Position:
    """Return ``position`` after following jumps."""
    return landing(FailureExit(position, 0), 0) or position


def past_nops(position: Position) -> Position:
    """Return ``position`` after following jumps and NOPs."""
    block, index = past_jumps(position)
    while index < len(block.instructions) and block.instructions[index].op == "NOP":
        block, index = past_jumps(Position(block, index + 1))
    return Position(block, index)


def is_same_exit(one: Position, other: Position, with_lines: bool = False) -> bool:
    """Whether two positions are copies of one short exit from the code."""
    ours, theirs = (_exit(position) for position in (one, other))
    return (
        bool(ours)
        and ours[-1].op in EXITS
        and [(i.op, i.arg, i.line if with_lines else 0) for i in ours]
        == [(i.op, i.arg, i.line if with_lines else 0) for i in theirs]
    )


def is_copied(one: Position, other: Position) -> bool:
    """Whether two positions are copies of one short exit, and not of different code on the same line."""
    columns = [[i.position for i in _exit(position)] for position in (one, other)]
    return is_same_exit(one, other, with_lines=True) and columns[0] == columns[1] and None not in columns[0]


def _exit(position: Position) -> list[Instruction]:
    """Return the instructions from ``position`` to a branch or an end, following jumps."""
    block, index = position
    found = block.instructions[index:]
    for _ in range(_MAX_EXIT_LENGTH):
        if len(block.successors) != 1 or len(found) > _MAX_EXIT_LENGTH:
            break
        block = block.successors[0]
        found = [*(i for i in found if i.op != "JUMP"), *block.instructions]
    return found
