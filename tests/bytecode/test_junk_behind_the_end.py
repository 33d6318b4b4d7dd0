"""What can't be read behind the end of the code costs nothing, if control can't come there."""

from __future__ import annotations

import opcode

import pytest

from depyf.decompiler.bytecode import known_instructions, load
from depyf.decompiler.pipeline import analyze
from depyf.errors import DecompilationError

ROWS = load((lambda: 0).__code__).table.rows
UNKNOWN = next(number for number in range(1, 255) if number not in ROWS)
TAILS = {
    "NOPs": bytes([opcode.opmap["NOP"], 0]) * 4,
    "an opcode that does not exist": bytes([UNKNOWN, 0, UNKNOWN, 7]),
    "a constant that does not exist": bytes([opcode.opmap["LOAD_CONST"], 250]),
    "a jump out of the code": bytes([opcode.opmap["JUMP_FORWARD"], 100]),
    "half an operand": bytes([opcode.opmap["EXTENDED_ARG"], 255]),
}


def _with_code(function, make):
    """The code of ``function`` with other bytes: an interpreter may not survive a code object that has them."""
    raw = load(function.__code__)
    raw.bytecode = make(raw.bytecode)
    return raw


def loops(a):
    try:
        for x in a:
            print(x)
    except ValueError:
        return 2
    return a


def returns(a):
    return a


@pytest.mark.parametrize("function", [loops, returns])
@pytest.mark.parametrize("name", TAILS)
def test_code_with_a_tail_is_the_same_code(name, function):
    result = analyze(_with_code(function, lambda code: code + TAILS[name]))
    assert result.verdict.proven
    assert result.source == analyze(function.__code__).source


@pytest.mark.parametrize("name", ["an opcode that does not exist", "a constant that does not exist"])
def test_what_control_comes_to_is_read_or_refused(name):
    with pytest.raises(DecompilationError):
        known_instructions(_with_code(returns, lambda code: TAILS[name] + code))
    length = len(returns.__code__.co_code)
    jump = bytes([opcode.opmap["JUMP_FORWARD"], length // (2 if "CACHE" in opcode.opmap else 1)])
    with pytest.raises(DecompilationError):
        known_instructions(_with_code(returns, lambda code: jump + code + TAILS[name]))


def test_a_row_of_the_exception_table_may_lead_to_the_tail():
    raw = _with_code(loops, lambda code: code + TAILS["an opcode that does not exist"])
    if not raw.exception_table:
        return  # the handlers are jumps
    *rows, last = raw.exception_table
    raw.exception_table = (*rows, last._replace(target=len(loops.__code__.co_code)))
    with pytest.raises(DecompilationError):
        known_instructions(raw)
