"""Canonical instructions against ``dis``, which reads the same bytes by code of its own."""

from __future__ import annotations

import dis
import types

from depyf.decompiler.bytecode import RawCode, disassemble, load
from depyf.decompiler.bytecode.instruction import OPERATIONS

DROPPED = {
    "CACHE", "RESUME", "PRECALL", "EXTENDED_ARG", "KW_NAMES", "COPY_FREE_VARS", "MAKE_CELL", "RETURN_GENERATOR",
    "ASYNC_GEN_WRAP",
}  # fmt: skip
SAME_NAME = {
    "STORE_FAST", "DELETE_FAST", "LOAD_CLOSURE", "LOAD_DEREF", "STORE_DEREF", "DELETE_DEREF", "LOAD_CLASSDEREF",
    "LOAD_NAME", "STORE_NAME", "DELETE_NAME", "STORE_GLOBAL", "DELETE_GLOBAL", "LOAD_ATTR", "STORE_ATTR",
    "DELETE_ATTR", "IMPORT_NAME", "IMPORT_FROM",
}  # fmt: skip
SAME_NUMBER = {
    "COPY", "SWAP", "BUILD_TUPLE", "BUILD_LIST", "BUILD_SET", "BUILD_MAP", "BUILD_CONST_KEY_MAP", "BUILD_STRING",
    "BUILD_SLICE", "LIST_EXTEND", "SET_UPDATE", "DICT_UPDATE", "DICT_MERGE", "LIST_APPEND", "SET_ADD", "MAP_ADD",
    "UNPACK_SEQUENCE", "RAISE_VARARGS", "RERAISE", "GET_AWAITABLE", "MATCH_CLASS",
}  # fmt: skip
JUMPS = {
    "JUMP_FORWARD": "JUMP", "JUMP_BACKWARD": "JUMP", "JUMP_BACKWARD_NO_INTERRUPT": "JUMP", "FOR_ITER": "FOR_ITER",
    "JUMP_IF_FALSE_OR_POP": "JUMP_IF_FALSE_OR_POP", "JUMP_IF_TRUE_OR_POP": "JUMP_IF_TRUE_OR_POP", "SEND": "SEND",
}  # fmt: skip
for _test in ("TRUE", "FALSE", "NONE", "NOT_NONE"):
    for _direction in ("FORWARD", "BACKWARD"):
        JUMPS[f"POP_JUMP_{_direction}_IF_{_test}"] = f"POP_JUMP_IF_{_test}"
UNARY = {"UNARY_POSITIVE": "+", "UNARY_NEGATIVE": "-", "UNARY_NOT": "not", "UNARY_INVERT": "~"}
FLAGS = ("defaults", "kwdefaults", "annotations", "closure")


def expected(i: dis.Instruction, code: types.CodeType, keywords: tuple[str, ...]) -> list[tuple[str, object]]:
    """(operation, operand) of the canonical instructions for one of ``dis``; the operand of a jump is an offset."""
    name, arg, value = i.opname, i.arg, i.argval
    if name in DROPPED:
        return []
    if name == "LOAD_CONST":
        return [("CONST", value)]
    if name == "LOAD_GLOBAL":
        return [("NULL", None)] * ("NULL + " in i.argrepr) + [("LOAD_GLOBAL", value)]
    if name == "LOAD_FAST":
        return [("LOAD_CLOSURE" if value in code.co_cellvars + code.co_freevars else "LOAD_FAST", value)]
    if name == "LOAD_METHOD":
        return [("LOAD_ATTR", value), ("NULL", None)]
    if name in JUMPS:
        return [(JUMPS[name], value)]
    if name in SAME_NAME:
        return [(name, value)]
    if name in SAME_NUMBER:
        return [(name, arg)]
    if name in UNARY:
        return [("UNARY_OP", UNARY[name])]
    if name == "BINARY_OP":
        return [(name, i.argrepr)]
    if name == "COMPARE_OP":
        return [(name, value)]
    if name == "IS_OP":
        return [(name, "is not" if arg else "is")]
    if name == "CONTAINS_OP":
        return [(name, "not in" if arg else "in")]
    if name == "CALL":
        return [("CALL", (arg, keywords))]
    if name == "CALL_FUNCTION_EX":
        return [("CALL_EX", bool(arg))]
    if name == "MAKE_FUNCTION":
        return [(name, tuple(flag for flag, part in zip(FLAGS, (1, 2, 4, 8)) if arg & part))]
    if name == "FORMAT_VALUE":
        conversion, spec = value
        return [(name, ({None: "", str: "s", repr: "r", ascii: "a"}[conversion], spec))]
    if name == "UNPACK_EX":
        return [(name, (arg % 256, arg // 256))]
    return [({"POP_TOP": "POP", "PUSH_NULL": "NULL"}.get(name, name), None)]


def listing(code: types.CodeType) -> list[tuple[int, str, object]]:
    """(offset, operation, operand) that ``dis`` leads to expect, in order."""
    found: list[tuple[int, str, object]] = []
    keywords: tuple[str, ...] = ()
    skip_pop = False
    for i in dis.get_instructions(code):
        if i.opname == "KW_NAMES":
            keywords = code.co_consts[i.arg]
        if skip_pop and i.opname == "POP_TOP":
            skip_pop = False
            continue
        skip_pop = skip_pop or i.opname == "RETURN_GENERATOR"
        found.extend((i.offset, *pair) for pair in expected(i, code, keywords))
        if i.opname == "CALL":
            keywords = ()
    return found


def same(left: object, right: object) -> bool:
    if isinstance(left, RawCode):
        left = left.code
    return type(left) is type(right) and (left == right or left != left)


def test_operations_operands_and_targets(codes):
    seen = set()
    for code in codes:
        instructions = disassemble(load(code))
        seen.update(i.op for i in instructions)
        if any(i.op in ("YIELD_FROM", "ASYNC_FOR_ITER") for i in instructions):
            continue  # folded: the next test
        wanted = listing(code)
        assert len(instructions) == len(wanted), code
        for instruction, (offset, op, operand) in zip(instructions, wanted):
            assert (instruction.op, instruction.offset) == (op, offset), code
            if instruction.target >= 0:
                # Nothing canonical stands between the target that dis names and the instruction that was found.
                assert instructions[instruction.target].offset >= operand
                before = instruction.target - 1
                assert before < 0 or instructions[before].offset < operand
            else:
                assert same(instruction.arg, operand), (code, instruction, operand)
    assert set(OPERATIONS) - seen == {"GET_ANEXT", "END_ASYNC_FOR"}  # always folded


def test_folded_awaits_stand_where_dis_has_their_first_instruction(codes):
    folded = 0
    for code in codes:
        rows = {offset: (op, operand) for offset, op, operand in listing(code)}
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
