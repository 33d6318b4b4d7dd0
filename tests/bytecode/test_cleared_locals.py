"""Stores of NULL to variables that have no value do nothing."""

from __future__ import annotations

from depyf.decompiler.bytecode import Instruction
from depyf.decompiler.bytecode.canonical.cleared_locals import drop_unbound_stores


def code(*steps: tuple[object, ...]) -> list[Instruction]:
    return [Instruction(str(op), *rest) for op, *rest in steps]  # type: ignore[arg-type]


def after(*steps: tuple[object, ...], parameters: tuple[str, ...] = ("a",)) -> list[str]:
    return [repr(ins) for ins in drop_unbound_stores(code(*steps), parameters)]


REST = (("LOAD_FAST", "a"), ("RETURN_VALUE",))


def test_a_variable_without_a_value():
    assert after(("LOAD_FAST", "a"), ("NULL",), ("STORE_FAST", "i"), *REST) == [
        "LOAD_FAST 'a'", "LOAD_FAST 'a'", "RETURN_VALUE",
    ]  # fmt: skip


def test_a_parameter_and_a_variable_with_a_value():
    for steps in (
        (("NULL",), ("STORE_FAST", "a"), *REST),
        (("CONST", 1), ("STORE_FAST", "i"), ("NULL",), ("STORE_FAST", "i"), *REST),
    ):
        assert len(after(*steps)) == len(steps)


def test_behind_a_jump_and_where_a_jump_leads():
    behind = (("POP_JUMP_IF_TRUE", None, 1), ("NULL",), ("STORE_FAST", "i"), *REST)
    assert len(after(*behind)) == len(behind)
    leads = (("NULL",), ("STORE_FAST", "i"), ("JUMP", None, 0))
    assert len(after(*leads)) == len(leads)


def test_the_second_slot_of_a_method_is_no_empty_one():
    """It is the object, if the attribute is a method of its class."""
    steps = (("LOAD_FAST", "a"), ("LOAD_ATTR", "m"), ("NULL",), ("STORE_FAST", "i"), ("POP",), *REST)
    instructions = code(*steps)
    instructions[1].offset = instructions[2].offset = 2
    assert len(drop_unbound_stores(instructions, ("a",))) == len(steps)
    instructions[2].offset = 4
    assert len(drop_unbound_stores(instructions, ("a",))) == len(steps) - 2
