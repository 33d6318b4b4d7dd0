"""Whether the rows of an exception table begin and end so that every instruction has one handler.

The interpreter looks up a handler at the last unit of the raising instruction, which may be a cache entry, or,
depending on the version, at the first. The result is the same only if all units of an instruction are in one row.
From 3.13 on there is a third case: an exception that leaves a Python frame pushed by the instruction itself (when
specialized, after it has run a few times) is looked up at the unit before it. No compiler puts a border there.
"""

from __future__ import annotations

from ...bytecode import RawCode
from ...bytecode.code.raw_code import ExceptionEntry

PUSH_FRAMES = frozenset(
    {"CALL", "CALL_KW", "CALL_FUNCTION_EX", "LOAD_ATTR", "BINARY_SUBSCR", "BINARY_OP", "FOR_ITER", "SEND"}
)
"""Instructions that the interpreter specializes to run Python functions, properties and generators inline."""


def split_instruction(raw: RawCode) -> str:
    """The first instruction of which only a part has a handler, as text; '' if there is none."""
    if not raw.exception_table:
        return ""
    begins = _instruction_starts(raw)
    rows = sorted(raw.exception_table)
    for entry in rows:
        for offset in (entry.start, entry.end):
            if offset not in begins:
                return f"the exception table has a row that begins or ends inside an instruction, at offset {offset}"
            if begins[offset] in PUSH_FRAMES and raw.table.behavior.frames_are_left_before_their_call:
                if _handler(rows, offset - 2) != _handler(rows, offset):
                    return f"a call whose handler is that of what stands before it, at offset {offset}"
    return ""


def _handler(rows: list[ExceptionEntry], offset: int) -> ExceptionEntry | None:
    """The row at ``offset``, its start and end removed."""
    found = next((row for row in rows if row.start <= offset < row.end), None)
    return found and found._replace(start=0, end=0)


def _instruction_starts(raw: RawCode) -> dict[int, str]:
    """The start offsets of instructions, with their EXTENDED_ARG, and of the end, each with its name."""
    code, rows = raw.bytecode, raw.table.rows
    prefix = raw.table.opcodes["EXTENDED_ARG"]
    starts = {len(code): ""}
    offset, prefixed = 0, False
    while offset < len(code):
        row = rows.get(code[offset])
        if not prefixed:
            starts[offset] = row.name if row is not None else ""
        prefixed = code[offset] == prefix
        offset += 2 + 2 * (row.caches if row is not None else 0)
    return starts
