"""Whether the rows of an exception table begin and end where every instruction has one handler.

The interpreter looks for a handler at the last unit of what raises, which may be a cache entry; depending on the
version at the first. Only where all units of an instruction are in the same row is there one answer. From 3.13 on
there is a third: what leaves a Python frame that the instruction itself has pushed, as it does once it has run a few
times, is looked for at the unit before it. No compiler puts a border there.
"""

from __future__ import annotations

from ...bytecode import RawCode
from ...bytecode.code.raw_code import ExceptionEntry

PUSH_FRAMES = frozenset(
    {"CALL", "CALL_KW", "CALL_FUNCTION_EX", "LOAD_ATTR", "BINARY_SUBSCR", "BINARY_OP", "FOR_ITER", "SEND"}
)
"""Instructions that the interpreter specialises to run Python functions, properties and generators in its own loop."""


def split_instruction(raw: RawCode) -> str:
    """In words, the first instruction of which only a part has a handler; '' if there is none."""
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
    """The row at ``offset``, without its borders."""
    found = next((row for row in rows if row.start <= offset < row.end), None)
    return found and found._replace(start=0, end=0)


def _instruction_starts(raw: RawCode) -> dict[int, str]:
    """The offsets where instructions begin, with their EXTENDED_ARG, and that of the end; the name of what is there."""
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
