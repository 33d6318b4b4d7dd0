"""The bytes of code as CPython's own `opcode` module divides them: nothing of depyf's reader takes part."""

from __future__ import annotations

import opcode
import sys
from typing import Any, Dict, List, NamedTuple

_ENTRIES: Any = getattr(opcode, "_inline_cache_entries", {})
_CACHES: Dict[int, int] = (
    dict(enumerate(_ENTRIES))
    if isinstance(_ENTRIES, list)
    else {opcode.opmap[name]: count for name, count in _ENTRIES.items() if name in opcode.opmap}
)
_NOT_FOR_CODE = ("INSTRUMENTED_", "ENTER_EXECUTOR", "RESERVED", "CACHE", "<")
"""What only the running interpreter writes."""
OPCODES = sorted(number for name, number in opcode.opmap.items() if number < 256 and not name.startswith(_NOT_FOR_CODE))
_KNOWN = frozenset(OPCODES)
_MOST_CACHES = max(_CACHES.values(), default=0)
NOP = opcode.opmap["NOP"]
EXTENDED_ARG = opcode.EXTENDED_ARG
JUMPS = frozenset(opcode.hasjrel) | frozenset(opcode.hasjabs)
JUMP_UNIT = 1 if sys.version_info >= (3, 10) else 2
"""By how much the operand of a jump grows for one more unit of code."""
HAVE_ARGUMENT = opcode.HAVE_ARGUMENT


class Unit(NamedTuple):
    """One instruction, with the cache entries behind it; ``size`` is in bytes."""

    offset: int
    opcode: int
    argument: int
    size: int

    @property
    def end(self) -> int:
        return self.offset + self.size

    def __str__(self) -> str:
        return f"{self.offset} {name_of(self.opcode)} {self.argument}"


def name_of(number: int) -> str:
    return opcode.opname[number]


def family(number: int) -> str:
    """The first word of an opcode's name: LOAD, BUILD, POP, ..."""
    return name_of(number).partition("_")[0]


def caches(number: int) -> int:
    return _CACHES.get(number, 0)


def units(code: bytes) -> List[Unit]:
    """The instructions of ``code``; EXTENDED_ARG is one of its own."""
    found = []
    offset = 0
    while offset + 1 < len(code):
        size = min(2 + 2 * caches(code[offset]), len(code) - offset)
        found.append(Unit(offset, code[offset], code[offset + 1], size))
        offset += size
    return found


def destroys_memory(code: bytes) -> bool:
    """Whether CPython writes past the end when it makes a code object of ``code``, or reads ``co_code`` of it.

    It does if the code ends within the cache of its last instruction, or has opcodes that only monitoring writes.
    """
    found = units(code)
    last = [unit for unit in found if unit.offset + 2 + 2 * _MOST_CACHES > len(code)]
    # An opcode unknown here may be the form that the interpreter gives to one with a cache while it runs.
    if any(unit.size < 2 + 2 * caches(unit.opcode) or unit.opcode not in _KNOWN for unit in last):
        return True
    return any(name_of(unit.opcode).startswith(("INSTRUMENTED_", "ENTER_EXECUTOR")) for unit in found)
