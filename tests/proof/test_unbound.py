"""Which loads may find their variable unbound."""

from __future__ import annotations

from depyf.decompiler.bytecode import Instruction, load
from depyf.decompiler.proof.lockstep.normalize import normalize_instructions
from depyf.decompiler.proof.lockstep.unbound import may_be_unbound

RAW = load((lambda: None).__code__)


def unbound(*steps: str) -> list[str]:
    """The steps that may find their variable unbound, of ``steps`` such as 'STORE_FAST x', in a function."""
    instructions = [Instruction(op, name or None) for op, _, name in (step.partition(" ") for step in steps)]
    form = normalize_instructions(RAW, [*instructions, Instruction("RETURN_VALUE")])
    return [steps[index] for index in sorted(may_be_unbound(form))]


def test_what_is_stored_before_is_bound():
    assert unbound("CONST", "STORE_FAST x", "LOAD_FAST x") == []
    assert unbound("LOAD_FAST x", "POP", "LOAD_FAST x") == ["LOAD_FAST x"]
    assert unbound("CONST", "STORE_FAST x", "DELETE_FAST x", "LOAD_FAST x") == ["LOAD_FAST x"]


def test_a_comprehension_clears_its_variables():
    assert unbound("CONST", "STORE_FAST x", "LOAD_FAST_AND_CLEAR x", "POP", "LOAD_FAST x") == ["LOAD_FAST x"]


def test_what_a_comprehension_puts_back_may_be_nothing():
    assert unbound("LOAD_FAST_AND_CLEAR x", "STORE_FAST x", "LOAD_FAST x") == ["LOAD_FAST x"]
    assert unbound("LOAD_FAST_AND_CLEAR x", "STORE_FAST x", "CONST", "STORE_FAST y", "LOAD_FAST y") == []
