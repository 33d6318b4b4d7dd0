"""Whether the rows of an exception table begin and end where instructions do.

The interpreter looks for a handler at the last unit of what raises, which may be a cache entry; depending on the
version at the first. Only where all units of an instruction are in the same row is there one answer.
"""

from __future__ import annotations

from ..bytecode import RawCode


def split_instruction(raw: RawCode) -> str:
    """In words, the first instruction of which only a part has a handler; '' if there is none."""
    if not raw.exception_table:
        return ""
    begins = _instruction_starts(raw)
    for entry in sorted(raw.exception_table):
        for offset in (entry.start, entry.end):
            if offset not in begins:
                return f"the exception table has a row that begins or ends inside an instruction, at offset {offset}"
    return ""


def _instruction_starts(raw: RawCode) -> set[int]:
    """The offsets where instructions begin, with their EXTENDED_ARG; and that of the end."""
    code, rows = raw.bytecode, raw.table.rows
    prefix = raw.table.opcodes["EXTENDED_ARG"]
    starts = {len(code)}
    offset, prefixed = 0, False
    while offset < len(code):
        if not prefixed:
            starts.add(offset)
        row = rows.get(code[offset])
        prefixed = code[offset] == prefix
        offset += 2 + 2 * (row.caches if row is not None else 0)
    return starts
