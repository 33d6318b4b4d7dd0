"""The user's lines in Dynamo's code: those of the instructions that Dynamo copied from the function.

At a graph break Dynamo copies the instruction that it can't trace, with its position (`Instruction.copy_positions` in
bytecode_transformation.py). All other instructions are its own: they have no columns, and the line of the instruction
before them, or of the ``def``.
"""

from __future__ import annotations

import ast
from types import CodeType
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Sequence

if TYPE_CHECKING:
    from ...decompiler.bytecode import Instruction, RawCode

__all__ = ["copied_apart", "with_lines"]

_APART = 1 << 32
"""Added to the lines of copied instructions: no file has so many."""

_PARTS = ("body", "handlers", "orelse", "finalbody")
_HEADERS = (ast.If, ast.With)
_WORK = (ast.Call, ast.Compare, ast.BinOp, ast.UnaryOp, ast.AugAssign, ast.Subscript, ast.Attribute)


def copied_apart(code: CodeType, original: CodeType) -> RawCode | CodeType:
    """`code` for the decompiler, with lines that tell what Dynamo copied from `original` from what it made.

    Gives `code` itself if one of them can't be read.
    """
    from ...decompiler.bytecode import disassemble, known_instructions, load
    from ...decompiler.bytecode.disassemble import give_instructions
    from ...errors import DecompilationError

    try:
        raw = load(code)
        instructions = disassemble(raw)
        theirs = {_place(one) for one in known_instructions(load(original))}
    except DecompilationError:
        return code
    before: int | None = raw.firstlineno
    for one in instructions:
        begins = one.line != before
        before = one.line = before if one.line is None else one.line
        if one.line is not None and (begins or _has_columns(one)) and _place(one) in theirs:
            one.line += _APART
    give_instructions(raw, instructions)
    return raw


def _first_lines(body: Sequence[ast.AST]) -> Iterator[int]:
    """The first lines of the statements that a copied instruction may be in, from the top.

    The decompiler writes others with the same line, which only move a value or delete a variable.
    """
    for statement in body:
        parts = [part for field in _PARTS for part in getattr(statement, field, ())]
        if isinstance(statement, _HEADERS) or not parts and any(isinstance(one, _WORK) for one in ast.walk(statement)):
            yield statement.lineno  # type: ignore[attr-defined]
        yield from _first_lines(parts)


def _has_columns(instruction: Instruction) -> bool:
    return instruction.position is not None and instruction.position[2] is not None


def _place(instruction: Instruction) -> tuple[Any, ...]:
    """What a copy and its original have in common: up to 3.10 there are only lines."""
    if _has_columns(instruction):
        return (instruction.position,)
    return instruction.op, instruction.line


def with_lines(text: str, line_map: Mapping[int, int], file: str) -> str:
    """`text` with ``# FILE:LINE`` after statements that Dynamo copied, where the line is not that of the last one.

    `line_map` is the one of a result for `copied_apart`. Lines keep their numbers.
    """
    lines = {number: line - _APART for number, line in line_map.items() if line > _APART}
    if not lines:
        return text
    try:
        tree = ast.parse(text)
        found = text.split("\n")
        last = None
        for number in _first_lines(tree.body):
            line = lines.get(number)
            if line is not None and line != last:
                found[number - 1] += f"  # {file}:{line}"
                last = line
        changed = "\n".join(found)
        return changed if ast.dump(ast.parse(changed)) == ast.dump(tree) else text
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return text
