"""Where ``return`` shows: the positions of what the compiler leaves of it where it leaves a with statement."""

from __future__ import annotations

from typing import Iterable, Sequence

from ..bytecode import Instruction
from ..bytecode.instruction import Position
from .control_flow_graph import BasicBlock

_CALLS_EXIT = ["CONST", "CONST", "CONST", "CALL"]
_MARKS = frozenset({"NOP", "CALL"})


def written_return(block: BasicBlock, predecessors: dict[BasicBlock, list[BasicBlock]]) -> Position | None:
    """Return the position of a NOP in ``block`` as wide as ``return``, or as ``None`` after it.

    The compiler leaves one where the code that leaves a with statement has the statement's position, but also one with
    the position of what was done before: of the test that leads here, or of the store to a name as wide. In a handler
    within the with statement, what leaves the handler has that position.
    """
    operations = [i.op for i in block.instructions]
    if _MARKS.isdisjoint(operations):
        return None
    sources = predecessors.get(block, [])
    if len(sources) == 1 and _calls_exit(block) and _calls_exit(sources[0]) and sources[0].operations()[4:] == ["POP"]:
        return written_return(sources[0], predecessors)  # it leaves another with statement first
    lasts = [source.last for source in sources if source.last is not None]
    before, lines = {last.position for last in lasts}, {last.line for last in lasts}
    if len(lasts) == 1 and lasts[0].op == "POP_EXCEPT" and _returns_from_handler(block, sources[0], predecessors):
        return lasts[0].position
    return _wide_nop(block, sources, before, lines) if "NOP" in operations else None


def _wide_nop(
    block: BasicBlock, sources: list[BasicBlock], before: set[Position | None], lines: set[int | None]
) -> Position | None:
    """The position of the NOP, which is none of those ``before``, nor, of a ``None``, on one of the ``lines``."""
    for at, instruction in enumerate(block.instructions):
        done = [block.instructions[max(0, at - 2) : at]] if at else [source.instructions for source in sources]
        position = instruction.position if instruction.position not in before else None
        if instruction.op == "NOP" and is_as_wide_as_return(position) and not _ends_any(position, done):
            assert position is not None
            if position[3] - position[2] == len("return"):
                return position
            rest = block.instructions[at + 1 : -2]
            if position[0] not in lines and all((one.line or 0) < position[0] for one in rest):
                return position
        before.add(instruction.position)
    return None


def _returns_from_handler(
    block: BasicBlock, source: BasicBlock, predecessors: dict[BasicBlock, list[BasicBlock]]
) -> bool:
    """Whether ``source`` ends with what leaves a handler, at the position of a ``return`` that leaves the with
    statement in ``block``.
    """
    handled = source.instructions[-2:-1] or [p.last for p in predecessors.get(source, ()) if p.last is not None]
    last = source.instructions[-1].position
    is_left = [i.op for i in block.instructions[:4]] == _CALLS_EXIT
    return is_left and is_as_wide_as_return(last) and all(one.position != last for one in handled)


def _calls_exit(block: BasicBlock) -> bool:
    """Whether ``block`` begins with the code that leaves a with statement."""
    return block.operations()[:4] == _CALLS_EXIT


def is_as_wide_as_return(position: Position | None) -> bool:
    """Whether the position is as wide as ``return``, or as ``None`` after it.

    ``pass`` is as wide as ``None``, but on a line of its own it has an even column.
    """
    if position is None or None in position or position[0] != position[1]:
        return False
    width = position[3] - position[2]
    return bool(width == len("return") or width == len("None") and position[2] % 2)


def ends_statement(position: Position | None, before: Sequence[Instruction]) -> bool:
    """Whether ``position`` is that of the last instruction ``before`` it, or would be if that had not the position of
    another store, to which it is joined.
    """
    last = before[-1] if before else None
    if last is None or position is None:
        return False
    is_joined = last.op == "STORE_FAST" and [one.offset for one in before[-2:-1]] == [last.offset]
    if is_joined and last.position is not None and None not in (*position, *last.position):
        return bool(position[0] == last.position[0] and position[2] > last.position[2])
    return position == last.position


def _ends_any(position: Position | None, parts: Iterable[Sequence[Instruction]]) -> bool:
    return any(ends_statement(position, before) for before in parts)
