"""Bytecode that no compiler makes is refused with the reason and the place, never read as something else."""

from __future__ import annotations

import opcode

import pytest

from depyf.decompiler.bytecode import disassemble, load
from depyf.decompiler.bytecode.instruction import Instruction
from depyf.decompiler.bytecode.versions import TABLES
from depyf.errors import DecompilationError


def code_of(text):
    return compile(text, "text", "exec", dont_inherit=True).co_consts[0]


def patched(code, offset, *units):
    """``code`` with the two-byte units at ``offset`` replaced."""
    data = bytearray(code.co_code)
    for number, unit in enumerate(units):
        data[offset + 2 * number : offset + 2 * number + 2] = bytes(unit)
    return code.replace(co_code=bytes(data))


def offset_of(code, name):
    data = code.co_code
    return next(o for o in range(0, len(data), 2) if data[o] == opcode.opmap[name])


def refused(code, reason):
    with pytest.raises(DecompilationError, match=reason) as error:
        disassemble(load(code))
    assert error.value.stage == "disassemble"
    assert error.value.where.startswith(code.co_qualname)


def test_unknown_opcode():
    code = code_of("def f(a): return a")
    raw = load(code)  # a live code object hides such bytes: the interpreter reads them as caches
    raw.bytecode = raw.bytecode.replace(bytes([opcode.opmap["LOAD_FAST"]]), bytes([250]))
    with pytest.raises(DecompilationError, match="unknown opcode 250"):
        disassemble(raw)


@pytest.mark.parametrize("version", [one for one in TABLES if one < (3, 11)])
@pytest.mark.parametrize("number", [201, 205])
def test_an_opcode_of_pypys_is_named(version, number):
    raw = load(code_of("def f(a): return a"))
    raw.version, raw.bytecode = version, bytes([number, 0, 83, 0])
    with pytest.raises(DecompilationError, match=f"opcode {number} is one of PyPy's"):
        disassemble(raw)


@pytest.mark.parametrize("version", [one for one in TABLES if one >= (3, 11)])
def test_where_cpython_has_such_numbers_they_are_not_pypys(version):
    raw = load(code_of("def f(a): return a"))
    raw.version, raw.bytecode = version, bytes([201, 0, 83, 0])
    with pytest.raises(DecompilationError, match="unknown opcode 201"):
        disassemble(raw)


def test_operand_out_of_range():
    code = code_of("def f(a): return a")
    refused(patched(code, offset_of(code, "LOAD_FAST"), (opcode.opmap["LOAD_FAST"], 9)), "operand 9 of LOAD_FAST")


def test_jump_out_of_the_code():
    code = code_of("def f(a):\n if a: return 1")
    refused(patched(code, offset_of(code, "POP_JUMP_FORWARD_IF_FALSE"), (opcode.opmap["JUMP_FORWARD"], 99)), "jump to")
    refused(patched(code, 2, (opcode.opmap["JUMP_BACKWARD"], 99)), "before the first instruction")


def test_flags_of_a_generator_without_its_start_and_the_other_way_round():
    function, generator = code_of("def f(a): return a"), code_of("def f(a): yield a")
    refused(function.replace(co_flags=function.co_flags | 0x20), "flags")
    refused(generator.replace(co_flags=generator.co_flags & ~0x20), "flags")


def test_await_that_sends_something_else():
    code = code_of("async def f(a):\n async for b in a: b()")
    constant = offset_of(code, "GET_ANEXT") + 2
    assert code.co_code[constant] == opcode.opmap["LOAD_CONST"]
    changed = code.replace(co_consts=(*code.co_consts, 5))
    refused(patched(changed, constant, (opcode.opmap["LOAD_CONST"], len(code.co_consts))), "GET_ANEXT")


def test_jump_into_an_await():
    code = code_of("async def f(a):\n if a: b()\n await a")
    jump, into = offset_of(code, "POP_JUMP_FORWARD_IF_FALSE"), offset_of(code, "SEND") + 2
    refused(patched(code, jump, (code.co_code[jump], (into - jump) // 2 - 1)), "middle of a folded sequence")


def test_send_without_its_loop():
    code = code_of("async def f(a): await a")
    send = offset_of(code, "SEND")
    refused(patched(code, send + 2, (opcode.opmap["NOP"], 0)), "SEND without its loop")


def test_more_values_than_the_code_can_store():
    code = code_of("def f(a): b, c = a")
    place = offset_of(code, "UNPACK_SEQUENCE")
    raw = load(code)
    raw.bytecode = raw.bytecode[: place + 1] + b"\xff" + raw.bytecode[place + 2 :]
    with pytest.raises(DecompilationError, match="UNPACK_SEQUENCE 255 makes more values than the code can store"):
        disassemble(raw)


def test_operands_of_more_than_32_bits():
    code = code_of("def f(a): return a")
    raw = load(code)
    raw.bytecode = bytes([opcode.opmap["EXTENDED_ARG"], 1]) * 4 + raw.bytecode
    with pytest.raises(DecompilationError, match="an operand of more than 32 bits"):
        disassemble(raw)


@pytest.mark.parametrize("kept", [0, 2, -2])
def test_control_that_runs_off_the_end(kept):
    raw = load(code_of("def f(a): return a"))
    raw.bytecode = raw.bytecode[:kept]
    with pytest.raises(DecompilationError, match="control runs off the end of the code"):
        disassemble(raw)


@pytest.mark.parametrize("version", [(3, 8), (3, 10), (3, 15)])
def test_a_stack_that_grows_without_end(version):
    """Where passes simulate the stack, they end before time and memory grow by its square."""
    raw = load(code_of("def f(a): return a"))
    raw.version, raw.linetable, raw.exception_table, raw.stacksize = version, b"", (), 6000
    number = {row.name: number for number, row in TABLES[version].rows.items()}
    blocks = bytes([number.get("SETUP_FINALLY", number["NOP"]), 0])
    if "RESUME" in number:
        blocks += bytes([number["RESUME"], 0]) + bytes(2 * TABLES[version].rows[number["RESUME"]].caches)
    iterator = bytes([number["GET_ITER"], 0]) + bytes(2 * TABLES[version].rows[number["GET_ITER"]].caches)
    deep = bytes([number["LOAD_BUILD_CLASS"], 0]) * 6000
    raw.bytecode = blocks + deep + iterator + bytes([number["RETURN_VALUE"], 0])
    with pytest.raises(DecompilationError, match="the stack is too deep for too long"):
        disassemble(raw)


def test_operands_too_large_to_show():
    """Python refuses to convert an int of so many digits."""
    assert repr(Instruction("CONST", 1 << 40000)) == "CONST <int, too large to show>"
    assert repr(Instruction("CONST", 1 << 400)).startswith("CONST 2582249878")


def test_a_variable_that_lives_in_no_cell():
    """From 3.11 on cells and plain variables have numbers in one row, and the interpreter does not look which it is."""
    code = code_of("def f(x): return x")
    place = code.co_code.index(bytes([opcode.opmap["RETURN_VALUE"]])) - 2
    refused(patched(code, place, (opcode.opmap["LOAD_DEREF"], 0)), "lives in no cell|out of range")
