"""Loads of local variables that the interpreter does not check, of variables that may be unbound there (3.12 on).

Such a load pushes nothing that is an object: what follows may take it for an empty slot, or bring the process down.
The canonical instructions have one load for both kinds, which raises UnboundLocalError, as any text does.
"""

from __future__ import annotations

from ..bytecode import Instruction, RawCode, known_instructions
from .normalize import NormalForm
from .unbound import may_be_unbound

_CHECKED = "LOAD_FAST_CHECK"


def unchecked_load(form: NormalForm) -> str:
    """In words, the first unchecked load in ``form`` of a variable that may be unbound; '' if there is none."""
    raw = form.raw
    if _CHECKED not in raw.table.opcodes:
        return ""
    # Nothing is known of the variables that an inlined comprehension hides and puts back.
    hidden = {name for op, name in zip(form.ops, form.args) if op == "LOAD_FAST_AND_CLEAR"}
    for index in sorted(may_be_unbound(form)):
        if form.args[index] not in hidden and _is_unchecked(raw, form.sources[index]):
            return _words(form.sources[index])
    return ""


def unchecked_beside(original: RawCode, recompiled: RawCode) -> str:
    """The same for code whose instructions are those that the compiler made of the text."""
    if _CHECKED not in original.table.opcodes:
        return ""
    for mine, other in zip(known_instructions(original), known_instructions(recompiled)):
        if mine.op == "LOAD_FAST" and _is_unchecked(original, mine) and not _is_unchecked(recompiled, other):
            return _words(mine)
    return ""


def _is_unchecked(raw: RawCode, instruction: Instruction) -> bool:
    if instruction.op != "LOAD_FAST" or instruction.offset < 0:
        return False
    if not raw.bytecode:
        return True  # a part of a code object: nobody knows
    row = raw.table.rows.get(raw.bytecode[_behind_prefixes(raw, instruction.offset)])
    return row is not None and row.name != _CHECKED and "LOAD_FAST" in row.name


def _behind_prefixes(raw: RawCode, offset: int) -> int:
    prefix = raw.table.opcodes["EXTENDED_ARG"]
    while raw.bytecode[offset] == prefix:
        offset += 2
    return offset


def _words(instruction: Instruction) -> str:
    return f"an unchecked load of {instruction.arg}, which may be unbound, at offset {instruction.offset}"
