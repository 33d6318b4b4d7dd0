"""The handled exception, and assertions."""

from __future__ import annotations

from typing import Any

from ..machine import Machine
from ..state import Pure, Raised
from .registry import handles


@handles("PUSH_EXC_INFO")
def _push_exc_info(machine: Machine, arg: Any) -> None:
    exception = machine.pop()
    machine.push(Raised("handled before"))
    machine.push(exception)


@handles("POP_EXCEPT")
def _pop_except(machine: Machine, arg: Any) -> None:
    machine.flush()
    if not isinstance(machine.pop(), Raised):
        raise machine.error("POP_EXCEPT finds no exception")


@handles("LOAD_ASSERTION_ERROR")
def _load_assertion_error(machine: Machine, arg: Any) -> None:
    machine.push(Pure("AssertionError", ()))
