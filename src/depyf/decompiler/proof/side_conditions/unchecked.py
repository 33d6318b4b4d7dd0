"""Unchecked loads of local variables that may be unbound (3.12 on).

Such a load pushes NULL instead of an object: later instructions may take it for an empty slot, or crash. The canonical
instructions have one load for checked and unchecked ones, which raises UnboundLocalError, like any source. The values
that an inlined comprehension saves on the stack may be NULL too: they may only be restored.
"""

from __future__ import annotations

from typing import Tuple

from ...bytecode import Instruction, RawCode, known_instructions, stack_use
from ...bytecode.dataflow import states_before
from ..ignored import CANNOT_RAISE
from ..lockstep.normalize import READS_BELOW

_CHECKED = "LOAD_FAST_CHECK"
_SAVE = "LOAD_FAST_AND_CLEAR"
_UNBINDS = frozenset({"DELETE_FAST", _SAVE})

_State = Tuple[int, int, Tuple[int, ...]]
"""The bound variables, as bits; the depth of the stack; the positions of entries that may be NULL: an inlined
comprehension saves a variable that may be unbound on the stack, and restores that state."""


def unchecked_load(raw: RawCode) -> str:
    """The first unchecked load in ``raw`` of a variable that may be unbound, as text; '' if there is none.

    The stack depths must have been verified. Raises DecompilationError if the code can't be read.
    """
    if _CHECKED not in raw.table.opcodes:
        return ""
    instructions = known_instructions(raw)
    unbound = {i.arg for i in instructions if i.op in _UNBINDS}
    always = set(raw.parameters) - unbound
    loads = [n for n, i in enumerate(instructions) if i.op == "LOAD_FAST" and i.arg not in always]
    loads = [n for n in loads if _is_unchecked(raw, instructions[n])]
    saves = any(i.op == _SAVE for i in instructions)
    if not loads and not saves:
        return ""
    names = {instructions[n].arg for n in loads}
    bits = {name: 1 << index for index, name in enumerate(sorted(names))}
    states = _states(raw, instructions, bits)
    for n in loads:
        state = states[n]
        if state is not None and not state[0] & bits[instructions[n].arg]:
            return _described(instructions[n])
    for instruction, state in zip(instructions, states) if saves else ():
        if state is not None and _takes_none(instruction, state):
            return f"{instruction.op} takes a saved variable, which may be unbound, at offset {instruction.offset}"
    return ""


def _takes_none(instruction: Instruction, state: _State) -> bool:
    """Whether an instruction that needs an object finds an entry that may be NULL."""
    _, depth, unsure = state
    if not unsure or instruction.op in ("SWAP", "STORE_FAST"):
        return False
    if instruction.op == "COPY":
        return depth - instruction.arg in unsure
    reads = max(stack_use(instruction)[0], READS_BELOW.get(instruction.op, 0))
    return unsure[-1] >= depth - reads


def _states(raw: RawCode, instructions: list[Instruction], bits: dict[str, int]) -> list[_State | None]:
    """Definite assignment, a forward analysis: the state before each instruction on all paths; None if unreachable."""

    def raised(instruction: Instruction, state: _State) -> _State | None:
        handler = instruction.handler
        if handler is None or instruction.op in CANNOT_RAISE:
            return None
        kept = tuple([position for position in state[2] if position < handler.depth])
        return state[0], handler.depth + 1 + handler.lasti, kept

    def meet(index: int, known: _State, other: _State) -> _State:
        return known[0] & other[0], known[1], tuple(sorted({*known[2], *other[2]}))

    def after(index: int, state: _State, jump: bool) -> _State:
        return _after(instructions[index], state, bits, jump=jump)

    start: _State = sum(bits.get(name, 0) for name in set(raw.parameters)), 0, ()
    return states_before(instructions, start, after=after, raised=raised, meet=meet)


def _after(instruction: Instruction, state: _State, bits: dict[str, int], *, jump: bool = False) -> _State:
    op, (bound, depth, unsure) = instruction.op, state
    if op == "SWAP" and unsure:
        top, other = depth - 1, depth - instruction.arg
        moved = {top: other, other: top}
        return bound, depth, tuple(sorted(moved.get(position, position) for position in unsure))
    pops, pushes = stack_use(instruction, jump=jump)
    bottom = depth - pops
    bit = bits.get(instruction.arg, 0) if op.endswith(("_FAST", "_CLEAR")) else 0
    is_object = depth - 1 not in unsure
    if unsure:
        unsure = tuple([position for position in unsure if position < bottom])
    if op == _SAVE:
        # A variable that no unchecked load reads has no bit: its state does not matter.
        unsure = unsure if bound & bit else (*unsure, bottom)
        bound &= ~bit
    elif op == "DELETE_FAST" or op == "STORE_FAST" and not is_object:
        bound &= ~bit
    elif op in ("STORE_FAST", "LOAD_FAST"):
        bound |= bit  # a load that does not raise shows that the variable is bound
    return bound, bottom + pushes, unsure


def unchecked_only_in_original(original: RawCode, recompiled: RawCode) -> str:
    """The same for code with the same instructions as the recompiled text."""
    if _CHECKED not in original.table.opcodes:
        return ""
    for mine, other in zip(known_instructions(original), known_instructions(recompiled)):
        if mine.op == "LOAD_FAST" and _is_unchecked(original, mine) and not _is_unchecked(recompiled, other):
            return _described(mine)
    return ""


def _is_unchecked(raw: RawCode, instruction: Instruction) -> bool:
    if instruction.op != "LOAD_FAST" or instruction.offset < 0:
        return False
    if not raw.bytecode:
        return True  # a part of a code object: unknown
    row = raw.table.rows.get(raw.bytecode[_past_prefixes(raw, instruction.offset)])
    return row is not None and row.name != _CHECKED and "LOAD_FAST" in row.name


def _past_prefixes(raw: RawCode, offset: int) -> int:
    prefix = raw.table.opcodes["EXTENDED_ARG"]
    while raw.bytecode[offset] == prefix:
        offset += 2
    return offset


def _described(instruction: Instruction) -> str:
    return f"an unchecked load of {instruction.arg}, which may be unbound, at offset {instruction.offset}"
