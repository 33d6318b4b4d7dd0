"""Displays: lists, tuples, dictionaries, sets and slices. Private containers are not written until they become visible
outside."""

from __future__ import annotations

from typing import Any

from ...names.spelling import is_literal
from ...syntax import nodes as n
from ..machine import Machine
from ..state import Const, Container, Pure, Value
from .registry import handles

_HINTS = {"list": "items", "tuple": "pair", "map": "mapping"}


def make_container(machine: Machine, kind: str, items: list[Value]) -> None:
    """Push a new private container."""
    container = Container(kind, machine.line)
    container.hint = _HINTS[kind]
    machine.state.heap[container] = items
    machine.push(container)


@handles("BUILD_LIST")
def _build_list(machine: Machine, count: int) -> None:
    make_container(machine, "list", machine.pop_many(count))


@handles("BUILD_TUPLE")
def _build_tuple(machine: Machine, count: int) -> None:
    items = machine.pop_many(count)
    if all(isinstance(item, Const) for item in items):
        machine.push(Const(tuple(item.value for item in items if isinstance(item, Const))))
    else:
        make_container(machine, "tuple", items)


@handles("BUILD_MAP")
def _build_map(machine: Machine, count: int) -> None:
    items = machine.pop_many(2 * count)
    if all(isinstance(key, Const) and is_literal(key.value) for key in items[::2]):
        make_container(machine, "map", items)
    else:
        machine.event(items, lambda *texts: n.Dict(list(texts[::2]), list(texts[1::2])), "mapping")
    machine.kinds[machine.state.stack[-1]] = "mapping"


@handles("BUILD_CONST_KEY_MAP")
def _build_const_key_map(machine: Machine, count: int) -> None:
    *values, keys = machine.pop_many(count + 1)
    if not isinstance(keys, Const) or type(keys.value) is not tuple or len(keys.value) != count:
        raise machine.error("the keys of a dictionary display are no constant tuple")
    items: list[Value] = []
    for key, value in zip(keys.value, values):
        items += [Const(key), value]
    make_container(machine, "map", items)


@handles("BUILD_SET")
def _build_set(machine: Machine, count: int) -> None:
    items = machine.pop_many(count)
    if count > 2 and all(isinstance(item, Const) for item in items):
        items[-1] = machine.unfoldable(items[-1], items[:-1])  # the compiler would fold them into a constant
    machine.event(items, lambda *texts: n.Set(list(texts)), "members")
    machine.kinds[machine.state.stack[-1]] = "members"


@handles("BUILD_SLICE")
def _build_slice(machine: Machine, count: int) -> None:
    machine.push(Pure("slice", tuple(machine.pop_many(count))))


@handles("LIST_TO_TUPLE")
def _list_to_tuple(machine: Machine, arg: Any) -> None:
    [value] = machine.pop_many(1)
    items = machine.state.private(value)
    if items is None:
        machine.event([value], lambda text: n.Tuple([n.Starred(text)]), "items")
    else:
        make_container(machine, "tuple", items[:])
