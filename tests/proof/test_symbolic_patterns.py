"""Parts that a pattern looks up: a new tuple, whose items both codes know, or None."""

from __future__ import annotations

from typing import Any, Tuple

import pytest

from depyf.decompiler.bytecode import Instruction, load
from depyf.decompiler.proof.symbolic.prove import prove_instructions

RAW = load((lambda a, b, c: None).__code__)
KEPT: Tuple[Any, ...] = (("STORE_FAST", "t"), ("LOAD_FAST", "t"))
REBUILT = (("STORE_FAST", "t"), ("LOAD_FAST", "t"), "POP_JUMP_IF_NONE", ("LOAD_FAST", "t"), ("UNPACK_SEQUENCE", 2))
PAIR = (("COPY", 1), ("BUILD_TUPLE", 2))


def looked_up(op: str, *rest: Any, subject: str = "a", names: Any = ("p", "q")) -> list[Instruction]:
    """A lookup, the operations ``rest`` on what it gives, and a return; jumps return None."""
    operands: list[Any] = [("LOAD_FAST", subject), ("CONST", names)]
    if "CLASS" in op:
        operands.insert(1, ("LOAD_FAST", "b"))
    lines = [*operands, (op, 0 if "CLASS" in op else None), *rest, "RETURN_VALUE", ("CONST", None), "RETURN_VALUE"]
    found = []
    for line in lines:
        name, arg = (line, None) if isinstance(line, str) else line
        found.append(Instruction(name, arg, len(lines) - 2 if "JUMP" in name else -1))
    return found


def proven(left: list[Instruction], right: list[Instruction]) -> bool:
    return prove_instructions((RAW, RAW), (left, right)).proven


@pytest.mark.parametrize("op", ["MATCH_CLASS", "MATCH_KEYS"])
def test_a_tuple_of_the_same_items_is_as_good(op: str):
    rebuilt = looked_up(op, *REBUILT, ("SWAP", 2), ("BUILD_TUPLE", 2))
    assert proven(looked_up(op, *KEPT), rebuilt)
    assert not proven(looked_up(op, *KEPT), looked_up(op, *REBUILT, ("BUILD_TUPLE", 2)))


@pytest.mark.parametrize("op", ["MATCH_CLASS", "MATCH_KEYS"])
def test_but_it_is_another_one(op: str):
    again = ("LOAD_FAST", "t"), ("BUILD_TUPLE", 2)
    rebuilt = looked_up(op, *REBUILT, ("SWAP", 2), ("BUILD_TUPLE", 2), *again)
    assert proven(looked_up(op, *KEPT, *PAIR), looked_up(op, *KEPT, *again))
    assert not proven(looked_up(op, *KEPT, *PAIR), rebuilt)


@pytest.mark.parametrize("op", ["MATCH_CLASS", "MATCH_CLASS_AND_TEST", "MATCH_KEYS", "MATCH_KEYS_AND_TEST"])
def test_what_is_looked_up_and_where_is_part_of_it(op: str):
    assert proven(looked_up(op), looked_up(op))
    assert not proven(looked_up(op), looked_up(op, subject="c"))
    assert not proven(looked_up(op), looked_up(op, names=("p", "r")))
    assert not proven(looked_up(op), looked_up(op, names=("q", "p")))


def test_without_a_match_the_subject_is_left_where_python_3_10_leaves_it():
    def left_is(op: str, line: Any) -> bool:
        failed = looked_up(op, "POP_JUMP_IF_TRUE")
        return proven(failed, looked_up(op, "POP_JUMP_IF_TRUE", "POP", line))

    assert left_is("MATCH_CLASS_AND_TEST", ("LOAD_FAST", "a"))
    assert not left_is("MATCH_KEYS_AND_TEST", ("LOAD_FAST", "a"))
    assert left_is("MATCH_KEYS_AND_TEST", ("CONST", None))


def test_a_length_is_what_len_gives_by_assumption():
    def returned(*lines: Any) -> list[Instruction]:
        return [Instruction(*(line if isinstance(line, tuple) else (line, None))) for line in (*lines, "RETURN_VALUE")]

    length = returned(("LOAD_FAST", "a"), "GET_LEN")
    called = returned(("LOAD_GLOBAL", "len"), "NULL", ("LOAD_FAST", "a"), ("CALL", (1, ())))
    verdict = prove_instructions((RAW, RAW), (length, called))
    assert verdict.proven
    assert "the global name len is the builtin" in verdict.assumptions
    assert not proven(length, returned(("LOAD_GLOBAL", "len"), "NULL", ("LOAD_FAST", "b"), ("CALL", (1, ()))))
    assert not proven(called, length)
