"""What code is between its stages, as text."""

from __future__ import annotations

from typing import Callable, Sequence

from ..bytecode import Instruction, RawCode
from ..lift import LiftedBlock
from ..lift.values import Marker
from ..surface_forms.choices import choices
from ..syntax import nodes


def listing(instructions: list[Instruction], mark: Callable[[Instruction], str] = lambda i: "") -> str:
    """Instructions as text, a line each."""
    lines = []
    for index, instruction in enumerate(instructions):
        handler = f"   raises to {instruction.handler.target}" if instruction.handler else ""
        lines.append(f"{index:5d}  line {instruction.line or '-':>5}  {instruction}{handler}{mark(instruction)}")
    return "\n".join(lines)


def blocks_as_text(blocks: list[LiftedBlock]) -> str:
    """Lifted blocks: terminators and successors; in parentheses the evidence of the source; statements, and the values
    left on the stack.
    """
    lines = []
    for block in blocks:
        test = f" {block.test!r}" if block.test is not None else ""
        successors = "".join(f" -> {successor.index}" for successor in block.successors)
        evidence = f"   ({block.evidence.as_text()})" if block.evidence.as_text() else ""
        lines.append(f"block {block.index} [{block.region or ''}] {block.kind}{test}{successors}{evidence}")
        lines += [f"    {statement!r}" for statement in block.statements]
        left = [repr(value) for value in block.exit if not isinstance(value, Marker)]
        if left:
            lines.append(f"    leaves {', '.join(left)}")
    return "\n".join(lines)


def statements_as_text(body: Sequence[nodes.Statement]) -> str:
    """Statements as trees, one per line."""
    return "\n".join(map(repr, body))


def finished_as_text(tree: nodes.Node, body: list[nodes.Statement] | None, raw: RawCode) -> str:
    """A finished tree, and the statements of ``body`` whose form no evidence has decided, with the other forms."""
    undecided = [f"open: line {one.line or '-'}: {', '.join(one.kinds)}" for one in choices(body or [], raw)]
    return "\n".join([repr(tree), *undecided])
