"""In which columns statements begin, as far as instructions tell (CPython 3.11 on)."""

from __future__ import annotations

from typing import Iterable, Sequence

from ..bytecode import Instruction
from ..syntax import nodes

_BETWEEN = frozenset({"NOP", "POP", "POP_EXCEPT", "RETURN_GENERATOR", "STORE_FIRST_LINE"})
"""What is between statements: expressions have none of them."""


def first_column(instructions: Iterable[Instruction]) -> int | None:
    """The column in which the statement begins that ends with these instructions: on the first line of any.

    What unwinds other statements before it, and what only marks a line, does not count. A parenthesis in front of the
    statement has no instruction, so it may begin further to the left.
    """
    first = None
    for instruction in instructions:
        if instruction.op in _BETWEEN or instruction.op.startswith("DELETE_"):
            first = None
            continue
        position = instruction.position
        if position is not None and position[2] is not None:
            place = position[0], position[2]
            if first is None or place < first:
                first = place
    return first[1] if first is not None else None


def column_of_with(before: Instruction | None, enters: Instruction, is_async: bool) -> int | None:
    """Where a with statement begins: ``enters`` has the position of it all, or that of the context expression, which
    ``before`` ends (3.13 on).
    """
    position = enters.position
    if position is None or position[2] is None:
        return None
    column: int = position[2]
    is_item = before is not None and before.position == position
    return column - len("async with " if is_async else "with ") if is_item else column


def column_of_return(instructions: Sequence[Instruction], column: int | None) -> int | None:
    """Where the return statement at the end of ``instructions`` begins, whose first instruction has ``column``.

    The return of a constant is one instruction on some versions, with the position of the constant.
    """
    value, returns = instructions[-2:] if len(instructions) > 1 else (None, instructions[-1])
    position = returns.position
    if column is None or value is None or value.op != "CONST" or value.position != position:
        return column
    if position is None or position[0] != position[1]:
        return None
    is_bare = value.arg is None and position[3] - position[2] == len("return")
    return column if is_bare else column - len("return ")


def end_of_test(instructions: Sequence[Instruction]) -> tuple[int, int] | None:
    """The line and column where what the jump at the end of ``instructions`` tests ends; None if nothing tells."""
    is_compared = instructions[-1].op.endswith("NONE")  # with None, by the jump itself
    position = instructions[-1 if is_compared else -2].position if len(instructions) > 1 else None
    if position is None or position[1] is None or position[3] is None:
        return None
    return position[1], position[3]


def column_of_test(keyword: str, column: int | None, test: nodes.Expression) -> int | None:
    """Where a statement begins that has ``keyword`` and ``test``, whose first instruction has ``column``."""
    if column is None:
        return None
    place = column - len(keyword) - 1
    while True:
        if isinstance(test, nodes.UnaryOp):
            place -= len("not ") if test.op == "not" else 1
            test = test.operand
            place -= isinstance(test, nodes.BoolOp)
        elif isinstance(test, nodes.BoolOp):
            test = test.values[0]
            place -= isinstance(test, nodes.BoolOp)
        elif isinstance(test, nodes.IfExp):
            return None  # what is evaluated first is further to the right
        elif isinstance(test, (nodes.Compare, nodes.BinOp)):
            test = test.left
        elif isinstance(test, (nodes.Attribute, nodes.Subscript)):
            test = test.value
        elif isinstance(test, nodes.Call):
            test = test.func
        else:
            return place
