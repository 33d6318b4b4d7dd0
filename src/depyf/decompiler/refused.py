"""What stands in the place of a body that was refused: a raise with the reason, the instructions as comments."""

from __future__ import annotations

from typing import Sequence

from ..errors import DecompilationError
from .bytecode import Instruction, RawCode, disassemble
from .bytecode.code_flags import CO_ASYNC_GENERATOR, CO_GENERATOR
from .syntax import nodes

_MOST_LINES = 400


def refused_body(raw: RawCode, error: DecompilationError, attributes: Sequence[str] = ()) -> list[nodes.Statement]:
    """A body that raises, and that keeps the code's free variables and its being a generator.

    ``attributes`` are what it must seem to store to ``self``: its class says so.
    """
    message = f"depyf: {raw.qualname}: {error.reason}"
    statement = nodes.Raise(nodes.Call(nodes.Name("NotImplementedError"), [nodes.Constant(message)]))
    statement.comments = [f"depyf could not decompile this: {error.reason}"]
    statement.comments += instruction_lines(raw)
    body: list[nodes.Statement] = [statement]
    body += [nodes.Expr(nodes.Name(name)) for name in raw.freevars if name.isidentifier()]
    if attributes:
        targets: list[nodes.Expression] = [nodes.Attribute(nodes.Name("self"), name) for name in attributes]
        body.append(nodes.Assign(targets, nodes.Constant(None)))
    if raw.flags & (CO_GENERATOR | CO_ASYNC_GENERATOR):
        body.append(nodes.Expr(nodes.Yield()))
    if raw.docstring is not None:
        body.insert(0, nodes.Expr(nodes.Constant(raw.docstring)))
    return body


def instruction_lines(raw: RawCode) -> list[str]:
    """The canonical instructions of ``raw``, a line each, for comments."""
    try:
        instructions = disassemble(raw)
    except DecompilationError as error:
        return [f"no instructions either: {error.reason}"]
    lines = [_line(index, instruction) for index, instruction in enumerate(instructions[:_MOST_LINES])]
    if len(instructions) > _MOST_LINES:
        lines.append(f"... and {len(instructions) - _MOST_LINES} more")
    return lines


def _line(index: int, instruction: Instruction) -> str:
    handler = f"  (raises to {instruction.handler.target})" if instruction.handler else ""
    return ascii(f"{index:4d} {instruction}{handler}")[1:-1]
