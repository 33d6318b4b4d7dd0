"""What has no meaning behind the end of the code costs nothing, if control can't come there and it is instructions."""

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
    "a constant that does not exist": bytes([opcode.opmap["LOAD_CONST"], 250]),
    "a jump out of the code": bytes([opcode.opmap["JUMP_FORWARD"], 100]),
}
REFUSED = {
    "an opcode that does not exist": (bytes([UNKNOWN, 0, UNKNOWN, 7]), "unknown opcode"),
    "half an operand": (bytes([opcode.opmap["EXTENDED_ARG"], 255]), "the code ends with EXTENDED_ARG"),
    "half an operand of 0": (bytes([opcode.opmap["EXTENDED_ARG"], 0]), "the code ends with EXTENDED_ARG"),
}
"""CPython walks over all of the code when it makes a code object, to replace opcodes and to fill inline caches."""


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


@pytest.mark.parametrize("function", [loops, returns])
@pytest.mark.parametrize("before", [b"", TAILS["a constant that does not exist"]])
@pytest.mark.parametrize("name", REFUSED)
def test_a_tail_that_cpython_could_not_walk_over_is_refused(name, before, function):
    tail, reason = REFUSED[name]
    with pytest.raises(DecompilationError, match=reason):
        known_instructions(_with_code(function, lambda code: code + before + tail))


def test_before_there_were_caches_nobody_walked_over_the_code():
    raw = _with_code(returns, lambda code: code)
    raw.version = (3, 8)
    numbers = raw.table.opcodes
    raw.bytecode = bytes([numbers["LOAD_FAST"], 0, numbers["RETURN_VALUE"], 0, 255, 0, 255, 7])
    assert [one.op for one in known_instructions(raw)] == ["LOAD_FAST", "RETURN_VALUE"]


@pytest.mark.parametrize("name", ["an opcode that does not exist", "a constant that does not exist"])
def test_what_control_comes_to_is_read_or_refused(name):
    tail = TAILS[name] if name in TAILS else REFUSED[name][0]
    with pytest.raises(DecompilationError):
        known_instructions(_with_code(returns, lambda code: tail + code))
    length = len(returns.__code__.co_code)
    jump = bytes([opcode.opmap["JUMP_FORWARD"], length // (2 if "CACHE" in opcode.opmap else 1)])
    with pytest.raises(DecompilationError):
        known_instructions(_with_code(returns, lambda code: jump + code + tail))


def test_a_row_of_the_exception_table_may_lead_to_the_tail():
    raw = _with_code(loops, lambda code: code + TAILS["a constant that does not exist"])
    if not raw.exception_table:
        return  # the handlers are jumps
    *rows, last = raw.exception_table
    raw.exception_table = (*rows, last._replace(target=len(loops.__code__.co_code)))
    with pytest.raises(DecompilationError):
        known_instructions(raw)
