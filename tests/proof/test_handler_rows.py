"""Rows of exception tables that begin or end inside instructions, in code of 3.12."""

from __future__ import annotations

import dis
import sys
import types

import pytest
from attack.raw.exception_table import parse, write

from depyf.decompiler.bytecode import load
from depyf.decompiler.bytecode.code.raw_code import ExceptionEntry
from depyf.decompiler.proof.side_conditions.handler_rows import PUSH_FRAMES, split_instruction

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


def fails():
    raise KeyError


def handles(function):
    try:
        function()
    except KeyError:
        return "handled"


@pytest.mark.skipif(sys.version_info < (3, 11), reason="no exception table")
def test_a_row_that_begins_or_ends_at_a_call():
    """What the interpreter does there is what it says of itself, whichever it is."""
    call = next(i.offset // 2 for i in dis.get_instructions(handles) if i.opname in ("CALL", "PRECALL"))
    first, *others = parse(handles.__code__.co_exceptiontable)
    code = handles.__code__.replace(co_exceptiontable=write([first._replace(end=call), *others]))
    found = set()
    for _ in range(30):
        try:
            found.add(types.FunctionType(code, globals())(fails))
        except KeyError:
            found.add("escaped")
    raw = load(code)
    assert found == {"handled" if raw.table.behavior.frames_are_left_before_their_call else "escaped"}
    assert (split_instruction(raw) != "") == raw.table.behavior.frames_are_left_before_their_call


@pytest.mark.skipif(sys.version_info < (3, 11), reason="instructions have no specialized forms")
def test_what_runs_python_code_in_the_same_loop():
    """The instructions that the interpreter has such forms of."""
    try:
        from _opcode_metadata import _specializations as special
    except ImportError:  # before 3.13
        from opcode import _specializations as special

    forms = ("_PY", "_GETITEM", "_PROPERTY", "_OVERRIDDEN", "_GEN", "_INIT", "_GENERAL", "_EXACT_ARGS")
    found = {name for name in special if any(one.endswith(forms) for one in special[name])}
    assert "CALL" in found
    assert found <= PUSH_FRAMES
