"""Rows of exception tables that begin or end inside instructions, in code of 3.12."""

from __future__ import annotations

import pytest

from depyf.decompiler.bytecode import load
from depyf.decompiler.bytecode.raw_code import ExceptionEntry
from depyf.decompiler.proof.handler_rows import split_instruction

RESUME, EXTENDED_ARG, LOAD_CONST, STORE_ATTR, RETURN_VALUE = 151, 144, 100, 95, 83
CODE = bytes([RESUME, 0, EXTENDED_ARG, 0, LOAD_CONST, 0, STORE_ATTR, 0, *[0] * 8, RETURN_VALUE, 0])
"""Instructions at 0, 2 (with EXTENDED_ARG), 6 (with four cache entries) and 16; the end is 18."""


def split(start, end):
    raw = load((lambda: None).__code__)
    raw.version, raw.bytecode = (3, 12), CODE
    raw.exception_table = (ExceptionEntry(start, end, 16, 0, False),)
    return split_instruction(raw)


@pytest.mark.parametrize("start, end", [(0, 18), (2, 6), (6, 16), (0, 2), (16, 18)])
def test_rows_of_whole_instructions(start, end):
    assert split(start, end) == ""


@pytest.mark.parametrize("start, end, at", [(4, 16, 4), (0, 4, 4), (8, 16, 8), (6, 14, 14), (0, 20, 20)])
def test_rows_of_parts_of_instructions(start, end, at):
    assert split(start, end).endswith(f"at offset {at}")
