"""Moves the loads of parameters at the start of Dynamo's resume functions after the stores of constants.

    LOAD_FAST ___stack0; CONST False; STORE_FAST flag   ->   CONST False; STORE_FAST flag; LOAD_FAST ___stack0

The order is unobservable: a parameter is always bound at the beginning, and storing a constant has no side effect.
"""

from __future__ import annotations

from ..bytecode import Instruction, RawCode
from ..bytecode.edit import referred


def load_parameters_later(instructions: list[Instruction], raw: RawCode) -> None:
    """Move stores of constants before loads of parameters, up to the first jump. Changes ``instructions``."""
    targets = referred(instructions)
    changed = {ins.arg for ins in instructions if ins.op == "DELETE_FAST"}
    for index in range(len(instructions) - 1):
        constant, store = instructions[index : index + 2]
        if constant.target >= 0 or constant.op in ("RETURN_VALUE", "RAISE_VARARGS", "RERAISE"):
            break
        if (constant.op, store.op) != ("CONST", "STORE_FAST"):
            continue
        first = index
        while first > 0 and _is_moved(instructions[first - 1], constant, store, raw, changed):
            first -= 1
        if targets.isdisjoint(range(first + 1, index + 2)):
            loads = instructions[first:index]
            instructions[first : index + 2] = [constant, store, *loads]


def _is_moved(
    load: Instruction, constant: Instruction, store: Instruction, raw: RawCode, changed: set[str]
) -> bool:
    """Whether ``load`` may come after the store."""
    is_parameter = load.op == "LOAD_FAST" and load.arg in raw.parameters and load.arg not in changed
    return is_parameter and load.arg != store.arg and load.handler == constant.handler == store.handler
