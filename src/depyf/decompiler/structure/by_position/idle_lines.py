"""Statements that do nothing, where their NOPs have lines but no columns (CPython 3.10).

The line shows between which statements one is, the jumps to and past the NOP in which body. All are written ``pass``.
"""

from __future__ import annotations

from typing import Iterator, Sequence

from ...bytecode import Instruction
from ...bytecode.instruction import jump_sources
from ...syntax import nodes
from ...syntax.transforms.redundant_return import returns_none
from ..context import leaves
from .idle_statements import ENDS_STATEMENT, OF_IMPLICIT_RETURN, is_copied

_STAYS = ("JUMP", "RETURN_VALUE", "RAISE", "RERAISE")
"""How operations begin from which control does not fall through."""


def write_idle_lines(body: list[nodes.Statement], instructions: Sequence[Instruction]) -> bool:
    """Insert a ``pass`` for each NOP that is alone on its line; return whether there were any."""
    if not [one for one in instructions if one.op == "NOP" and (one.position is None or one.position[2] is None)]:
        return False
    changed = False
    others = [(at, one) for at, one in enumerate(instructions) if one.op != "NOP"]
    shared = {one.line for at, one in others if one.op not in OF_IMPLICIT_RETURN or not is_copied(instructions, at)}
    shared.update(one.line for one in nodes.statements_in_order(body) if not returns_none(one))  # that may be implicit
    sources = jump_sources(instructions)
    for number, nop in enumerate(instructions):
        if nop.op != "NOP" or not _is_of_statement(instructions, number, sources) or nop.line in shared:
            continue
        shared.add(nop.line)
        place = _place(body, instructions, number, sources)
        if place is not None:
            inner, at = place
            inner.insert(at, nodes.Pass(line=nop.line))
            changed = True
    return changed


def _next(instructions: Sequence[Instruction], number: int) -> int | None:
    """Return the next instruction that is no NOP, or that of a ``try``."""
    rest = range(number + 1, len(instructions))
    return next((at for at in rest if instructions[at].op != "NOP" or _is_try(instructions, at)), None)


def _is_try(instructions: Sequence[Instruction], number: int) -> bool:
    """Whether this is the last NOP before the body of a try statement."""
    handler, following = instructions[number].handler, instructions[number + 1 : number + 2]
    if handler is None or instructions[number].op != "NOP" or not following or following[0].op == "NOP":
        return False
    before = number
    while before and instructions[before].op == "NOP":
        before -= 1
    return not before or instructions[before].handler != handler


def _is_of_statement(instructions: Sequence[Instruction], number: int, sources: dict[int, list[int]]) -> bool:
    """Whether this NOP has a line but no columns, and is neither that of ``while True`` or ``try`` nor that of a
    constant that is part of a folded one.
    """
    nop, before = instructions[number], instructions[number - 1] if number else None
    if nop.line is None or nop.position is not None and nop.position[2] is not None:
        return False
    if before is not None and before.target < 0 and not before.op.startswith(ENDS_STATEMENT):
        return False
    after = _next(instructions, number)
    if after is None:
        return True
    following = instructions[after]
    is_of_constant = following.op == "CONST" and (following.line is None or following.line <= nop.line)
    if is_of_constant and not is_copied(instructions, after) or _is_try(instructions, number):
        return False
    return not any(source > number for at in (number, after) for source in sources.get(at, ()))


def _place(
    body: list[nodes.Statement], instructions: Sequence[Instruction], number: int, sources: dict[int, list[int]]
) -> tuple[list[nodes.Statement], int] | None:
    """Return the body that the statement of the NOP ``number`` belongs to, and where in it; None if that is unknown."""
    line = instructions[number].line or 0
    after = _next(instructions, number)
    if after is not None and after not in sources:
        following = instructions[after].line
        if following is not None and following > line and not instructions[after].op.startswith("JUMP"):
            places = list(_before(body, line, following))
            return places[0] if len(places) == 1 else None  # else copies of one return
    jumps = [instructions[source].line for source in sources.get(number, ()) if source < number]
    above = min((one for one in jumps if one is not None), default=None)
    is_reached = number > 0 and not instructions[number - 1].op.startswith(_STAYS)
    return _after(body, line, above, is_reached=is_reached)


def _after(
    body: list[nodes.Statement], line: int, above: int | None, *, is_reached: bool
) -> tuple[list[nodes.Statement], int] | None:
    """Return where a statement on this ``line`` ends its body, below the statement on the line ``above`` from which a
    jump leads to it. ``is_reached``: control falls through to it; else it is an ``else`` clause.
    """
    inner = body
    while True:
        at = sum(one.line is not None and one.line < line for one in inner)
        if not at:
            return None
        around = inner[at - 1]
        if above is not None and around.line == above:
            if not is_reached and isinstance(around, nodes.If) and not around.orelse:
                return around.orelse, 0
            return (inner, at) if not leaves(inner[:at]) else None
        parts = list(filter(None, nodes.statement_bodies(around))) if around.holds_bodies else []
        if not parts:
            return (inner, at) if not leaves(inner[:at]) else None
        if any(part[0].line is None or part[0].line > line for part in parts):
            return None
        inner = parts[-1]


def _before(
    body: list[nodes.Statement], line: int, following: int
) -> Iterator[tuple[list[nodes.Statement], int]]:
    """Yield where a statement on line ``following`` is the first one of its body below ``line``."""
    for inner in nodes.bodies(body):
        for at, one in enumerate(inner):
            if one.line is not None and one.line > line:
                if one.line == following:
                    yield inner, at
                break
