"""Parameters that Dynamo's resume functions put onto the stack before anything else.

    LOAD_FAST ___stack0; CONST False; STORE_FAST flag   ->   CONST False; STORE_FAST flag; LOAD_FAST ___stack0

Nobody sees the difference: a parameter has a value at the beginning, and storing a constant is no event.
"""

from __future__ import annotations

from ..bytecode import Instruction, RawCode
from ..bytecode.edit import referred


def load_parameters_later(instructions: list[Instruction], raw: RawCode) -> None:
    """Store constants before the parameters are loaded, in the instructions before the first jump; in place."""
    targets = referred(instructions)
    changed = {ins.arg for ins in instructions if ins.op == "DELETE_FAST"}
    for place in range(len(instructions) - 1):
        constant, store = instructions[place : place + 2]
        if constant.target >= 0 or constant.op in ("RETURN_VALUE", "RAISE_VARARGS", "RERAISE"):
            break
        if (constant.op, store.op) != ("CONST", "STORE_FAST"):
            continue
        first = place
        while first > 0 and _is_moved(instructions[first - 1], constant, store, raw, changed):
            first -= 1
        if targets.isdisjoint(range(first + 1, place + 2)):
            loads = instructions[first:place]
            instructions[first : place + 2] = [constant, store, *loads]


def _is_moved(
    load: Instruction, constant: Instruction, store: Instruction, raw: RawCode, changed: set[str]
) -> bool:
    """Whether ``load`` may come after the store."""
    is_parameter = load.op == "LOAD_FAST" and load.arg in raw.parameters and load.arg not in changed
    return is_parameter and load.arg != store.arg and load.handler == constant.handler == store.handler
