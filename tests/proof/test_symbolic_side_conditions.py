"""Side conditions of the symbolic proof that only hand-made instructions can break."""

from __future__ import annotations

import types
from typing import Any

from depyf.decompiler.bytecode import Handler, Instruction, load
from depyf.decompiler.proof import Verdict
from depyf.decompiler.proof.symbolic.prove import prove_instructions

RAW = load((lambda a, b, c: None).__code__)


def code(*lines: Any) -> list[Instruction]:
    """Instructions from texts "OP", pairs (OP, operand) and triples with a handler, (target, depth)."""
    found = []
    for line in lines:
        op, arg, handler = (*((line,) if isinstance(line, str) else line), None, None)[:3]
        target = arg if "JUMP" in op else -1
        found.append(Instruction(op, None if "JUMP" in op else arg, target, handler and Handler(*handler, False)))
    return found


def compared(left: list[Instruction], right: list[Instruction]) -> Verdict:
    return prove_instructions((RAW, RAW), (left, right))


def handled(*handler: Any) -> list[Instruction]:
    """A call, and its handler."""
    return code("NULL", ("LOAD_FAST", "a"), ("CALL", (0, ()), (5, 0)), "NOP", "RETURN_VALUE", *handler)


CLEAN = ("PUSH_EXC_INFO", "POP", "POP_EXCEPT", ("CONST", None), "RETURN_VALUE")
LEAKING = ("PUSH_EXC_INFO", "POP", "POP", ("CONST", None), "RETURN_VALUE")


def test_the_handled_exception_is_left_as_it_was():
    assert compared(handled(*CLEAN), handled(*CLEAN)).proven
    assert compared(handled(*LEAKING), handled(*LEAKING)).proven
    assert not compared(handled(*CLEAN), handled(*LEAKING)).proven


def test_only_what_a_handler_has_kept_ends_it():
    wrong = ("PUSH_EXC_INFO", "POP_EXCEPT", "POP", ("CONST", None), "RETURN_VALUE")
    assert not compared(handled(*wrong), handled(*wrong)).proven


def filled(*handler: Any) -> list[Instruction]:
    """A list in a variable is extended by something, which may fail."""
    return code(
        ("BUILD_LIST", 0), ("COPY", 1), ("STORE_FAST", "x"), ("LOAD_FAST", "a"), ("LIST_EXTEND", 1, (6, 0)),
        "RETURN_VALUE", *handler,
    )  # fmt: skip


def test_nobody_knows_how_far_a_list_was_filled():
    fresh = filled("POP", ("BUILD_LIST", 0), "RETURN_VALUE")
    part = filled("POP", ("LOAD_FAST", "x"), "RETURN_VALUE")
    assert compared(fresh, fresh).proven
    assert not compared(part, fresh).proven
    assert not compared(fresh, part).proven


def test_only_for_a_list_is_extending_the_same_as_adding():
    """LIST_EXTEND does not look what it extends; += asks."""
    made, given = (("BUILD_LIST", 0), ("STORE_FAST", "b")), ()
    for start, same in ((made, True), (given, False)):
        put = (*start, "NULL", ("LOAD_FAST", "c"), ("LOAD_FAST", "b"), ("CALL", (1, ())), "POP")  # others know it
        first = code(*put, ("LOAD_FAST", "b"), ("LOAD_FAST", "a"), ("LIST_EXTEND", 1), "RETURN_VALUE")
        other = code(*put, ("LOAD_FAST", "b"), ("LOAD_FAST", "a"), ("BINARY_OP", "+="), "RETURN_VALUE")
        assert compared(first, first).proven
        assert compared(first, other).proven is same


def test_only_a_list_is_made_a_tuple():
    made = code(("LOAD_FAST", "a"), ("BUILD_TUPLE", 1), "RETURN_VALUE")
    for kind, same in (("BUILD_LIST", True), ("BUILD_TUPLE", False), ("BUILD_SET", False)):
        other = code(("LOAD_FAST", "a"), (kind, 1), "LIST_TO_TUPLE", "RETURN_VALUE")
        assert compared(other, made).proven is same


def test_a_coroutine_without_the_handler_of_stop_iteration():
    body = ("RETURN_GENERATOR", ("CONST", None), "POP", ("LOAD_FAST", "a"), "RETURN_VALUE")
    plain, other = code(*body), code("LETS_STOP_ITERATION_PASS", *body)
    assert compared(other, plain).proven
    assert "raises StopIteration" in " ".join(compared(other, plain).assumptions)
    assert "raises StopIteration" not in " ".join(compared(other, other).assumptions)
    assert not compared(plain, other).proven  # no text leaves it out
    assert not compared(code(("LETS_STOP_ITERATION_PASS", (3,)), *body), plain).proven


def merged(handler: Any) -> list[Instruction]:
    return code(
        "NULL", ("LOAD_FAST", "a"), ("CONST", ()), ("BUILD_MAP", 0), ("LOAD_FAST", "b"), ("DICT_MERGE", 1, handler),
        ("CALL_EX", True), "RETURN_VALUE", "POP", ("LOAD_FAST", "c"), "RETURN_VALUE",
    )  # fmt: skip


def test_a_mapping_is_copied_where_it_is_copied():
    assert compared(merged(None), merged(None)).proven
    assert not compared(merged(None), merged((8, 0))).proven


def test_a_mapping_is_copied_when_it_is_copied():
    called = ("NULL", ("LOAD_FAST", "c"), ("CALL", (0, ())), "POP")
    copied = (("BUILD_MAP", 0), ("LOAD_FAST", "b"), ("DICT_MERGE", 1))
    function, end = ("NULL", ("LOAD_FAST", "a"), ("CONST", ())), (("CALL_EX", True), "RETURN_VALUE")
    before, after = code(*function, *copied, *called, *end), code(*function, *called, *copied, *end)
    assert compared(before, before).proven
    assert compared(after, after).proven
    assert not compared(before, after).proven


def test_a_closure_is_a_tuple():
    def made(build: str) -> list[Instruction]:
        return code(
            ("CONST", 1), ("STORE_DEREF", "x"), ("LOAD_CLOSURE", "x"), (build, 1), ("CONST", RAW),
            ("MAKE_FUNCTION", ("closure",)), "RETURN_VALUE",
        )  # fmt: skip

    raw = load((lambda a, b, c: None).__code__)
    raw.cellvars = ("x",)
    proof = prove_instructions((raw, raw), (made("BUILD_TUPLE"), made("BUILD_TUPLE")))
    assert proof.proven
    assert not prove_instructions((raw, raw), (made("BUILD_LIST"), made("BUILD_LIST"))).proven


def test_cells_and_variables_are_told_apart():
    raw = load((lambda a, b, c: None).__code__)
    raw.cellvars = ("x",)
    plain = code(("CONST", 1), ("STORE_FAST", "x"), ("LOAD_FAST", "x"), "RETURN_VALUE")
    cell = code(("CONST", 1), ("STORE_DEREF", "x"), ("LOAD_DEREF", "x"), "RETURN_VALUE")
    assert prove_instructions((raw, RAW), (cell, plain)).proven
    assert not prove_instructions((raw, raw), (plain, plain)).proven
    assert not prove_instructions((RAW, RAW), (cell, cell)).proven


def test_what_is_no_object_is_no_operand():
    used = code("NULL", ("LOAD_ATTR", "x"), "RETURN_VALUE")
    assert "no object" in compared(used, used).describe()


def test_some_objects_are_true():
    def tested(value: object) -> list[Instruction]:
        return code(("CONST", value), ("POP_JUMP_IF_TRUE", 3), "RETURN_VALUE", ("LOAD_FAST", "a"), "RETURN_VALUE")

    class Sized(type):
        def __len__(cls) -> int:
            return 0

    always = code(("LOAD_FAST", "a"), "RETURN_VALUE")
    for value in (int, types, len, RAW, (0,)):
        assert compared(tested(value), always).proven
    for other in (Sized("C", (), {}), object(), 0, ()):
        assert not compared(tested(other), always).proven


def test_endless_loops_in_which_nothing_happens():
    first = code(("JUMP", 0), "NOP")
    second = code(("CONST", 3), ("STORE_FAST", "s"), ("JUMP", 0), "NOP")
    busy = code("NULL", ("LOAD_FAST", "a"), ("CALL", (0, ())), "POP", ("JUMP", 0))
    assert compared(first, second).proven
    assert not compared(first, busy).proven
    growing = code(("BUILD_LIST", 0), ("COPY", 1), ("CONST", 1), ("LIST_APPEND", 1), ("JUMP", 1))
    assert not compared(growing, growing).proven


def test_malformed_instructions_are_not_understood():
    for lines in (("POP", "RETURN_VALUE"), (("COPY", 0), "RETURN_VALUE"), (("CONST", 1), ("SWAP", 3), "RETURN_VALUE"),
                  (("CONST", 1),), (("CONST", 1), ("LIST_APPEND", 4), "RETURN_VALUE")):  # fmt: skip
        assert "gave up" in compared(code(*lines), code(*lines)).describe()
