"""What is known at the end of a block, carried to those after it: made-up shapes, and what their text must be."""

from __future__ import annotations

from typing import Any

import pytest

from depyf.decompiler.bytecode import Handler, Instruction, load
from depyf.decompiler.names.dynamo import DYNAMO_HINTS
from depyf.decompiler.printing.printer import print_tree
from depyf.decompiler.syntax import nodes as n
from depyf.decompiler.unstructured import decompile_unstructured
from depyf.decompiler.unstructured.polish import polish
from depyf.errors import DecompilationError


def ins(program: str, handler: Handler | None = None) -> list[Instruction]:
    """``LOAD_FAST a; JUMP 3``: the argument of a jump is its target."""
    made = []
    for part in program.split("; "):
        op, _, arg = part.partition(" ")
        value: Any = int(arg) if arg.lstrip("-").isdigit() else arg or None
        jumps = "JUMP" in op or op == "FOR_ITER"
        made.append(Instruction(op, None if jumps else value, value if jumps else -1, handler))
    return made


def body(instructions: list[Instruction], carries: bool = True) -> list[str]:
    def f(a, b, c):
        x = y = tmp_1 = 1
        return x, y, tmp_1

    raw = load(f.__code__)
    result = decompile_unstructured(raw, carries=carries, instructions=instructions, naming=DYNAMO_HINTS)
    return [line.strip() for line in result.text.splitlines()[1:]]


def test_three_paths_that_end_with_a_value_each():
    code = ins(
        "LOAD_FAST a; POP_JUMP_IF_FALSE 4; CONST 1; JUMP 7; LOAD_FAST b; JUMP_IF_FALSE_OR_POP 7; LOAD_FAST c; "
        "RETURN_VALUE"
    )
    assert body(code)[-1] == "return 1 if a else c if b else b"


def test_a_private_list_lives_across_a_branch():
    code = ins(
        "LOAD_FAST a; BUILD_LIST 1; LOAD_FAST b; POP_JUMP_IF_FALSE 7; LOAD_FAST c; STORE_FAST x; JUMP 9; LOAD_FAST a; "
        "STORE_FAST x; CONST 0; BINARY_SUBSCR; RETURN_VALUE"
    )
    assert body(code)[-1] == "return a"
    assert any("[a]" in line for line in body(code, carries=False))


def test_unreachable_jumps_are_no_paths():
    """As in Dynamo's resume functions: the store of ``x`` is not drawn into the ``try`` statement behind it."""
    code = [
        *ins("LOAD_FAST a; JUMP 4; LOAD_FAST b; NOP; STORE_FAST x"),
        *ins("LOAD_FAST b; CONST 2; BINARY_OP *; RETURN_VALUE", Handler(9, 0, False)),
        *ins("PUSH_EXC_INFO; LOAD_GLOBAL g; POP; RERAISE 0", Handler(13, 1, True)),
        *ins("COPY 3; POP_EXCEPT; RERAISE 1"),
    ]
    assert body(code)[:3] == ["x = a", "try:", "return b * 2"]


def test_both_sides_of_a_branch_go_on_at_one_place():
    code = ins("LOAD_FAST a; POP_JUMP_IF_TRUE 4; CONST None; POP; LOAD_FAST b; RETURN_VALUE")
    for carries in (True, False):
        assert body(code, carries)[1:] == ["pass", "return b"]


def test_a_loop_that_changes_what_is_below_its_iterator():
    code = ins("CONST 0; LOAD_FAST a; GET_ITER; FOR_ITER 7; SWAP 3; POP; JUMP 3; RETURN_VALUE")
    with pytest.raises(DecompilationError, match="does not come back to its head"):
        body(code)


def test_a_loop_without_an_iterator_is_left_to_other_strategies():
    with pytest.raises(DecompilationError, match="a loop in code that no compiler made"):
        body(ins("LOAD_FAST a; POP_JUMP_IF_FALSE 3; JUMP 0; LOAD_FAST b; RETURN_VALUE"))


def call(name: str) -> n.Statement:
    return n.Expr(n.Call(n.Name(name), []))


def tried(*inside: n.Statement) -> str:
    statements = [n.Try([*inside], [n.ExceptHandler(None, None, [call("g"), n.Raise()])], [], []), call("g")]
    polish(statements, set())
    return print_tree(n.Module(statements))


def test_what_a_handler_and_the_code_after_it_do_is_a_finally_clause():
    assert tried(call("f")) == "try:\n    f()\nfinally:\n    g()\n"
    assert "finally" not in tried(n.If(n.Name("a"), [n.Return()], []), call("f"))  # a return would run it, too


def test_no_else_clause_after_an_arm_that_ends():
    statements: list[n.Statement] = [n.If(n.Name("a"), [n.Return()], [call("f")]), call("g")]
    polish(statements, set())
    assert print_tree(n.Module(statements)) == "if a:\n    return\nf()\ng()\n"
