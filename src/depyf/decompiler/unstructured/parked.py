"""Parked locals: variables with names made up by Dynamo that hold values as a stack slot would.

Such a variable need not exist in the text. It is *parked* if its name is made up and every path that reads or deletes
it has stored it before, without an exception in between, and outside of loops. Its value is then always known, and is
written where it is used, under a descriptive name.
"""

from __future__ import annotations

from typing import List, Tuple

from ..bytecode import CONDITIONAL_JUMPS, NO_FALL_THROUGH, Instruction, RawCode
from ..flowgraph.components import cyclic_components
from ..names.naming_hints import NamingHints

_CALLS = ("CALL", "CALL_EX")
_READS = ("LOAD_FAST", "DELETE_FAST")


Successors = List[Tuple[int, ...]]


def parked_locals(
    raw: RawCode, instructions: list[Instruction], successors: Successors, naming: NamingHints
) -> frozenset[str]:
    """Return the names of the parked variables."""
    names = _stored(instructions, naming) - {*raw.parameters, *raw.cellvars, *raw.freevars}
    if not names:
        return names
    entries = [0, *{ins.handler.target for ins in instructions if ins.handler is not None}]
    if any(0 <= ins.target <= index for index, ins in enumerate(instructions)):
        loops = cyclic_components(entries, lambda index: successors[index])
        names -= {instructions[index].arg for loop in loops for index in loop if instructions[index].op == "STORE_FAST"}
    return names - _read_unbound(names, instructions, successors, entries)


def always_bound(instructions: list[Instruction], successors: Successors, naming: NamingHints) -> frozenset[str]:
    """Return the variables with made-up names that are bound wherever they are read, even after exceptions."""
    names = _stored(instructions, naming)
    return names - _read_unbound(names, instructions, successors, [0], exceptions=True)


def successors_of(instructions: list[Instruction]) -> Successors:
    """Return the instructions that may follow each one, without exceptions."""
    found: Successors = []
    for index, ins in enumerate(instructions):
        after = () if ins.op in NO_FALL_THROUGH or index + 1 == len(instructions) else (index + 1,)
        jumps = ins.target >= 0 and (ins.op == "JUMP" or ins.op in CONDITIONAL_JUMPS)
        found.append((*after, ins.target) if jumps else after)
    return found


def _stored(instructions: list[Instruction], naming: NamingHints) -> frozenset[str]:
    return frozenset(ins.arg for ins in instructions if ins.op == "STORE_FAST" and naming.is_made_up(ins.arg))


def keeping_alive(instructions: list[Instruction]) -> frozenset[str]:
    """Return the variables that hold what a call returned for calls after their last use: no slot of a stack would.

    The text has to hold it in a variable too.

    Dynamo keeps streams and events so, as a callee takes weak references to them (output_graph.py of torch 2.11, "keep
    alive any user objects for the rest of the frame").
    """
    names = {two.arg for one, two in zip(instructions, instructions[1:]) if two.op == "STORE_FAST" and one.op in _CALLS}
    names -= {ins.arg for ins in instructions if ins.op == "DELETE_FAST"}
    calls = [index for index, ins in enumerate(instructions) if ins.op in _CALLS]
    last = {ins.arg: index for index, ins in enumerate(instructions) if ins.op == "LOAD_FAST" and ins.arg in names}
    return frozenset(name for name, read in last.items() if sum(call > read for call in calls) > 1)


def _read_unbound(
    names: frozenset[str],
    instructions: list[Instruction],
    successors: Successors,
    entries: list[int],
    exceptions: bool = False,
) -> frozenset[str]:
    """Return those of ``names`` that some path from ``entries`` reads or deletes while they are unbound.

    ``exceptions``: also follow edges to handlers, with the state before and after the raising instruction.
    """
    if not names:
        return names
    bits = {name: 1 << number for number, name in enumerate(names)}
    unbound = [0] * len(instructions)  # before each instruction, as a set of bits
    seen = [False] * len(instructions)
    todo = sorted(entries, reverse=True)
    for index in todo:
        unbound[index], seen[index] = (1 << len(bits)) - 1, True
    while todo:
        index = todo.pop()
        ins, after = instructions[index], unbound[index]
        if ins.op in ("STORE_FAST", "DELETE_FAST") and ins.arg in bits:
            bit = bits[ins.arg]
            after = after & ~bit if ins.op == "STORE_FAST" else after | bit
        following = successors[index]
        if exceptions and ins.handler is not None:
            following = (*following, -1)
        for successor in following:
            left = after
            if successor < 0 and ins.handler is not None:
                successor, left = ins.handler.target, after | unbound[index]
            if not seen[successor] or left & ~unbound[successor]:
                seen[successor] = True
                unbound[successor] |= left
                todo.append(successor)
    found = 0
    for ins, before in zip(instructions, unbound):
        if ins.op in _READS:
            found |= bits.get(ins.arg, 0) & before
    return frozenset(name for name, bit in bits.items() if bit & found)


def live_around(
    parked: frozenset[str], instructions: list[Instruction], successors: Successors
) -> tuple[list[frozenset[str]], list[frozenset[str]]]:
    """Return, for each instruction, the parked variables that are live before it, and those after it."""
    live_in: list[frozenset[str]] = [frozenset()] * len(instructions)
    live_out = live_in[:]
    changed = bool(parked)
    while changed:
        changed = False
        for index in reversed(range(len(instructions))):
            ins = instructions[index]
            out: frozenset[str] = frozenset()
            for after in successors[index]:
                out |= live_in[after]
            live_out[index] = out
            if ins.op == "STORE_FAST":
                out -= {ins.arg}
            elif ins.op == "LOAD_FAST" and ins.arg in parked:
                out |= {ins.arg}
            changed = changed or out != live_in[index]
            live_in[index] = out
    return live_in, live_out
