"""What the block stacks of 3.7 to 3.10 become: handler records as 3.11 has them, and copies of finally bodies.

The code is written out here as the compilers of these versions write it, so that it is read on every host.
"""

from __future__ import annotations

import pytest

from depyf.decompiler.bytecode import Instruction
from depyf.decompiler.bytecode.block_stack.unwind import unwind_blocks
from depyf.errors import DecompilationError


def assemble(text):
    """Instructions from lines ``[label:] operation [operand] [-> label]``."""
    lines = [line.split("#")[0].strip() for line in text.strip().splitlines()]
    labels, code = {}, []
    for number, line in enumerate(lines):
        if ": " in line:
            label, line = line.split(": ", 1)
            labels[label] = number
        words, _, target = line.partition(" -> ")
        op, _, operand = words.partition(" ")
        code.append((op, eval(operand) if operand else None, target))
    return [Instruction(op, arg, labels[t] if t else -1, None, 2 * n, n) for n, (op, arg, t) in enumerate(code)]


def error(reason, offset):
    return DecompilationError(reason, stage="disassemble", where=str(offset))


def converted(text, **options):
    """One line for each instruction: the operation, its operand and target, its handler (target, depth, lasti)."""
    result = unwind_blocks(assemble(text), error, **options)
    return [f"{i!r}{' ' + repr(tuple(i.handler)) if i.handler else ''}" for i in result]


def test_code_without_blocks_stays_as_it_is():
    code = assemble("LOAD_FAST 'a'\nRETURN_VALUE")
    assert unwind_blocks(code, error) is code


def test_except_clauses_and_the_name_of_the_exception():
    assert converted("""
        SETUP_FINALLY -> handler
        LOAD_FAST 'a'
        POP
        POP_BLOCK
        JUMP -> end
        handler: COPY 1
        LOAD_GLOBAL 'E'
        JUMP_IF_NOT_EXC_MATCH -> other
        POP
        STORE_FAST 'e'
        POP
        SETUP_FINALLY -> unbind
        LOAD_FAST 'b'
        POP
        POP_BLOCK
        POP_EXCEPT
        CONST None
        STORE_FAST 'e'
        DELETE_FAST 'e'
        JUMP -> end
        unbind: CONST None
        STORE_FAST 'e'
        DELETE_FAST 'e'
        RERAISE 1
        other: RERAISE 0
        end: CONST None
        RETURN_VALUE
    """) == [
        "NOP",
        "LOAD_FAST 'a' (4, 0, False)",
        "POP (4, 0, False)",
        "JUMP -> 21",
        "PUSH_EXC_INFO (23, 1, True)",
        "LOAD_GLOBAL 'E' (23, 1, True)",
        "CHECK_EXC_MATCH (23, 1, True)",
        "POP_JUMP_IF_FALSE -> 20 (23, 1, True)",
        "STORE_FAST 'e' (23, 1, True)",
        "LOAD_FAST 'b' (16, 1, True)",
        "POP (16, 1, True)",
        "POP_EXCEPT",
        "CONST None",
        "STORE_FAST 'e'",
        "DELETE_FAST 'e'",
        "JUMP -> 21",
        "CONST None (23, 1, True)",
        "STORE_FAST 'e' (23, 1, True)",
        "DELETE_FAST 'e' (23, 1, True)",
        "RERAISE 1 (23, 1, True)",
        "RERAISE 0 (23, 1, True)",
        "CONST None",
        "RETURN_VALUE",
        "COPY 3",
        "POP_EXCEPT",
        "RERAISE 1",
    ]  # fmt: skip


WITH = [
    "LOAD_FAST 'a'",
    "BEFORE_WITH",
    "POP (9, 1, True)",
    "LOAD_FAST 'b' (9, 1, True)",
    "SWAP 2",
    "CONST None",
    "CONST None",
    "CONST None",
    "CALL (2, ())",
]
SWALLOWING = [
    "PUSH_EXC_INFO ({0}, 3, True)",
    "WITH_EXCEPT_START ({0}, 3, True)",
    "POP_JUMP_IF_TRUE -> {1} ({0}, 3, True)",
    "RERAISE 2 ({0}, 3, True)",
    "POP ({0}, 3, True)",
    "POP_EXCEPT",
    "POP",
    "POP",
    "CONST None",
    "RETURN_VALUE",
    "COPY 3",
    "POP_EXCEPT",
    "RERAISE 1",
]


def test_a_return_in_a_with_statement():
    found = converted("""
        LOAD_FAST 'a'
        SETUP_WITH -> handler
        POP
        LOAD_FAST 'b'
        POP_BLOCK
        SWAP 2
        CONST None
        COPY 1
        COPY 1
        CALL_FUNCTION (3, ())
        POP
        RETURN_VALUE
        handler: WITH_EXCEPT_START
        POP_JUMP_IF_TRUE -> swallowed
        RERAISE 1
        swallowed: POP
        POP
        POP
        POP_EXCEPT
        POP
        CONST None
        RETURN_VALUE
    """)
    before = [line.replace("(9,", "(11,") for line in WITH]
    assert found == [*before, "POP", "RETURN_VALUE", *(line.format(21, 15) for line in SWALLOWING)]


def test_a_return_in_a_with_statement_of_3_8_is_the_same():
    found = converted("""
        LOAD_FAST 'a'
        SETUP_WITH -> handler
        POP
        LOAD_FAST 'b'
        POP_BLOCK
        SWAP 2
        BEGIN_FINALLY
        WITH_CLEANUP_START
        WITH_CLEANUP_FINISH
        POP_FINALLY 0
        RETURN_VALUE
        handler: WITH_CLEANUP_START
        WITH_CLEANUP_FINISH
        END_FINALLY
        CONST None
        RETURN_VALUE
    """)
    before = [line.replace("(9,", "(11,") for line in WITH]
    assert found == [*before, "POP", "RETURN_VALUE", *(line.format(21, 15) for line in SWALLOWING)]


@pytest.mark.parametrize(
    ("way_out", "reason"),
    [
        ("WITH_CLEANUP_START / POP / POP_FINALLY 0", "POP_FINALLY outside a finally body"),
        ("WITH_CLEANUP_START / POP / POP / POP_FINALLY 0", "only the end of a statement may take .exited for"),
        ("WITH_CLEANUP_START / WITH_CLEANUP_FINISH / POP", "only the end of a statement may take .return"),
        ("CONST 1 / WITH_CLEANUP_FINISH / POP_FINALLY 0", "WITH_CLEANUP_FINISH without its WITH_CLEANUP_START"),
    ],
)
def test_what_the_end_of_a_with_statement_of_3_8_leaves_on_the_stack(way_out, reason):
    """Two entries and the one that says where to go on: the call of the exit function stands for all of them later."""
    lines = ["LOAD_FAST 'a'", "SETUP_WITH -> h", "POP", "POP_BLOCK", "BEGIN_FINALLY", *way_out.split(" / ")]
    lines += ["CONST 1", "RETURN_VALUE", "h: WITH_CLEANUP_START", "WITH_CLEANUP_FINISH", "END_FINALLY", *lines[-2:]]
    lines += ["CONST 2", "RETURN_VALUE"]
    with pytest.raises(DecompilationError, match=reason):
        converted("\n".join(lines))


FINALLY = [
    "NOP",
    "LOAD_FAST 'a' (6, 0, False)",
    "LOAD_GLOBAL 'f'",  # the copy before the return
    "CALL_FUNCTION (0, ())",
    "POP",
    "RETURN_VALUE",
    "PUSH_EXC_INFO (11, 1, True)",
    "LOAD_GLOBAL 'f' (11, 1, True)",
    "CALL_FUNCTION (0, ()) (11, 1, True)",
    "POP (11, 1, True)",
    "RERAISE 0 (11, 1, True)",
    "COPY 3",
    "POP_EXCEPT",
    "RERAISE 1",
]


def test_the_copies_of_a_finally_body():
    assert converted("""
        SETUP_FINALLY -> handler
        LOAD_FAST 'a'
        POP_BLOCK
        LOAD_GLOBAL 'f'
        CALL_FUNCTION (0, ())
        POP
        RETURN_VALUE
        handler: LOAD_GLOBAL 'f'
        CALL_FUNCTION (0, ())
        POP
        RERAISE 0
    """) == FINALLY


def test_a_finally_body_called_as_a_subroutine_is_copied():
    assert converted("""
        SETUP_FINALLY -> body
        LOAD_FAST 'a'
        POP_BLOCK
        CALL_FINALLY -> body
        RETURN_VALUE
        body: LOAD_GLOBAL 'f'
        CALL_FUNCTION (0, ())
        POP
        END_FINALLY
        CONST None
        RETURN_VALUE
    """) == FINALLY


def test_a_return_that_unwinds_into_a_finally_body_makes_it_copied():
    assert converted("""
        SETUP_FINALLY -> body
        LOAD_FAST 'a'
        RETURN_VALUE
        body: LOAD_GLOBAL 'f'
        CALL_FUNCTION (0, ())
        POP
        END_FINALLY
        CONST None
        RETURN_VALUE
    """, loops_are_blocks=True) == FINALLY  # fmt: skip


def test_break_and_continue_unwind_the_blocks_of_3_7():
    found = converted("""
        SETUP_LOOP -> after
        LOAD_FAST 'a'
        GET_ITER
        loop: FOR_ITER -> exhausted
        POP
        SETUP_FINALLY -> body
        LOAD_FAST 'b'
        POP_JUMP_IF_FALSE -> more
        BREAK_LOOP
        more: CONTINUE_LOOP -> loop
        body: LOAD_GLOBAL 'f'
        POP
        END_FINALLY
        JUMP -> loop
        exhausted: POP_BLOCK
        after: CONST None
        RETURN_VALUE
    """, loops_are_blocks=True)  # fmt: skip
    assert found == [
        "LOAD_FAST 'a'",
        "GET_ITER",
        "FOR_ITER -> 18",
        "POP",
        "NOP",
        "LOAD_FAST 'b' (14, 1, False)",
        "POP_JUMP_IF_FALSE -> 11 (14, 1, False)",
        "LOAD_GLOBAL 'f'",
        "POP",
        "POP",  # the iterator
        "JUMP -> 18",
        "LOAD_GLOBAL 'f'",
        "POP",
        "JUMP -> 2",
        "PUSH_EXC_INFO (20, 2, True)",
        "LOAD_GLOBAL 'f' (20, 2, True)",
        "POP (20, 2, True)",
        "RERAISE 0 (20, 2, True)",
        "CONST None",
        "RETURN_VALUE",
        "COPY 3",
        "POP_EXCEPT",
        "RERAISE 1",
    ]


def test_an_async_loop_ends_in_its_handler():
    assert converted("""
        LOAD_FAST 'a'
        GET_AITER
        loop: SETUP_FINALLY -> end
        GET_ANEXT
        CONST None
        YIELD_FROM
        POP_BLOCK
        POP
        JUMP -> loop
        end: END_ASYNC_FOR
        CONST None
        RETURN_VALUE
    """) == [
        "LOAD_FAST 'a'",
        "GET_AITER",
        "GET_ANEXT (7, 1, False)",
        "CONST None (7, 1, False)",
        "YIELD_FROM (7, 1, False)",
        "POP",
        "JUMP -> 2",
        "END_ASYNC_FOR",
        "CONST None",
        "RETURN_VALUE",
    ]  # fmt: skip


def test_a_return_from_a_handler_goes_below_what_was_handled_before():
    found = converted("""
        SETUP_FINALLY -> handler
        LOAD_FAST 'a'
        POP_BLOCK
        RETURN_VALUE
        handler: POP
        POP
        POP
        LOAD_FAST 'b'
        SWAP 4
        SWAP 3
        SWAP 2
        POP_EXCEPT
        RETURN_VALUE
    """)
    assert found[3:8] == [
        "PUSH_EXC_INFO (9, 1, True)",
        "POP (9, 1, True)",
        "LOAD_FAST 'b' (9, 1, True)",
        "SWAP 2 (9, 1, True)",
        "POP_EXCEPT",
    ]  # fmt: skip


REFUSED = {
    "the block stack is empty": "POP_BLOCK / POP_BLOCK / h: RERAISE 0",
    "the stack is empty": "POP / h: RERAISE 0",
    "POP_EXCEPT where no exception is handled": "POP_EXCEPT / h: RERAISE 0",
    "RERAISE without its exception": "RERAISE 0 / h: RERAISE 0",
    "drops the exception that was handled before": "JUMP -> x / h: POP / POP / POP / POP / x: CONST 1 / RETURN_VALUE",
    "two layouts of the stack meet": "CONST 1 / POP_JUMP_IF_TRUE -> x / CONST 2 / x: NOP / RETURN_VALUE / h: RERAISE 0",
    "uses what a statement keeps": "NOP / POP_BLOCK / JUMP -> x / h: POP / LOAD_ATTR 'a' / x: CONST 1 / RETURN_VALUE",
    "exception match against something else": "CONST 1 / CONST 2 / JUMP_IF_NOT_EXC_MATCH -> h / h: RERAISE 0",
    "control runs off the end": "NOP / h: NOP",
    "a copy of what a statement keeps": "CONST 1 / RETURN_VALUE / h: COPY 2 / RERAISE 0",
    "outside the handler of a with": "CONST 1 / RETURN_VALUE / h: WITH_EXCEPT_START / POP / RERAISE 0",
}


@pytest.mark.parametrize("reason", REFUSED)
def test_what_no_compiler_makes_is_refused(reason):
    with pytest.raises(DecompilationError, match=reason):
        converted("\n".join(["SETUP_FINALLY -> h", *REFUSED[reason].split(" / ")]))


def test_a_handler_needs_room_for_six_entries():
    text = "SETUP_FINALLY -> h\nCONST 1\nPOP\nPOP_BLOCK\nCONST 1\nRETURN_VALUE\nh: RERAISE 0"
    assert converted(text, room=6) == converted(text)
    with pytest.raises(DecompilationError, match="6 entries, with room for 5"):
        converted(text, room=5)


def test_copies_have_a_budget():
    depth = 20
    lines = []
    for level in range(depth):  # each body calls the next one twice
        lines += [f"b{level}: CALL_FINALLY -> b{level + 1}", f"CALL_FINALLY -> b{level + 1}", "END_FINALLY"]
    text = "\n".join(
        ["SETUP_FINALLY -> b0", "LOAD_FAST 'a'", "POP_BLOCK", "CALL_FINALLY -> b0", "RETURN_VALUE", *lines]
    )
    with pytest.raises(DecompilationError, match="copies of finally bodies are too many"):
        converted(f"{text}\nb{depth}: LOAD_FAST 'a'\nPOP\nEND_FINALLY")
