"""Whether each call finds its two slots, a callable and self or an empty slot, where the interpreter expects them.

The normal form drops empty slots, so that ``x.f()`` is the same with or without the method form. That is valid only
if nothing but the call uses them, and in order: the method form may have pushed the function and the object, and a
misplaced empty slot would be called, or passed as an argument.
"""

from __future__ import annotations

import functools
from typing import Tuple

from ...bytecode import LOADS, Instruction, RawCode, known_instructions, stack_use
from ...bytecode.dataflow import states_before
from ..ignored import CANNOT_RAISE

VALUE, EMPTY, METHOD, SELF, UNCLEAR = "value", "empty", "method", "self", "unclear"
"""Kinds of stack entries; METHOD and SELF are the two slots that the method form of an attribute pushes."""
_METHOD_FORMS = frozenset({"LOAD_ATTR", "LOAD_SUPER_ATTR"})
_MOVES = frozenset({"SWAP", "COPY"})
_READS_BELOW = {
    "FOR_ITER": 1, "ASYNC_FOR_ITER": 1, "IMPORT_FROM": 1, "WITH_EXCEPT_START": 4, "GET_LEN": 1, "MATCH_MAPPING": 1,
    "MATCH_SEQUENCE": 1, "MATCH_KEYS": 2, "RERAISE": 1,
}  # fmt: skip

Entries = Tuple[str, ...]


class _Misplaced(Exception):
    """An instruction pops a slot that is not meant for it."""

    def __init__(self, instruction: Instruction) -> None:
        super().__init__(instruction)
        self.instruction = instruction


def misplaced_slot(raw: RawCode) -> str:
    """The first instruction that uses an empty slot or half of a method as a value, as text; '' if there is none.

    Raises DecompilationError if the code can't be read.
    """
    instructions = known_instructions(raw)
    if not any(instruction.op == "NULL" for instruction in instructions):
        return ""

    def raised(instruction: Instruction, entries: Entries) -> Entries | None:
        handler = instruction.handler
        if handler is None or instruction.op in CANNOT_RAISE:
            return None
        kept = entries[: handler.depth]
        if kept and kept[-1] == METHOD:
            kept = (*kept[:-1], UNCLEAR)
        return (*kept, *[VALUE] * (1 + handler.lasti))

    empty: Entries = ()
    after = functools.partial(_after, raw, instructions)
    try:
        states_before(instructions, empty, after=after, raised=raised, meet=_meet)
    except _Misplaced as found:
        ins = found.instruction
        return f"{ins.op} takes an empty slot, or half of a method, at offset {ins.offset}"
    return ""


def _meet(index: int, one: Entries, other: Entries) -> Entries:
    """The known stack where both paths meet. If one is deeper, other checks refuse it."""
    return tuple(a if a == b else UNCLEAR for a, b in zip(one, other))


def _after(raw: RawCode, instructions: list[Instruction], index: int, entries: Entries, jump: bool) -> Entries:
    """The stack after an instruction, on its jump or not. Raises _Misplaced."""
    ins = instructions[index]
    if ins.op in LOADS:
        return (*entries, VALUE)
    if ins.op == "NULL":
        before = instructions[index - 1] if index else ins
        if before.op in _METHOD_FORMS and before.offset == ins.offset >= 0 and entries:
            return (*entries[:-1], METHOD, SELF)
        return (*entries, EMPTY)
    if ins.op in _MOVES:
        return _moved(ins, entries)
    pops, pushes = stack_use(ins, jump=jump)
    reads = max(pops, _READS_BELOW[ins.op]) if ins.op in _READS_BELOW else pops
    taken = entries[-reads:] if reads else ()
    if ins.op in ("CALL", "CALL_EX") and len(taken) >= 2:
        _check_call(raw, ins, taken[0], taken[1])
        taken = taken[2:]
    if ins.op == "POP" and taken == (EMPTY,) and raw.table.iterator_pairs:
        taken = ()  # the second slot of an iterator, which may be any object
    if taken.count(VALUE) < len(taken):
        raise _Misplaced(ins)
    return (*(entries[:-pops] if pops else entries), *[VALUE] * pushes)


def _check_call(raw: RawCode, ins: Instruction, lower: str, upper: str) -> None:
    empty = (EMPTY, VALUE) if raw.table.empty_slot_is_first else (VALUE, EMPTY)
    fine = ((VALUE, VALUE), (METHOD, SELF), empty) if ins.op == "CALL" else (empty,)
    if (lower, upper) not in fine:
        raise _Misplaced(ins)


def _moved(ins: Instruction, entries: Entries) -> Entries:
    position = len(entries) - ins.arg
    if not 0 <= position < len(entries):
        return entries  # below the stack: other checks refuse it
    halves = (METHOD, SELF, UNCLEAR)
    if entries[position] in halves or ins.op == "SWAP" and entries[-1] in halves:
        raise _Misplaced(ins)
    if ins.op == "COPY":
        if entries[position] == EMPTY:
            raise _Misplaced(ins)
        return (*entries, entries[position])
    moved = list(entries)
    moved[position], moved[-1] = moved[-1], moved[position]
    return tuple(moved)
