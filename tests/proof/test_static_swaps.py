"""Stores behind SWAPs: what is brought into one form, and what is left alone."""

from __future__ import annotations

from depyf.decompiler.bytecode import Handler, Instruction
from depyf.decompiler.proof.lockstep.static_swaps import settle_swaps


def settled(*steps: str) -> list[str]:
    """``steps`` such as 'SWAP 2' or 'STORE_FAST x' after settling, without NOPs."""
    instructions = []
    for step in steps:
        op, _, operand = step.partition(" ")
        target = int(operand) if op == "JUMP" else -1
        instructions.append(Instruction(op, int(operand) if op == "SWAP" else operand or None, target))
    result = settle_swaps(instructions)
    assert len(result) == len(instructions)  # jumps keep their targets
    return [i.op if i.arg is None else f"{i.op} {i.arg}" for i in result if i.op != "NOP"]


def test_stores_behind_swaps():
    assert settled("SWAP 2", "STORE_FAST a", "STORE_FAST b") == ["STORE_FAST b", "STORE_FAST a"]
    assert settled("SWAP 3", "STORE_FAST a", "STORE_FAST b", "STORE_FAST c") == [
        "STORE_FAST c", "STORE_FAST b", "STORE_FAST a",
    ]  # fmt: skip
    assert settled("SWAP 2", "POP", "STORE_FAST a") == ["STORE_FAST a", "POP"]
    assert settled("SWAP 2", "STORE_FAST a", "SWAP 2", "STORE_FAST b", "STORE_FAST c") == [
        "STORE_FAST c", "STORE_FAST a", "STORE_FAST b",
    ]  # fmt: skip


def test_the_last_store_to_a_variable_counts():
    assert settled("SWAP 2", "STORE_FAST a", "STORE_FAST a") == ["STORE_FAST a", "POP"]
    assert settled("STORE_FAST a", "STORE_FAST a") == ["STORE_FAST a", "STORE_FAST a"]


def test_what_leaves_a_swapped_stack_stays():
    for steps in (
        ("SWAP 2", "STORE_FAST a"),
        ("SWAP 3", "STORE_FAST a", "STORE_FAST b"),
        ("SWAP 2", "STORE_DEREF a", "STORE_FAST b"),
        ("SWAP 2", "STORE_FAST a", "CONST", "STORE_FAST b"),
    ):
        assert settled(*steps) == list(steps)


def test_what_is_jumped_into_stays():
    assert settled("SWAP 2", "STORE_FAST a", "STORE_FAST b", "JUMP 1")[:3] == [
        "SWAP 2", "STORE_FAST a", "STORE_FAST b",
    ]  # fmt: skip
    handled = [Instruction("SWAP", 2), Instruction("STORE_FAST", "a"), Instruction("STORE_FAST", "b")]
    handled.append(Instruction("CALL", (0, ()), handler=Handler(2, 0, False)))
    assert [i.op for i in settle_swaps(handled)] == ["SWAP", "STORE_FAST", "STORE_FAST", "CALL"]
