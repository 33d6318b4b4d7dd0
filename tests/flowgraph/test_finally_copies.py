"""Copies of ``finally`` bodies, in code that no compiler makes."""

from __future__ import annotations

import opcode
import sys

import pytest

import depyf

QUITS = "def f(a):\n try: a()\n except: pass\n a(1)"


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="3.11 jumps out of an except clause")
def test_a_clause_that_does_nothing_but_begin_again():
    """What only drops the exception, again and again, is left no more often than there are places to go on at."""
    code = compile(QUITS, "text", "exec").co_consts[0]
    data = bytearray(code.co_code)
    place = data.index(bytes([opcode.opmap["POP_EXCEPT"], 0, opcode.opmap["JUMP_FORWARD"]])) + 2
    data[place : place + 2] = bytes([opcode.opmap["JUMP_BACKWARD_NO_INTERRUPT"], 3])  # to the pop of the exception
    assert not depyf.analyze(code.replace(co_code=bytes(data))).proven
