"""What code is between its stages, as text."""

from __future__ import annotations

from typing import Callable, Sequence

from ..bytecode import Instruction
from ..lift import LiftedBlock
from ..syntax import nodes


def listing(instructions: list[Instruction], mark: Callable[[Instruction], str] = lambda i: "") -> str:
    """Instructions as text, a line each."""
    lines = []
    for index, instruction in enumerate(instructions):
        handler = f"   raises to {instruction.handler.target}" if instruction.handler else ""
        lines.append(f"{index:5d}  line {instruction.line or '-':>5}  {instruction}{handler}{mark(instruction)}")
    return "\n".join(lines)


def blocks_as_text(blocks: list[LiftedBlock]) -> str:
    """Lifted blocks with their statements and where control goes."""
    lines = []
    for block in blocks:
        ways = " ".join(f"-> {successor.index}" for successor in block.successors)
        lines.append(f"block {block.index} [{block.region or ''}] {block.kind} {block.test!r} {ways}")
        lines += [f"    {statement!r}" for statement in block.statements]
    return "\n".join(lines)


def statements_as_text(body: Sequence[nodes.Statement]) -> str:
    """Statements as trees, a line each."""
    return "\n".join(map(repr, body))
