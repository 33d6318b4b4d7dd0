"""Operators, comparisons, awaits and yields."""

from __future__ import annotations

import re
from typing import Any, Callable

from ...bytecode import Instruction
from ...syntax import nodes
from ..symbolic_stack import SymbolicStack
from ..values import Awaitable, Comprehension, InPlace, Iterated, Marker, Truth, resolved
from .registry import handles

_NAMES = frozenset({"LOAD_FAST", "LOAD_NAME", "LOAD_GLOBAL", "LOAD_DEREF"})
"""Loads of variables; two loads in one instruction have the position of the first."""
_FORMAT = re.compile("%(?:%|[^a-zA-Z%]*[a-zA-Z]?)")
_FOLDED = re.compile(r"%%|%-?\d*(?:\.\d+)?[sra]")


@handles("UNARY_OP")
def _unary(state: SymbolicStack, instruction: Instruction) -> None:
    operand = state.pop_tested() if instruction.arg == "not" else state.pop()
    state.push(nodes.UnaryOp(instruction.arg, operand))


@handles("BINARY_OP")
def _binary(state: SymbolicStack, instruction: Instruction) -> None:
    left, right = state.pop_many(2)
    if instruction.arg.endswith("="):
        state.push(InPlace(left, instruction.arg, right))
    elif state.table.behavior.folds_percent_formats and instruction.arg == "%" and _would_fold(left, right):
        state.push(nodes.BinOp(nodes.JoinedStr([left]), "%", right))
    else:
        state.push(nodes.BinOp(left, instruction.arg, right))


def _would_fold(left: nodes.Expression, right: nodes.Expression) -> bool:
    """Whether the compiler would turn ``left % right`` into an f-string: then the source has another form."""
    if not isinstance(left, nodes.Constant) or not isinstance(left.value, str) or not isinstance(right, nodes.Tuple):
        return False
    formats = _FORMAT.findall(left.value)
    return all(_FOLDED.fullmatch(text) for text in formats) and len(right.elts) == len(
        [text for text in formats if text != "%%"]
    )


@handles("COMPARE_OP", "IS_OP", "CONTAINS_OP")
def _compare(state: SymbolicStack, instruction: Instruction) -> None:
    left, right = state.pop_many(2)
    made = nodes.Compare(left, [instruction.arg], [right])
    made.keeps_not = state.table.behavior.keeps_not
    made.begins_with_not = instruction.arg in ("not in", "is not") and _begins_with_not(state, instruction, left)
    state.push(made)


def _begins_with_not(state: SymbolicStack, instruction: Instruction, left: nodes.Expression) -> bool:
    """Whether there is no room for ``not`` between the operands of the comparison: ``not a in b``."""
    whole = instruction.position
    if whole is None or None in whole or whole[0] != whole[1]:
        return False
    start = None  # of the right operand
    for number in range(state.position - 1, -1, -1):
        one = state.instructions[number]
        if one.position is None or None in one.position or one.position[0] != whole[0]:
            continue
        *_, begin, end = one.position
        if start is None:
            start = whole[3] - len(one.arg) if one.op in _NAMES else begin
            continue
        if one.offset == state.instructions[number - 1].offset:  # the second of two has the position of the first
            if not isinstance(left, nodes.Name) or one.arg != left.id:
                continue
            begin = whole[2]
        if begin < start:
            end = begin + len(one.arg) if one.op in _NAMES else end
            return bool(end <= start < end + len("not in"))
    return False


@handles("BUILD_SLICE")
def _slice(state: SymbolicStack, instruction: Instruction) -> None:
    parts = state.pop_many(instruction.arg)
    none = nodes.Constant(None)
    if state.table.behavior.slices_are_constants:
        parts = _not_constant(parts)
    lower, upper = (None if part == none else part for part in parts[:2])
    state.push(nodes.Slice(lower, upper, *parts[2:]))


def _not_constant(bounds: list[nodes.Expression]) -> list[nodes.Expression]:
    """``bounds`` written so that the slice is built at run time, as where one is computed, such as ``2 * 3``.

    Nothing shows which one was: the last number is computed, else the last string.
    """
    constants = [bound.value for bound in bounds if isinstance(bound, nodes.Constant)]
    if len(constants) < len(bounds) or any(isinstance(one, tuple) or _is_negative(one) for one in constants):
        return bounds
    for kind, computed in _COMPUTED.items():
        for index, value in reversed([*enumerate(constants)]):
            if type(value) is kind:
                return [*bounds[:index], computed(value), *bounds[index + 1 :]]
    return bounds


_COMPUTED: dict[type, Callable[[Any], nodes.Expression]] = {
    int: lambda value: nodes.UnaryOp("+", nodes.Constant(value)),
    float: lambda value: nodes.UnaryOp("+", nodes.Constant(value)),
    str: lambda value: nodes.JoinedStr([nodes.Constant(value)] if value else []),
    bool: lambda value: nodes.UnaryOp("not", nodes.Constant(not value)),
    bytes: lambda value: nodes.BinOp(nodes.Constant(value), "+", nodes.Constant(b"")),
}
"""How a constant of each type is written as an operation that gives it."""


def _is_negative(value: Any) -> bool:
    return isinstance(value, (int, float)) and str(value).startswith("-")


@handles("TO_BOOL")
def _to_bool(state: SymbolicStack, instruction: Instruction) -> None:
    value = state.pop()
    # The result of a comparison is converted where a test elsewhere needs a bool.
    state.push(value if isinstance(resolved(value), nodes.Compare) else Truth(value))


@handles("GET_ITER", "GET_AITER")
def _iterate(state: SymbolicStack, instruction: Instruction) -> None:
    value, is_async = state.pop(), instruction.op == "GET_AITER"
    already = resolved(value)
    if isinstance(already, Iterated) and not already.is_async and not is_async:
        state.push(already)  # from 3.13.1 on, 3.13 makes the iterators of comprehensions twice
    else:
        state.push(Iterated(value, is_async))


@handles("GET_AWAITABLE", "GET_YIELD_FROM_ITER")
def _awaitable(state: SymbolicStack, instruction: Instruction) -> None:
    value = state.take()
    if isinstance(value, Marker):  # the __aexit__ of an async with
        state.push(value)
    else:
        state.push(Awaitable(state.as_expression(value), instruction.op == "GET_AWAITABLE"))


@handles("YIELD_FROM")
def _yield_from(state: SymbolicStack, instruction: Instruction) -> None:
    first, receiver = resolved(state.take()), state.take()
    if not (isinstance(first, nodes.Constant) and first.value is None):
        state.refuse("a value is sent into an awaitable")
    if isinstance(receiver, Marker):
        state.push(receiver)
    elif not isinstance(receiver, Awaitable):
        state.refuse("yield from something that is no iterator")
    elif not receiver.awaited:
        state.push(nodes.YieldFrom(receiver.value))
    elif isinstance(receiver.value, Comprehension) and receiver.value.is_coroutine:
        receiver.value.is_coroutine = False  # an asynchronous comprehension awaits itself
        state.push(receiver.value)
    else:
        state.push(nodes.Await(receiver.value))


@handles("YIELD_VALUE")
def _yield(state: SymbolicStack, instruction: Instruction) -> None:
    value = state.pop()
    is_none = isinstance(value, nodes.Constant) and value.value is None
    state.push(nodes.Yield(None if is_none else value))
