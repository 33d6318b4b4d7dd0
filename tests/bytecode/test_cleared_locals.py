"""Stores of NULL to variables that have no value do nothing."""

from __future__ import annotations

from depyf.decompiler.bytecode import Instruction
from depyf.decompiler.bytecode.canonical.cleared_locals import drop_unbound_stores, name_saved_nulls


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


def named(*steps: tuple[object, ...], parameters: tuple[str, ...] = ("a",)) -> list[str]:
    return [repr(ins) for ins in name_saved_nulls(code(*steps), parameters)]


def loop(start: int = 1) -> tuple[tuple[object, ...], ...]:
    """The loop of a comprehension, from this index on."""
    return (
        ("LOAD_FAST", "a"), ("BUILD_LIST", 0), ("SWAP", 2), ("FOR_ITER", None, start + 8), ("STORE_FAST", "i"),
        ("LOAD_FAST", "i"), ("LIST_APPEND", 2), ("JUMP", None, start + 3),
    )  # fmt: skip


def test_a_null_that_a_comprehension_restores():
    """Dynamo makes such a function of a comprehension alone, where the variable was unbound."""
    steps = (("NULL",), *loop(), ("SWAP", 2), ("STORE_FAST", "i"), ("RETURN_VALUE",))
    found = named(*steps)
    assert found[0] == "LOAD_FAST_AND_CLEAR 'i'"
    assert found[1:] == [repr(ins) for ins in code(*steps)][1:]


def test_nulls_that_are_no_saved_variables():
    for end in (
        [("SWAP", 2), ("STORE_FAST", "a"), ("RETURN_VALUE",)],  # a parameter: it has a value
        [("SWAP", 2), ("STORE_FAST", "i"), ("COPY", 1), ("RETURN_VALUE",), ("STORE_FAST", "j")],
        [("CALL", (0, ())), ("RETURN_VALUE",)],  # the empty slot of a call
        [("POP_JUMP_IF_TRUE", None, 13), ("STORE_FAST", "i"), ("CONST", 1), ("RETURN_VALUE",), ("STORE_FAST", "j"),
         ("CONST", 1), ("RETURN_VALUE",)],
    ):  # fmt: skip
        steps = (("NULL",), *loop(), *end)
        changed = named(*steps)[0] != "NULL"
        assert changed == (end[:2] == [("SWAP", 2), ("STORE_FAST", "i")])
    stored_before = (("CONST", 1), ("STORE_FAST", "i"), ("NULL",), *loop(3), ("SWAP", 2), ("STORE_FAST", "i"), *REST)
    assert "NULL" in named(*stored_before)
