"""Every canonical operation is followed in detail, an event as it stands, or refused with a reason."""

from __future__ import annotations

from typing import Any

import pytest

from depyf.decompiler.bytecode import CONDITIONAL_JUMPS, Instruction, load
from depyf.decompiler.bytecode.instruction import OPERATIONS
from depyf.decompiler.proof.symbolic.operations import EVENTS, NOT_UNDERSTOOD
from depyf.decompiler.proof.symbolic.state import Constants, NotUnderstood, Numbers, Pair, ProofEvent, Side
from depyf.decompiler.proof.symbolic.steps import Split, SymbolicStepper

SILENT = frozenset(
    {"NOP", "JUMP", "CONST", "NULL", "POP", "COPY", "SWAP", "LOAD_FAST", "STORE_FAST", "DELETE_FAST", "LOAD_CLOSURE",
     "LOAD_FAST_AND_CLEAR", "BUILD_TUPLE", "BUILD_LIST", "BUILD_MAP", "BUILD_CONST_KEY_MAP", "BUILD_SLICE",
     "MAKE_FUNCTION", "LOAD_ASSERTION_ERROR", "LOAD_COMMON_CONSTANT", "IS_OP", "PUSH_EXC_INFO", "POP_EXCEPT", "RERAISE"}
)  # fmt: skip
"""Those that are no event on values of which nothing is known, where all variables are bound."""

TO_DECIDE = frozenset({"POP_JUMP_IF_NONE", "POP_JUMP_IF_NOT_NONE"})
"""Those that both outcomes of are followed, without an event."""

ARGUMENTS: dict[str, Any] = {
    "CONST": 1, "COPY": 1, "SWAP": 2, "CALL": (1, ()), "CALL_FUNCTION": (1, ()), "CALL_EX": False,
    "CALL_FUNCTION_EX": False, "MAKE_FUNCTION": (), "FORMAT_VALUE": ("", False), "BUILD_INTERPOLATION": ("", False),
    "UNPACK_EX": (1, 0), "INTRINSIC": ("PRINT", 1), "RAISE_VARARGS": 1, "UNARY_OP": "-", "BINARY_OP": "+",
    "COMPARE_OP": "<", "CONTAINS_OP": "in", "IS_OP": "is", "LOAD_SUPER_ATTR": ("x", False),
}  # fmt: skip
NAMES = {op for op in OPERATIONS if op.endswith(("_FAST", "_DEREF", "_CLOSURE", "_CLEAR", "_NAME", "_ATTR", "_GLOBAL"))}


def outcome(op: str) -> ProofEvent | Split | None:
    """What a side finds that stands at this operation, with unknown values on its stack."""
    constants, numbers, side = Constants(), Numbers(), Side()
    raw = load((lambda: None).__code__)
    raw.cellvars = ("x",) if "DEREF" in op or op == "LOAD_CLOSURE" else ()
    argument = ARGUMENTS.get(op, "x" if op in NAMES else 1)
    ins = Instruction(op, argument, 0 if op in CONDITIONAL_JUMPS or op == "JUMP" else -1)
    stepper = SymbolicStepper(raw, [ins, ins], constants, numbers)
    stepper.shared_cells = frozenset({"x"})
    side.locals["x"] = numbers.value()
    side.stack = [numbers.value() for _ in range(8)]
    if op == "MAKE_FUNCTION":
        side.stack.append(constants.term(raw))
    elif op == "BUILD_CONST_KEY_MAP":
        side.stack.append(constants.term(("x",)))
    elif op == "BUILD_MAP":
        side.stack[-2] = constants.term("x")
    elif op == "POP_EXCEPT":
        side.stack.append(("before", numbers.value()))
    elif op == "CALL_EX":
        side.stack[-3] = ("null",)
    return stepper.step(side, Pair(side, Side()), ins)


def test_every_operation_is_known():
    detailed = {op for op in OPERATIONS if hasattr(SymbolicStepper, "do_" + op)}
    in_step = CONDITIONAL_JUMPS | {"JUMP", "RETURN_VALUE", "RERAISE", "RAISE_VARARGS"}
    kinds = (detailed, in_step, EVENTS, frozenset(NOT_UNDERSTOOD))
    for op in OPERATIONS:
        assert sum(op in kind for kind in kinds) == 1, op
    assert set().union(*kinds) == set(OPERATIONS)
    assert all(NOT_UNDERSTOOD.values())


@pytest.mark.parametrize("op", sorted(OPERATIONS))
def test_operation(op: str):
    if op in NOT_UNDERSTOOD:
        with pytest.raises(NotUnderstood, match=op):
            outcome(op)
        return
    found = outcome(op)
    if op in SILENT:
        assert found is None
    elif op in TO_DECIDE:
        assert isinstance(found, Split)
    else:
        assert isinstance(found, ProofEvent)


def test_operands_and_what_stands_in_the_instruction_are_part_of_the_event():
    for op in sorted(EVENTS):
        found = outcome(op)
        assert isinstance(found, ProofEvent) and found.op == op
        pops = OPERATIONS[op]
        pops = (pops(ARGUMENTS.get(op, 1)) if callable(pops) else pops)[0]
        assert len(found.operands) >= pops
        assert found.static == ARGUMENTS.get(op, "x" if op in NAMES else 1)
