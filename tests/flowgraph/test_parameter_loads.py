"""Parameters that lie on the stack while constants are stored are loaded afterwards."""

from __future__ import annotations

from depyf.decompiler.bytecode import Instruction, load
from depyf.decompiler.flowgraph import load_parameters_later


def function(a, b):
    c = 1
    return c


RAW = load(function.__code__)


def moved(*steps: tuple[str, object], target: int = -1) -> list[str]:
    code = [Instruction(op, arg) for op, arg in steps]
    code[-1].target = target
    load_parameters_later(code, RAW)
    return [f"{ins.op} {ins.arg}" for ins in code]


A, B, C = ("LOAD_FAST", "a"), ("LOAD_FAST", "b"), ("LOAD_FAST", "c")
STORE = (("CONST", False), ("STORE_FAST", "c"))


def test_parameters_are_loaded_later():
    assert moved(A, B, *STORE, ("JUMP", None)) == [
        "CONST False", "STORE_FAST c", "LOAD_FAST a", "LOAD_FAST b", "JUMP None",
    ]  # fmt: skip


def test_what_may_be_unbound_or_is_stored_stays():
    for steps in ((C, *STORE), (A, ("CONST", 1), ("STORE_FAST", "a")), (A, *STORE, ("DELETE_FAST", "a"))):
        before = [f"{op} {arg}" for op, arg in steps]
        assert moved(*steps, ("JUMP", None))[:-1] == before


def test_nothing_is_moved_over_the_target_of_a_jump():
    assert moved(A, *STORE, ("JUMP", None), target=1)[:-1] == ["LOAD_FAST a", "CONST False", "STORE_FAST c"]
