"""The operations that this room executes differently: with statements, and the handled exception.

The call of an exit function and its await are not written: leaving the with statement performs them.
"""

from __future__ import annotations

from typing import Any

from ..stack_machine.machine import Handlers, Machine
from ..stack_machine.operations import HANDLERS as EVERY_HANDLER
from ..stack_machine.state import Const, Raised
from .patterns import HANDLERS as PATTERNS


def _jump(machine: Machine, arg: Any) -> None:
    pass


def _call(machine: Machine, arg: Any) -> None:
    if arg == (2, ()) and _calls_exit_function(machine):
        machine.pop_many(4)
        machine.push(Raised("left"))
    else:
        EVERY_HANDLER["CALL"](machine, arg)


def _calls_exit_function(machine: Machine) -> bool:
    """Whether a call of two arguments is the exit call after the body of a with statement."""
    function, *arguments = machine.state.stack[-4:]
    nothing = all(isinstance(one, Const) and one.value is None for one in arguments)
    return isinstance(function, Raised) and function.hint == "exit" and nothing


def _get_awaitable(machine: Machine, arg: Any) -> None:
    if isinstance(machine.state.stack[-1], Raised):
        machine.next_index += 2
    else:
        EVERY_HANDLER["GET_AWAITABLE"](machine, arg)


def _pop_except(machine: Machine, arg: Any) -> None:
    machine.pop()  # pending events are flushed at the end of the node, to variables where needed


HANDLERS: Handlers = {
    **EVERY_HANDLER,
    **PATTERNS,
    "CALL": _call,
    "GET_AWAITABLE": _get_awaitable,
    "JUMP": _jump,
    "POP_EXCEPT": _pop_except,
}

_NOT_CARRIED = frozenset(
    {"BUILD_MAP_UNPACK", "BUILD_SET_UNPACK", "CONVERT_VALUE", "EAGER_IMPORT_NAME", "GET_AITER", "GET_AWAITABLE",
     "GET_YIELD_FROM_ITER", "IMPORT_NAME", "LOAD_ASSERTION_ERROR", "LOAD_SUPER_ATTR", "MAP_ADD", "SET_ADD",
     "SET_UPDATE", "TO_BOOL"}
)  # fmt: skip
"""Operations that compilers' code has, and that of tools hardly: other strategies give better text."""

CARRIED: Handlers = {operation: handler for operation, handler in HANDLERS.items() if operation not in _NOT_CARRIED}
"""The operations of blocks whose states are carried."""
