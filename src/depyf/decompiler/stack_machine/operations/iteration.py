"""Iterators, generators and awaits."""

from __future__ import annotations

from typing import Any

from ...syntax import nodes as n
from ..machine import Machine
from .registry import handles


@handles("GET_ITER")
def _get_iter(machine: Machine, arg: Any) -> None:
    if "iter" in machine.raw.localsplus:
        raise machine.error("an iterator is made where iter is a variable")

    def build(iterable: n.Expression) -> n.Expression:
        machine.iterators.append(n.Call(n.Name("iter"), [iterable], []))
        return machine.iterators[-1]

    machine.event([machine.pop()], build, "iterator")


@handles("GET_AITER")
def _get_aiter(machine: Machine, arg: Any) -> None:
    # Only ``async for`` does this on every Python; the owner of the machine moves the operand there.
    function = n.Name("aiter")
    machine.asynchronous.append(function)
    machine.event([machine.pop()], lambda value: n.Call(function, [value]), "iterator")


@handles("YIELD_VALUE")
def _yield_value(machine: Machine, arg: Any) -> None:
    machine.event([machine.pop()], lambda value: n.Yield(value), "sent")


@handles("GET_YIELD_FROM_ITER")
def _get_yield_from_iter(machine: Machine, arg: Any) -> None:
    _delegate(machine, n.YieldFrom)


@handles("GET_AWAITABLE")
def _get_awaitable(machine: Machine, arg: Any) -> None:
    _delegate(machine, n.Await)


def _delegate(machine: Machine, make: Any) -> None:
    """``yield from`` and ``await``."""
    if not machine.next_are("CONST", "YIELD_FROM") or machine.upcoming(1)[0].arg is not None:
        raise machine.error("an awaitable or a generator that is delegated to lives on")
    machine.next_index += 2
    machine.event([machine.pop()], make, "result")
