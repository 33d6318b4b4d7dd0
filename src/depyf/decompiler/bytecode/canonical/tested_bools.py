"""Checks that conditional jumps and ``not`` find a bool on the stack, from 3.13 on.

There they don't call ``__bool__``: TO_BOOL does. They compare with True or False by identity, so on anything but a
bool they behave as no test in source does.
"""

from __future__ import annotations

from typing import Callable, NoReturn, Tuple

from ..edit import referred
from ..instruction import NO_FALL_THROUGH, Instruction, stack_use

_BOOLS = frozenset({"TO_BOOL", "IS_OP", "CONTAINS_OP", "CHECK_EXC_MATCH", "MATCH_MAPPING", "MATCH_SEQUENCE"})
"""Operations that push a bool and nothing else."""
_TESTS = frozenset({"POP_JUMP_IF_FALSE", "POP_JUMP_IF_TRUE"})
_MAY_TEST = _TESTS | {"UNARY_OP"}

Bools = Tuple[bool, ...]
ErrorMaker = Callable[[str, int], Exception]


def check_tested_bools(instructions: list[Instruction], error: ErrorMaker) -> None:
    """Raise ``error(reason, offset)`` for the first test of a possible non-bool. TO_BOOL must still be there."""
    if checks_format(instructions):
        instructions = [_as_bool(i) if n == 2 else i for n, i in enumerate(instructions)]
    targets = referred(instructions)
    instructions = _lengths_compared(instructions, targets)
    before = Instruction("NOP")
    for index, instruction in enumerate(instructions):
        if instruction.op in _MAY_TEST and _is_test(instruction) and (index in targets or not _gives_bool(before)):
            _BoolSimulation(instructions, error).run()
            return
        if not (instruction.op == "COPY" and instruction.arg == 1) and instruction.op != "NOP":
            before = instruction  # a copy is a bool if the original is


def checks_format(instructions: list[Instruction]) -> bool:
    """Whether these begin like a compiled ``__annotate__``, whose argument the compiler assumes to be an int."""
    start = instructions[:6]
    if [i.op for i in start] != _CHECKS_FORMAT:
        return False
    limit = start[1].arg  # any object may be among the constants
    return type(limit) is int and [limit, *(i.arg for i in start[2:])] == [2, ">", None, "NotImplementedError", 1]


_CHECKS_FORMAT = ["LOAD_FAST", "CONST", "COMPARE_OP", "POP_JUMP_IF_FALSE", "LOAD_COMMON_CONSTANT", "RAISE_VARARGS"]


def _lengths_compared(instructions: list[Instruction], targets: set[int]) -> list[Instruction]:
    """Return ``instructions`` with comparisons of a length and an int, as in patterns, marked as giving a bool."""
    result = list(instructions)
    if "GET_LEN" not in [i.op for i in instructions]:
        return result
    for index, instruction in enumerate(instructions):
        if instruction.op != "COMPARE_OP" or index < 2 or not targets.isdisjoint((index - 1, index)):
            continue
        length, number = instructions[index - 2 : index]
        if length.op == "GET_LEN" and number.op == "CONST" and type(number.arg) is int:
            result[index] = _as_bool(instruction)
    return result


def _as_bool(instruction: Instruction) -> Instruction:
    return Instruction("IS_OP", "is", -1, instruction.handler, instruction.offset)


def _is_test(instruction: Instruction) -> bool:
    return instruction.op in _TESTS or instruction.op == "UNARY_OP" and instruction.arg == "not"


def _gives_bool(instruction: Instruction) -> bool:
    if instruction.op == "CONST":
        return isinstance(instruction.arg, bool)
    return instruction.op in _BOOLS or instruction.op == "UNARY_OP" and instruction.arg == "not"


class _BoolSimulation:
    """Finds which stack entries are bools before each instruction, over all edges."""

    def __init__(self, instructions: list[Instruction], error: ErrorMaker) -> None:
        self.instructions, self.error = instructions, error
        self.states: list[Bools | None] = [None] * len(instructions)

    def run(self) -> None:
        todo: list[tuple[int, Bools]] = [(0, ())]
        while todo:
            index, stack = todo.pop()
            while index < len(self.instructions):
                known = self.states[index]
                if known is not None:
                    stack = _meet(known, stack)
                    if stack == known:
                        break
                self.states[index] = stack
                instruction = self.instructions[index]
                if instruction.handler is not None:
                    kept = stack[: instruction.handler.depth]
                    todo.append((instruction.handler.target, (*kept, *[False] * (1 + instruction.handler.lasti))))
                if _is_test(instruction) and not stack[-1:] == (True,):
                    self.refuse(instruction)
                if instruction.target >= 0:
                    todo.append((instruction.target, _after(instruction, stack, jump=True)))
                if instruction.op in NO_FALL_THROUGH:
                    break
                stack = _after(instruction, stack)
                index += 1

    def refuse(self, instruction: Instruction) -> NoReturn:
        raise self.error("a test of what may be no bool, which asks for no truth", instruction.offset)


def _meet(one: Bools, other: Bools) -> Bools:
    """What holds on both paths, counted from the top where one stack is deeper."""
    size = min(len(one), len(other))
    return tuple(a and b for a, b in zip(one[len(one) - size :], other[len(other) - size :]))


def _after(instruction: Instruction, stack: Bools, *, jump: bool = False) -> Bools:
    if instruction.op in ("COPY", "SWAP"):
        position = len(stack) - instruction.arg
        if not 0 <= position < len(stack):
            return (*stack, False) if instruction.op == "COPY" else ()
        if instruction.op == "COPY":
            return (*stack, stack[position])
        moved = list(stack)
        moved[position], moved[-1] = moved[-1], moved[position]
        return tuple(moved)
    pops, pushes = stack_use(instruction, jump=jump)
    return (*stack[: max(0, len(stack) - pops)], *[pushes == 1 and _gives_bool(instruction)] * pushes)
