"""Unpacking: a sequence into stack entries, and the operations of 3.8 that unpack iterables into one container."""

from __future__ import annotations

from typing import Any

from ...syntax import nodes as n
from ..hints import item_hint
from ..machine import Machine
from ..state import Const, Container, Star, Value
from .displays import make_container
from .registry import handles


@handles("UNPACK_SEQUENCE")
def _unpack_sequence(machine: Machine, count: int) -> None:
    value = machine.pop()
    items = machine.state.private(value)
    if isinstance(value, Const) and type(value.value) is tuple and len(value.value) == count:
        items = [Const(item) for item in value.value]
    if items is not None and len(items) == count and not any(isinstance(item, Star) for item in items):
        machine.folded += 1
        machine.state.stack.extend(reversed(items))
        return
    _unpack(machine, value, count, -1)


@handles("UNPACK_EX")
def _unpack_ex(machine: Machine, arg: Any) -> None:
    _unpack(machine, machine.pop(), arg[0] + 1 + arg[1], arg[0])


def _unpack(machine: Machine, value: Value, count: int, star: int) -> None:
    """Unpack into new variables, one of them (if ``star`` >= 0) with a star."""
    owner = machine.text_hint(value)
    names = [machine.temporary(item_hint(machine.naming, owner, number)) for number in range(count)]
    targets: list[n.Expression] = [n.Name(name) for name in names]
    if star >= 0:
        targets[star] = n.Starred(targets[star])
    target: n.Expression = n.Tuple(targets) if targets else n.List([])
    machine.statement([value], lambda text: n.Assign([target], text))
    machine.state.stack.extend(reversed([machine.held_by(name) for name in names]))


# 3.8


@handles("BUILD_TUPLE_UNPACK_WITH_CALL")
def _build_tuple_unpack_with_call(machine: Machine, count: int) -> None:
    make_container(machine, "tuple", joined(machine, count))


@handles("BUILD_MAP_UNPACK_WITH_CALL")
def _build_map_unpack_with_call(machine: Machine, count: int) -> None:
    make_container(machine, "map", joined(machine, count))


def joined(machine: Machine, count: int) -> list[Value]:
    """Pop ``count`` containers and return their items; a container with unknown items is one starred item."""
    found: list[Value] = []
    for value in machine.pop_many(count):
        if isinstance(value, Const) and type(value.value) is tuple:
            found += [Const(item) for item in value.value]
        else:
            items = machine.state.private(value)
            found += [Star(value)] if items is None else items
    return found


@handles("BUILD_LIST_UNPACK")
def _build_list_unpack(machine: Machine, count: int) -> None:
    _unpack_into(machine, count, n.List, "items")


@handles("BUILD_TUPLE_UNPACK")
def _build_tuple_unpack(machine: Machine, count: int) -> None:
    _unpack_into(machine, count, n.Tuple, "items")


@handles("BUILD_SET_UNPACK")
def _build_set_unpack(machine: Machine, count: int) -> None:
    _unpack_into(machine, count, n.Set, "members")


def _unpack_into(machine: Machine, count: int, make: Any, hint: str) -> None:
    """Write a display of the items of ``count`` iterables: those of private containers one by one, others starred."""
    items: list[Value] = []
    for value in machine.pop_many(count):
        known = machine.state.private(value)
        is_sequence = isinstance(value, Container) and value.kind in ("list", "tuple")
        items += known if known is not None and is_sequence else [Star(value)]
    machine.event(items, lambda *texts: make(list(texts)), hint)


@handles("BUILD_MAP_UNPACK")
def _build_map_unpack(machine: Machine, count: int) -> None:
    operands: list[Value] = []
    stars: list[bool] = []
    for mapping in machine.pop_many(count):
        items = machine.state.private(mapping)
        one_by_one = isinstance(mapping, Container) and mapping.kind == "map"
        if items is None or not one_by_one or any(isinstance(item, Star) for item in items):
            operands.append(mapping)
            stars.append(True)
        else:
            operands += items
            stars += [False] * (len(items) // 2)

    def build(*texts: n.Expression) -> n.Expression:
        rest = list(texts)
        keys: list[n.Expression | None] = []
        values: list[n.Expression] = []
        for star in stars:
            keys.append(None if star else rest.pop(0))
            values.append(rest.pop(0))
        return n.Dict(keys, values)

    machine.event(operands, build, "mapping")
