"""The assembler makes what was asked for: checked against the compiler, and by reading it again."""

from __future__ import annotations

import argparse
import ast
import dis
import opcode
import textwrap
import tokenize
import types
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

import pytest
import standins

from assembler.assemble import BLOCK_STACK, assemble
from assembler.encoding import Code, Guard, Item, Raw
from assembler.flow import Invalid, states
from assembler.notation import Program, listing, program
from depyf.decompiler.bytecode import disassemble, load
from depyf.decompiler.bytecode.reading.load import HOST_VERSION

COMPILED = """
def loops(a, b):
    for x in a:
        while b:
            if x: continue
            b = x + b
        else:
            break
    return a < b
def handlers(a):
    try:
        with a as b:
            return b.method(a, k=1)
    except ValueError as error:
        a[1] = error
    finally:
        a.done()
def generator(a):
    x = yield a
    try:
        yield from x
    except GeneratorExit:
        return (yield)
def closure(a):
    def inner():
        nonlocal a
        a += 1
        return a
    return inner
"""


def raw_items(code: types.CodeType) -> List[Item]:
    """The raw instructions of a code object, as ``dis`` names them, jumps and handlers by label."""
    entries = load(code).exception_table
    lines = _lines(code)
    found: List[Item] = []
    targets = {entry.target for entry in entries}
    instructions = [i for i in dis.get_instructions(code) if i.opname != "CACHE"]
    extended = -1
    for i in instructions:
        number = opcode.opmap.get(i.opname, -1)
        if number in opcode.hasjabs or number in opcode.hasjrel:
            targets.add(i.argval)
    for i in instructions:
        start = i.offset if extended < 0 else extended
        if start in targets:
            found.append(f"L{start}")
        if i.opname == "EXTENDED_ARG":
            extended = start
            continue
        extended = -1
        number = opcode.opmap[i.opname]
        jumps = number in opcode.hasjabs or number in opcode.hasjrel
        guard = next((Guard(f"L{e.target}", e.depth, e.lasti) for e in entries if e.start <= i.offset < e.end), None)
        # 3.10 leaves the operand of what it makes a NOP, and dis does not tell it.
        operand = code.co_code[i.offset + 1] if i.arg is None else i.arg
        found.append(Raw(i.opname, f"L{i.argval}" if jumps else operand, lines[i.offset], guard))
    return found


def _lines(code: types.CodeType) -> Dict[int, Optional[int]]:
    if hasattr(code, "co_lines"):
        return {offset: line for start, end, line in code.co_lines() for offset in range(start, end, 2)}
    found: Dict[int, Optional[int]] = {}
    starts, line = dict(dis.findlinestarts(code)), None
    for offset in range(0, len(code.co_code), 2):
        line = found[offset] = starts.get(offset, line)
    return found


def functions(code: types.CodeType) -> Iterator[types.CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from functions(constant)


def some_codes() -> List[types.CodeType]:
    """Functions of the standard library, long ones among them, and those above.

    Where shorter jumps make other jumps shorter, there may be two ways to place all: 3.8 does not always find the
    shorter one.
    """
    many = "def many(a):\n while a:\n" + "".join(f"  if a.x{n}: a = f{n}(a, y{n})\n" for n in range(400))
    codes = [c for text in (COMPILED, many) for c in functions(compile(text, "<compiled>", "exec"))]
    for module in (argparse, tokenize, textwrap, ast):
        assert module.__file__ is not None
        with open(module.__file__, encoding="utf-8") as file:
            codes += list(functions(compile(file.read(), module.__file__, "exec", dont_inherit=True)))
    return [code for code in codes if len(Code(raw_items(code)).bytecode) == len(code.co_code)]


def test_what_the_compiler_makes_is_assembled_to_the_same_bytes() -> None:
    codes = some_codes()
    assert len(codes) > 200 and max(len(code.co_code) for code in codes) > 1000
    for code in codes:
        made = Code(raw_items(code))
        assert made.bytecode == code.co_code, code.co_name
        if HOST_VERSION >= (3, 11):
            assert made.exception_table == code.co_exceptiontable, code.co_name  # type: ignore[attr-defined]


def test_lines_are_those_that_were_asked_for() -> None:
    for code in some_codes():
        made = Code(raw_items(code)).line_table(code.co_firstlineno)
        name = "co_linetable" if hasattr(code, "co_linetable") else "co_lnotab"
        if hasattr(code, "co_lines"):
            again = code.replace(**{name: made})  # type: ignore[arg-type]
            assert _lines(again) == _lines(code), code.co_name
        else:
            again = code.replace(**{name: made})  # type: ignore[arg-type]
            assert list(dis.findlinestarts(again)) == list(dis.findlinestarts(code)), code.co_name


def canonical(code: types.CodeType) -> List[Tuple[Any, ...]]:
    """Canonical instructions without lines, NOPs and constants' places."""
    instructions = disassemble(load(code))
    kept = [n for n, i in enumerate(instructions) if i.op != "NOP"]
    index = {n: sum(1 for k in kept if k < n) for n in range(len(instructions) + 1)}
    found = []
    for n in kept:
        i = instructions[n]
        handler = i.handler and (index[i.handler.target], i.handler.depth, i.handler.lasti)
        found.append((i.op, repr(i.arg), index[i.target] if i.target >= 0 else -1, handler))
    return found


def test_compiler_like_programs_are_what_the_compiler_makes() -> None:
    source = "def function(a, b):\n for x in a:\n  f(x, 1)\n return b.p(x, b)"
    text = """
    function(a, b) locals(x)
        LOAD_FAST a
        GET_ITER
    next:
        FOR_ITER end
        STORE_FAST x
        LOAD_GLOBAL_CALLABLE f
        LOAD_FAST x
        CONST 1
        CALL 2
        POP
        JUMP next
    end:
        LOAD_FAST b
        LOAD_METHOD p
        LOAD_FAST x
        LOAD_FAST b
        CALL 2
        RETURN_VALUE
    """
    assert canonical(assemble(program(text))) == canonical(_function(source))


def test_a_handler_is_what_the_compiler_makes() -> None:
    source = """
def function(a):
    try:
        a.p()
    except E0:
        return a
    return None
"""
    text = """
    function(a)
        SETUP_FINALLY handler
        LOAD_FAST a
        LOAD_METHOD p
        CALL 0
        POP
        POP_BLOCK
        CONST None
        RETURN_VALUE
    handler:
        COPY_EXC
        LOAD_GLOBAL E0
        JUMP_IF_NOT_MATCH other
        POP
        LOAD_FAST a
        SWAP 2
        POP_EXCEPT
        RETURN_VALUE
    other:
        RERAISE
    """
    assert operations(assemble(program(text))) == operations(_function(source))


def operations(code: types.CodeType) -> Set[Tuple[Any, ...]]:
    """What it consists of, wherever jumps and copies of exits put it: operation, operand, whether it is covered."""
    return {(i[0], i[1], i[3] is not None) for i in canonical(code) if i[0] not in ("JUMP", "RETURN_VALUE")}


def test_a_with_statement_is_what_the_compiler_makes() -> None:
    source = "def function(a):\n with a as b:\n  b.p()\n return b"
    text = """
    function(a) locals(b)
        LOAD_FAST a
        SETUP_WITH handler
        STORE_FAST b
        LOAD_FAST b
        LOAD_METHOD p
        CALL 0
        POP
        POP_BLOCK
        EXIT_WITH
    end:
        LOAD_FAST b
        RETURN_VALUE
    handler:
        WITH_EXCEPT
        JUMP end
    """
    assert operations(assemble(program(text))) == operations(_function(source))


def _function(source: str) -> types.CodeType:
    return next(functions(compile(source, "<compiled>", "exec")))


def test_programs_run() -> None:
    text = """
    function(a, items) locals(u) cells(c) free(d) generator
        CONST 0
        STORE_DEREF c
        LOAD_FAST items
        ITERATOR
    next:
        FOR_ITER end
        LOAD_DEREF c
        BINARY_OP +
        STORE_DEREF c
        SETUP_FINALLY handler
        LOAD_DEREF c
        YIELD_VALUE
        POP
        POP_BLOCK
        JUMP next
    handler:
        STORE_FAST u
        POP_EXCEPT
        LOAD_FAST u
        YIELD_VALUE
        POP
        JUMP next
    end:
        LOAD_DEREF d
        RETURN_VALUE
    """
    code = assemble(program(text))
    cell = types.CellType("end")
    made = types.FunctionType(code, {}, None, None, (cell,))(None, iter((1, 2, 3)))
    error = ValueError()
    assert [next(made), made.throw(error), next(made), next(made)] == [1, error, 3, 6]
    with pytest.raises(StopIteration) as stopped:
        next(made)
    assert stopped.value.value == "end"


def test_calls_below_branches_run() -> None:
    text = """
    function(a, b)
        LOAD_FAST a
        CALLABLE
        LOAD_FAST b
        COPY 1
        POP_JUMP_IF_NONE none
        CALL 1
        RETURN_VALUE
    none:
        CONST 5
        CALL (2, ('key',))
        RETURN_VALUE
    """
    code = assemble(program(text))
    function = types.FunctionType(code, {})
    assert function(lambda b, key=0: (b, key), 3) == (3, 0)
    assert function(lambda b, key=0: (b, key), None) == (None, 5)


@pytest.mark.parametrize(
    "body",
    [
        "POP\nCONST None\nRETURN_VALUE",
        "CONST 1\nJUMP L\nL:\nCONST 1\nJUMP L",
        "SETUP_FINALLY H\nCONST None\nRETURN_VALUE\nH:\nRETURN_VALUE",
        "CONST 1\nSETUP_FINALLY H\nLOAD_GLOBAL f\nPOP\nPOP\nCONST 1\nRETURN_VALUE\nH:\nPOP\nPOP_EXCEPT\nRETURN_VALUE",
        "CONST 1",
    ],
    ids=["empty stack", "growing loop", "return in a handler", "below a handler", "off the end"],
)
def test_what_no_interpreter_could_run_is_refused(body: str) -> None:
    with pytest.raises(Invalid):
        states(program("function()\n" + body))


def test_the_text_of_a_program_reads_as_the_program() -> None:
    text = """
    function(a) locals(u) cells(c) generator
    start:
        CONST 'two words'
        CONST @Thing
        CONST None
        CALL (1, ('k',))
        SETUP_FINALLY start
        POP_JUMP_IF_TRUE start
    """
    made = program(text)
    assert program(listing(made)) == made
    assert isinstance(made, Program) and made.ops[4].target == "start" and made.ops[4].arg is None


def test_a_handler_keeps_less_than_the_stack_where_versions_can() -> None:
    text = """
    function(a)
        LOAD_FAST a
        LOAD_FAST a
        SETUP_FINALLY 1 handler
        LOAD_GLOBAL f
        POP
        RETURN_VALUE
    handler:
        POP
        POP_EXCEPT
        RETURN_VALUE
    """
    if BLOCK_STACK:
        with pytest.raises(Exception, match="keeps less"):
            assemble(program(text))
    else:
        logs = [standins.run(assemble(program(text)), seed) for seed in range(20)]
        assert {log[-2][1] for log in logs} == {"returned"}
