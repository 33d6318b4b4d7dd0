"""The start columns of statements, as far as instructions show them (CPython 3.11 on)."""

from __future__ import annotations

from typing import Any, Iterable, Sequence

from ..bytecode import Instruction
from ..bytecode.instruction import Position
from ..flowgraph import BasicBlock
from ..syntax import nodes

_BETWEEN = frozenset({"NOP", "POP", "POP_EXCEPT", "RETURN_GENERATOR", "STORE_FIRST_LINE"})
"""Operations between statements, never part of an expression."""
_DELETES = frozenset({"DELETE_FAST", "DELETE_DEREF", "DELETE_GLOBAL", "DELETE_NAME", "DELETE_ATTR", "DELETE_SUBSCR"})
INDENT = 4
"""How much deeper most people indent a body."""
DEBUG_AND = "__debug__ and "
"""What the compiler drops from the beginning of a test."""


def first_column(instructions: Iterable[Instruction]) -> int | None:
    """The start column of the statement that ends with these instructions: the leftmost on their first line.

    Instructions before it that unwind other statements or only mark a line are ignored. A leading parenthesis has
    no instruction, so the statement may begin further to the left.
    """
    first = None
    for instruction in instructions:
        if instruction.op in _BETWEEN or instruction.op in _DELETES:
            first = None
            continue
        position = instruction.position
        if position is not None and position[2] is not None:
            if position[2:] == (0, 0):  # of the prologue, no source
                continue
            start = position[0], position[2]
            if first is None or start < first:
                first = start
    return first[1] if first is not None else None


def follows_in_list(before: Instruction, instruction: Instruction) -> bool:
    """Whether the targets of two deletions are side by side: ``del a, b``. Two statements on a line are rare."""
    if instruction.line is None or before.line != instruction.line or before.op not in _DELETES:
        return False
    first, second = before.position, instruction.position
    if first is None or second is None or None in first or None in second:
        return True
    return bool(second[0] == first[1] and 0 < second[2] - first[3] < len("; del"))


def column_of_del(instruction: Instruction) -> int | None:
    """The start column of the ``del`` statement whose first target ``instruction`` deletes."""
    position = instruction.position
    column: int | None = position[2] if position is not None else None
    return column - len("del ") if column is not None else None


def column_of_first(target: nodes.Expression, second: Instruction) -> int | None:
    """The start column of ``target``, a name that is followed by the one that ``second`` stores."""
    position = second.position
    if not isinstance(target, nodes.Name) or position is None or position[2] is None:
        return None
    column: int = position[2]
    return max(column - len(f"{target.id}, "), 0)


def column_of_with(before: Instruction | None, enters: Instruction, is_async: bool) -> int | None:
    """The start column of a with statement: ``enters`` has the position of the whole statement, or (3.13 on) of the
    context expression, which ``before`` ends.
    """
    position = enters.position
    if position is None or position[2] is None:
        return None
    column: int = position[2]
    is_item = before is not None and before.position == position
    return column - len("async with " if is_async else "with ") if is_item else column


def column_of_return(instructions: Sequence[Instruction], column: int | None) -> int | None:
    """The start column of the return statement that ends ``instructions``; its first instruction has ``column``.

    On some versions the return of a constant is one instruction, with the position of the constant. The first text of
    an f-string may have the position of the preceding statement.
    """
    value, returns = instructions[-2:] if len(instructions) > 1 else (None, instructions[-1])
    position = returns.position
    if value is not None and position is not None and _encloses(position, value.position):
        whole: int = position[2]
        return whole
    if column is None or value is None or value.op != "CONST" or value.position != position:
        return column
    if position is None or position[0] != position[1]:
        return None
    # An implicit return has the position of the last statement.
    is_none = value.arg is None and position[3] - position[2] == len("None")
    start = column - len("return ")
    return start if start >= 0 and (is_none or value.arg is not None) else column


def _encloses(whole: Position, part: Position | None) -> bool:
    """Whether ``whole`` begins before ``part``, and ends where it ends or after it."""
    if part is None or None in whole or None in part:
        return False
    return bool((whole[0], whole[2]) < (part[0], part[2]) and (part[1], part[3]) <= (whole[1], whole[3]))


def return_from_with(
    instructions: Sequence[Instruction], follows_copy: bool, copy_end: Instruction | None
) -> tuple[int, int] | None:
    """The line and start column of a return that leaves with statements; None for others.

    What leaves a with statement has the position of its item, as has the return itself if nothing else is left. Before
    it is the evaluation of the value, or a NOP or the end of a handler with the position of a constant or a bare
    ``return``. ``follows_copy``: it also leaves a try statement, whose ``finally`` body is not in ``instructions``: it
    ends with ``copy_end``.
    """
    last = instructions[-1].position
    exits = _exits(instructions)
    if last is None or None in last or last not in exits and (copy_end is None or last != copy_end.position):
        return None
    is_constant = len(instructions) > 1 and instructions[-2].op == "CONST"
    for before in reversed(instructions[:-1]):
        position = before.position
        if position is None or None in position or position == last or position in exits:
            continue
        line, end_line, column, end_column = position
        if line <= last[0] and not follows_copy or before.op in _BETWEEN and before.op not in ("NOP", "POP_EXCEPT"):
            return None
        is_bare = is_constant and instructions[-2].arg is None and end_column - column == len("return")
        is_whole = line == end_line and is_bare or before.op == "POP_EXCEPT" and not is_constant
        start = column if is_whole else column - len("return ")
        return (line, start) if start >= 0 else None
    return None


def _exits(instructions: Sequence[Instruction]) -> set[Position | None]:
    """The positions of calls of exit functions for no exception."""
    return {i.position for at, i in enumerate(instructions) if i.op == "CALL" and calls_exit(instructions, at)}


def leaves_with(instructions: Sequence[Instruction]) -> bool:
    """Whether ``instructions``, up to a last POP or NOP, call an exit function for no exception."""
    end = next((at for at, one in enumerate(instructions) if one.op == "CALL"), 0)
    return calls_exit(instructions, end) and all(i.op in _BETWEEN for i in instructions[end + 1 :])


def begins_with_exit(instructions: Sequence[Instruction]) -> bool:
    """Whether ``instructions`` begin with the call of an exit function for no exception, below a value to return."""
    return calls_exit(instructions, 4 if instructions[0].op == "SWAP" else 3)


def leads_to_cleanup(block: BasicBlock) -> bool:
    """Whether ``block`` falls into what leaves a with statement, or into a copy of a ``finally`` body."""
    after = block.fall
    if after is not None and not after.follows_copy and after.operations() == ["JUMP"]:
        after = after.target  # one of several that leave alike
    if after is None or after.follows_copy:
        return after is not None
    return bool(after.instructions) and begins_with_exit(after.instructions)


def calls_exit(instructions: Sequence[Instruction], position: int) -> bool:
    """Whether the instruction at ``position`` calls an exit function with the arguments for no exception."""
    if not 3 <= position < len(instructions) or instructions[position].op != "CALL":
        return False
    return all(i.op == "CONST" and i.arg is None for i in instructions[position - 3 : position])


def returns_by_exit(instructions: list[Instruction]) -> bool:
    """Whether a with statement is left at once, not after the NOP of a statement, and the return is where that is."""
    is_exit = len(instructions) > 5 and calls_exit(instructions, 3) and instructions[4].op == "POP"
    return is_exit and instructions[4].position == instructions[-1].position


def column_of_jump(instruction: Instruction) -> int | None:
    """The start column of the ``break`` or ``continue`` that a jump is, by its width; None if it may be neither."""
    position = instruction.position
    if position is None or None in position or position[0] != position[1]:
        return None
    return position[2] if position[3] - position[2] in (len("break"), len("continue")) else None


def column_of_left_jump(instructions: Sequence[Instruction]) -> int | None:
    """The same for the NOP that ``instructions`` begin with, or the end of the iteration that a ``break`` leaves, if
    the next instruction is on another line.
    """
    first = instructions[0] if instructions else None
    if first is None or first.op not in ("POP", "NOP"):
        return None
    if len(instructions) > 1 and first.line == instructions[1].line:
        return None
    if first.op == "POP":
        line, end_line, column, end_column = first.position or (None, None, None, None)
        if line != end_line or column is None or end_column is None:
            return None
        return column if end_column - column == len("break") else None
    return column_of_jump(first) if len(instructions) > 1 else None


def end_of_test(instructions: Sequence[Instruction]) -> tuple[int, int] | None:
    """The end line and column of the test of the jump that ends ``instructions``; None if unknown."""
    is_compared = instructions[-1].op in ("POP_JUMP_IF_NONE", "POP_JUMP_IF_NOT_NONE")  # by the jump itself, with None
    position = instructions[-1 if is_compared else -2].position if len(instructions) > 1 else None
    if position is None or position[1] is None or position[3] is None:
        return None
    return position[1], position[3]


def width_after_operand(instructions: Sequence[Instruction]) -> int | None:
    """The width of what follows the operand of the test that ends ``instructions``, if it is on the operand's line."""
    if len(instructions) < 2:
        return None
    operand, test = instructions[-2].position, instructions[-1].position
    if operand is None or test is None or None in (*operand, *test) or operand[1] != test[1]:
        return None
    return int(test[3] - operand[3])


def column_of_test(keyword: str, column: int | None, test: Any) -> int | None:
    """The start column of a statement with ``keyword`` and ``test``, whose first instruction has ``column``."""
    if column is None:
        return None
    start = column - len(keyword) - 1
    while True:
        kind = type(test)
        if kind is nodes.UnaryOp:
            start -= len("not ") if test.op == "not" else 1
            test = test.operand
            start -= type(test) is nodes.BoolOp
        elif kind is nodes.BoolOp:
            op, test = test.op, test.values[0]
            start -= type(test) is nodes.BoolOp and (op, test.op) != ("or", "and")
        elif kind is nodes.IfExp:
            return None  # what is evaluated first is further to the right
        elif kind is nodes.Compare or kind is nodes.BinOp:
            start -= len("not ") if kind is nodes.Compare and test.begins_with_not else 0
            test = test.left
        elif kind is nodes.Attribute or kind is nodes.Subscript:
            test = test.value
        elif kind is nodes.Call:
            test = test.func
        else:
            return start


def is_pass_in(clause: Position | None, position: Position) -> bool:
    """Whether ``position`` is that of a ``pass`` that is the whole body of an ``except`` clause at ``clause``.

    The None of ``return None`` is as wide, but is further to the right.
    """
    if clause is None or None in clause or position[0] != position[1] or position[3] - position[2] != len("pass"):
        return False
    covers = bool(clause[0] < position[0] <= clause[1])
    return covers and 0 < position[2] - clause[2] <= len("return ")


def is_behind_nop(instructions: list[Instruction]) -> bool:
    """Whether a NOP has the line of the return of a constant right after it. It was the end of another block: a
    ``return`` of the source leaves none.
    """
    nop, value = instructions[-3:-1] if len(instructions) > 2 else instructions[-1:] * 2
    return nop.op == "NOP" and nop.line == value.line
