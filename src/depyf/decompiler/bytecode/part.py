"""A part of a code object as a separate one: instructions without raw code."""

from __future__ import annotations

from .code.raw_code import RawCode
from .disassemble import give_instructions
from .instruction import Instruction

ON_CELLS = frozenset(
    {"LOAD_DEREF", "STORE_DEREF", "DELETE_DEREF", "LOAD_CLASSDEREF", "LOAD_CLOSURE", "LOAD_FROM_DICT_OR_DEREF"}
)
"""Operations whose operand names a cell or free variable."""

END_OFFSET = -2
"""The offset of the last instruction of a part, which has no bytes."""


def part_of(raw: RawCode, instructions: list[Instruction]) -> RawCode:
    """``raw`` with only these canonical instructions and the nested code, cells and free variables that they use."""
    part = RawCode()
    for field in RawCode.__slots__:
        if not field.startswith("_") and field not in ("disassembled", "operations", "doubt", "mode"):
            setattr(part, field, getattr(raw, field))
    part.bytecode, part.exception_table, part.code, part.notes = b"", (), None, []
    used = {id(i.arg) for i in instructions if isinstance(i.arg, RawCode)}
    part.consts = tuple(constant for constant in raw.consts if id(constant) in used)
    cells = {i.arg for i in instructions if i.op in ON_CELLS}
    for nested in part.nested:
        cells.update(nested.freevars)
    part.cellvars = tuple(name for name in raw.cellvars if name in cells)
    part.freevars = tuple(name for name in raw.freevars if name in cells)
    give_instructions(part, instructions)
    return part
