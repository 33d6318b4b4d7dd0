"""What try and with statements keep on the stack."""

from __future__ import annotations

from ...bytecode import Instruction
from ..symbolic_stack import SymbolicStack
from ..values import Marker, Matches
from .registry import handles


@handles("PUSH_EXC_INFO")
def _push_exception(state: SymbolicStack, instruction: Instruction) -> None:
    value = state.take()
    if not isinstance(value, Marker) or value.kind != "exception":
        state.refuse("a handler begins without an exception")
    state.push(Marker("handled", value.owner))
    state.push(value)


@handles("CHECK_EXC_MATCH")
def _match_exception(state: SymbolicStack, instruction: Instruction) -> None:
    state.push(Matches(state.pop(), instruction.arg == "*"))


@handles("POP_EXCEPT")
def _pop_except(state: SymbolicStack, instruction: Instruction) -> None:
    value = state.take()
    if not isinstance(value, Marker) or value.kind != "handled":
        state.refuse("a handler ends with something else on the stack than its exception")


@handles("WITH_EXCEPT_START")
def _with_except_start(state: SymbolicStack, instruction: Instruction) -> None:
    state.push(Marker("swallow", None))
