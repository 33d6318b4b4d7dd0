"""The stack itself: constants, copies, swaps."""

from __future__ import annotations

from typing import Any

from ..machine import Machine
from ..state import Const, Null
from .registry import handles


@handles("NOP")
def _nop(machine: Machine, arg: Any) -> None:
    pass


@handles("LETS_STOP_ITERATION_PASS")
def _lets_stop_iteration_pass(machine: Machine, uncovered: Any) -> None:
    """No source expresses this of a function; the proof lists it as an assumption."""
    if uncovered is not None:
        raise machine.error("a handler of StopIteration covers a part of the code")


@handles("CONST")
def _const(machine: Machine, value: Any) -> None:
    machine.push(Const(value))


@handles("NULL")
def _null(machine: Machine, arg: Any) -> None:
    machine.push(Null())


@handles("POP")
def _pop(machine: Machine, arg: Any) -> None:
    machine.discard(machine.pop())


@handles("COPY")
def _copy(machine: Machine, depth: int) -> None:
    machine.push(machine.state.stack[-depth])


@handles("SWAP")
def _swap(machine: Machine, depth: int) -> None:
    stack = machine.state.stack
    stack[-1], stack[-depth] = stack[-depth], stack[-1]
