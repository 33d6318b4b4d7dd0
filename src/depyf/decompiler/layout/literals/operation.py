"""Trees of operations on literals, and the values that the compiler folds them to."""

from __future__ import annotations

import operator
from typing import Callable, Iterator, NamedTuple, Union

Literal = Union[int, float, complex, str, bytes]
Operand = Union["Operation", Literal]


class Operation(NamedTuple):
    """An operator and its operands; ``left`` is None if the operator has one operand."""

    sign: str
    left: Operand | None
    right: Operand


BITS = 128
_LONGEST = 4096
"""The largest integer, and the longest text, that the compiler folds an operation to (ast_opt.c, MAX_INT_SIZE and
MAX_STR_SIZE)."""
_BINARY: dict[str, Callable[..., object]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "**": operator.pow, "<<": operator.lshift, ">>": operator.rshift, "|": operator.or_,
    "&": operator.and_, "[]": operator.getitem,
}  # fmt: skip
_UNARY: dict[str, Callable[..., object]] = {"-": operator.neg, "+": operator.pos, "~": operator.invert}


def literals(operand: Operand) -> Iterator[Literal]:
    """Yield the literals, from left to right, without the signs before them."""
    if isinstance(operand, Operation):
        if operand.left is not None:
            yield from literals(operand.left)
        yield from literals(operand.right)
    else:
        yield -operand if is_negative(operand) else operand  # type: ignore[operator]


def is_negative(one: object) -> bool:
    """Whether a minus precedes the literal."""
    return isinstance(one, (int, float)) and repr(one)[0] == "-"


def results(operand: Operand) -> Iterator[object]:
    """Yield the values of the operation and of those in it, from the innermost out."""
    if isinstance(operand, Operation):
        if operand.left is not None:
            yield from results(operand.left)
        yield from results(operand.right)
        yield value_of_operation(operand)


def value_of_operation(operand: Operand) -> object:
    """Return the value; None if the compiler folds no such operation."""
    if not isinstance(operand, Operation):
        return operand
    right: object = value_of_operation(operand.right)
    try:
        if operand.left is None:
            return _UNARY[operand.sign](right)
        left: object = value_of_operation(operand.left)
        if isinstance(left, int) and isinstance(right, int) and not _is_folded(left, operand.sign, right):
            return None
        value = _BINARY[operand.sign](left, right)
    except (TypeError, ValueError, ArithmeticError, IndexError):
        return None
    return value if operand.sign != "*" or not isinstance(value, (str, bytes)) or len(value) <= _LONGEST else None


def _is_folded(left: int, sign: str, right: int) -> bool:
    """Whether the compiler folds an operation on integers (ast_opt.c, safe_power and its kin)."""
    bits = left.bit_length()
    if sign == "**":
        return right < 0 or bits * right <= BITS
    if sign == "<<":
        return 0 <= right <= BITS - bits
    return sign != "*" or bits + right.bit_length() <= BITS
