"""Truth tests in the forms of 3.12 and later -> the canonical conditional jumps.

TO_BOOL before a jump or a ``not`` is part of it; ``COPY 1; POP_JUMP_IF_x; POP`` keeps the tested value on the
jumping edge only; and where conditional jumps can't go backward, one over a backward JUMP is an inverted test, unless
the JUMP has the position of a ``continue`` or a ``pass``.
"""

from __future__ import annotations

from ..edit import referred, without
from ..instruction import NO_FALL_THROUGH, Instruction, copies

OPPOSITE = {
    "POP_JUMP_IF_FALSE": "POP_JUMP_IF_TRUE",
    "POP_JUMP_IF_TRUE": "POP_JUMP_IF_FALSE",
    "POP_JUMP_IF_NONE": "POP_JUMP_IF_NOT_NONE",
    "POP_JUMP_IF_NOT_NONE": "POP_JUMP_IF_NONE",
}
OR_POP = {"POP_JUMP_IF_FALSE": "JUMP_IF_FALSE_OR_POP", "POP_JUMP_IF_TRUE": "JUMP_IF_TRUE_OR_POP"}


_WIDTHS = (len("continue"), len("pass"))


def fold_conditions(
    instructions: list[Instruction], *, jumps_go_back: bool, jumps_test_bools: bool
) -> list[Instruction]:
    """Return ``instructions`` with truth tests folded.

    ``jumps_go_back``: whether conditional jumps may go backward; ``jumps_test_bools``: whether they never raise.
    """
    if jumps_test_bools:
        _cover_jumps(instructions)
    instructions = _fold_or_pop(_fold_to_bool(instructions))
    if jumps_go_back:
        return instructions
    instructions = _fold_inverted(instructions)
    # After an asynchronous comprehension, which is moved to the end, the jump that keeps the value goes backward.
    return _fold_or_pop(instructions) if "GET_AITER" in [i.op for i in instructions] else instructions


def _cover_jumps(instructions: list[Instruction]) -> None:
    """Cover jumps that never raise like their tests: the assembler may leave them out of the handler's range."""
    for before, jump in zip(instructions, instructions[1:]):
        if jump.op in OPPOSITE and before.op not in NO_FALL_THROUGH:
            jump.handler = before.handler


def _fold_to_bool(instructions: list[Instruction]) -> list[Instruction]:
    """Drop TO_BOOL before a test. Jumps that lead past it bring a bool: testing that again changes nothing.

    No compiler leaves a NOP between the two; tools do.
    """
    dropped: set[int] = set()
    for index in [index for index, one in enumerate(instructions[:-1]) if one.op == "TO_BOOL"]:
        end = index + 1
        while instructions[end].op == "NOP" and end + 1 < len(instructions):
            end += 1
        user = instructions[end]
        if user.op in OR_POP or user.op == "UNARY_OP" and user.arg == "not":
            dropped.update(range(index, end))
            user.handler = instructions[index].handler
    return without(instructions, dropped) if dropped else instructions


def _fold_or_pop(instructions: list[Instruction]) -> list[Instruction]:
    kept = {
        index
        for index in range(1, len(instructions) - 1)
        if instructions[index].op in OR_POP
        and (instructions[index - 1].op, instructions[index - 1].arg, instructions[index + 1].op) == ("COPY", 1, "POP")
    }
    if not kept:
        return instructions
    sources: dict[int, set[int]] = {index: set() for test in kept for index in (test, test + 1)}
    for index, instruction in enumerate(instructions):
        if instruction.target in sources:
            sources[instruction.target].add(index)
        if instruction.handler is not None and instruction.handler.target in sources:
            sources[instruction.handler.target].add(index)
    # A test that keeps its value only for another test's POP (`a and b or c`, 3.14 on) drops it itself.
    kept = {index for index in kept if not sources[index]}
    todo = list(kept)
    while todo:
        index = todo.pop()
        if index in kept and not sources[index + 1] <= kept:
            kept.remove(index)
            todo.append(instructions[index].target - 1)
    pops = {index + 1 for index in kept}
    for index in kept:
        if instructions[index].target not in pops:
            instructions[index].op = OR_POP[instructions[index].op]
    dropped = pops | {index - 1 for index in kept}
    return without(instructions, dropped) if dropped else instructions


def _fold_inverted(instructions: list[Instruction]) -> list[Instruction]:
    found = _over_jumps(instructions)
    if not found:
        return instructions
    last = {instruction.target: index for index, instruction in enumerate(instructions)}
    found = {index for index in found if not _is_continue(instructions, index, last)}
    return _inverted(instructions, found) if found else instructions


def fold_continues(instructions: list[Instruction]) -> list[Instruction]:
    """Return ``instructions`` with every test over a backward JUMP inverted, whatever the source positions of both.

    Used to compare code independently of positions; the argument is not changed.
    """
    found = _over_jumps(instructions)
    if not found:
        return instructions
    return _inverted(copies(instructions), found)


def _over_jumps(instructions: list[Instruction]) -> set[int]:
    """The tests that jump over exactly a backward JUMP that is no other jump's target."""
    found = {
        index
        for index, (test, jump) in enumerate(zip(instructions, instructions[1:]))
        if jump.op == "JUMP" and jump.target <= index and test.op in OPPOSITE and test.target == index + 2
    }
    targets = referred(instructions) if found else set()
    return {index for index in found if index + 1 not in targets}


def _is_continue(instructions: list[Instruction], index: int, last: dict[int, int]) -> bool:
    """Whether the JUMP after a test is a ``continue`` or a ``pass``, by its width.

    A JUMP that belongs to an inverted test has that test's position. ``last`` maps each target to the last instruction
    leading there: if no later instruction jumps back to the loop, the JUMP is at the loop's end.
    """
    test, jump = instructions[index], instructions[index + 1]
    if jump.position is None or jump.line is None or jump.position == test.position:
        return False
    if all(last.get(target, -1) <= index + 1 for target in range(jump.target, index + 1)):
        return True
    line, end_line, column, end_column = jump.position
    return None in (column, end_column) or line == end_line and end_column - column in _WIDTHS


def _inverted(instructions: list[Instruction], tests: set[int]) -> list[Instruction]:
    for index in tests:
        test = instructions[index]
        test.op, test.target = OPPOSITE[test.op], instructions[index + 1].target
    return without(instructions, {index + 1 for index in tests})
