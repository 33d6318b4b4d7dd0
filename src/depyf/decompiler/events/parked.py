"""Local variables that only park values, as a stack slot would: Dynamo makes up their names.

Such a variable need not be one in the text. It is *parked* if its name is made up and every path that reads or deletes
it has stored it before, without an exception in between, and outside of loops. Then what it holds is always known, and
is written where it is used, under a name that says what it is.
"""

from __future__ import annotations

from typing import Iterable

from ..bytecode import Instruction, RawCode
from .hints import is_made_up
from .paths import Paths

_READS = ("LOAD_FAST", "DELETE_FAST")


def parked_locals(raw: RawCode, instructions: list[Instruction], paths: Paths) -> frozenset[str]:
    """The names of the parked variables."""
    stores: dict[str, set[int]] = {}
    for index, ins in enumerate(instructions):
        if ins.op == "STORE_FAST" and is_made_up(ins.arg):
            stores.setdefault(ins.arg, set()).add(index)
    for name in [*raw.parameters, *raw.cellvars, *raw.freevars]:
        stores.pop(name, None)
    entries = [0, *{ins.handler.target for ins in instructions if ins.handler is not None}]
    loops = [paths.loop(head) for head, ins in enumerate(instructions) if ins.op == "FOR_ITER"]
    found = set()
    for name, places in stores.items():
        gone = [index for index, ins in enumerate(instructions) if ins.op == "DELETE_FAST" and ins.arg == name]
        if any(index in loop for index in places for loop in loops):
            continue
        unstored = _reach(paths, [*entries, *[after for index in gone for after in paths.successors[index]]], places)
        if not any(instructions[index].op in _READS and instructions[index].arg == name for index in unstored):
            found.add(name)
    return frozenset(found)


def always_bound(name: str, instructions: list[Instruction], paths: Paths) -> bool:
    """Whether a local variable that is no parameter has a value wherever it is read, after exceptions as well."""
    stores = {index for index, ins in enumerate(instructions) if ins.op == "STORE_FAST" and ins.arg == name}
    gone = [index for index, ins in enumerate(instructions) if ins.op == "DELETE_FAST" and ins.arg == name]
    found: set[int] = set()
    todo = [0, *[after for index in gone for after in paths.successors[index]]]
    while todo:
        reached = _reach(paths, todo, stores) - found
        found |= reached
        todo = [ins.handler.target for ins in map(instructions.__getitem__, reached) if ins.handler is not None]
    return not any(instructions[index].op in _READS and instructions[index].arg == name for index in found)


def _reach(paths: Paths, starts: Iterable[int], without: set[int]) -> set[int]:
    found: set[int] = set()
    todo = list(starts)
    while todo:
        index = todo.pop()
        if index not in found and index not in without:
            found.add(index)
            todo.extend(paths.successors[index])
    return found


def live_before(parked: frozenset[str], instructions: list[Instruction], paths: Paths) -> list[frozenset[str]]:
    """For each instruction, the parked variables that may still be read there or after it."""
    live_in: list[frozenset[str]] = [frozenset()] * len(instructions)
    changed = bool(parked)
    while changed:
        changed = False
        for index in sorted(range(len(instructions)), key=lambda index: -paths.order[index]):
            ins = instructions[index]
            out = frozenset().union(*[live_in[after] for after in paths.successors[index]])
            if ins.op == "STORE_FAST":
                out -= {ins.arg}
            elif ins.op == "LOAD_FAST" and ins.arg in parked:
                out |= {ins.arg}
            changed = changed or out != live_in[index]
            live_in[index] = out
    return live_in
