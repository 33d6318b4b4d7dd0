"""Tests of conditional jumps."""

from __future__ import annotations

from typing import Any

from ..bytecode import Instruction
from ..syntax import nodes as n

_KNOWN = (bool, int, str, bytes, type(None), float, tuple)
"""Types whose truth value can be computed without running code of the program."""


def outcome(ins: Instruction, constant: Any) -> bool | None:
    """Whether the conditional jump ``ins`` is taken for a constant; None if unknown."""
    if "NONE" in ins.op:
        return (constant is None) == ins.op.endswith("IF_NONE")
    if type(constant) in _KNOWN:
        return bool(constant) == ("IF_TRUE" in ins.op)
    return None


def negation(test: n.Expression) -> n.Expression:
    """Return ``not test``, simplified."""
    if isinstance(test, n.Compare) and len(test.ops) == 1 and test.ops[0] in ("is", "is not"):
        return n.Compare(test.left, ["is not" if test.ops[0] == "is" else "is"], test.comparators)
    if isinstance(test, n.UnaryOp) and test.op == "not":
        return test.operand
    return n.UnaryOp("not", test)
