"""Canonical instructions against ``dis``, which reads the same bytes by code of its own."""

from __future__ import annotations

import dis

import dis_witness
from depyf.decompiler.bytecode import disassemble, load


def test_what_is_decoded_is_what_dis_reads(codes):
    for code in codes:
        assert list(dis_witness.differences(code, load(code))) == []


def test_the_tables_are_those_of_the_interpreter():
    assert list(dis_witness.table_differences()) == []


def test_the_witness_sees_a_wrong_reading(codes):
    code = max(codes, key=lambda c: len(c.co_code))
    raw = load(code)
    for field, value in (("names", raw.names[::-1]), ("exception_table", raw.exception_table[1:])):
        wrong = load(code)
        setattr(wrong, field, value)
        assert list(dis_witness.differences(code, wrong)) != [], field


def test_folded_awaits_stand_where_dis_has_their_first_instruction(codes):
    folded = 0
    for code in codes:
        rows = {offset: (op, operand) for offset, op, operand in dis_witness.expected(code)}
        offsets = sorted(rows)
        for instruction in disassemble(load(code)):
            op = {"YIELD_FROM": "SEND", "ASYNC_FOR_ITER": "GET_ANEXT"}.get(instruction.op)
            if op is None:
                continue
            folded += 1
            assert rows[instruction.offset][0] == op
            if op == "SEND":
                at = offsets.index(instruction.offset)
                assert [rows[o][0] for o in offsets[at : at + 3]] == ["SEND", "YIELD_VALUE", "JUMP"]
    assert folded > 20


def test_handlers(codes):
    covered = 0
    for code in codes:
        entries = dis._parse_exception_table(code)
        instructions = disassemble(load(code))
        ends = {i.offset for i in dis.get_instructions(code) if i.opname == "END_ASYNC_FOR"}
        for instruction in instructions:
            mine = [e for e in entries if e.start <= instruction.offset < e.end]
            if instruction.op == "ASYNC_FOR_ITER":
                assert len(mine) == 1 and mine[0].target in ends
                continue
            assert len(mine) <= 1
            handler = instruction.handler
            assert (handler is None) == (not mine)
            if handler is not None:
                entry = mine[0]
                assert instructions[handler.target].offset == entry.target
                assert (handler.depth, handler.lasti) == (entry.depth, entry.lasti)
                covered += 1
    assert covered > 1000


def test_lines_and_columns(codes):
    for code in codes:
        positions = list(code.co_positions())
        for instruction in disassemble(load(code)):
            assert instruction.position == positions[instruction.offset // 2]
            assert instruction.line == positions[instruction.offset // 2][0]


def test_metadata(codes):
    for code in codes:
        raw = load(code)
        assert (raw.name, raw.qualname, raw.flags) == (code.co_name, code.co_qualname, code.co_flags)
        assert raw.parameters == code.co_varnames[: len(raw.parameters)]
        assert len(raw.localsplus) == len({*code.co_varnames, *code.co_cellvars}) + len(code.co_freevars)
        assert all(raw.localsplus[k] == code._varname_from_oparg(k) for k in range(len(raw.localsplus)))
