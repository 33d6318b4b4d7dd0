"""Subscripts: evaluated statically for private containers, else written as reads, stores and deletions."""

from __future__ import annotations

from typing import Any, Callable

from ...names.spelling import is_literal
from ...syntax import nodes as n
from .. import containers
from ..hints import item_hint
from ..machine import Machine
from ..state import Const, Pure, Value
from .registry import handles


@handles("BINARY_SUBSCR")
def _binary_subscr(machine: Machine, arg: Any) -> None:
    owner, key = machine.pop_many(2)
    item = containers.read(machine, owner, key)
    if item is not None:
        machine.folded += 1
        machine.push(item)
        return
    owner, key = machine.unfoldable(owner, [key]), _built(key)
    hint = item_hint(machine.naming, machine.text_hint(owner), key.value if isinstance(key, Const) else None)
    machine.event([owner, *_parts(key)], _subscript(key), hint, long=not isinstance(key, Const))


@handles("STORE_SUBSCR")
def _store_subscr(machine: Machine, arg: Any) -> None:
    value, owner, key = machine.pop_many(3)
    if containers.write(machine, owner, key, value):
        machine.folded += 1
        return
    key = _built(key)
    build = _subscript(key)
    machine.statement([value, owner, *_parts(key)], lambda v, o, *k: n.Assign([build(o, *k)], v), long=True)


@handles("DELETE_SUBSCR")
def _delete_subscr(machine: Machine, arg: Any) -> None:
    owner, key = machine.pop_many(2)
    if containers.delete(machine, owner, key):
        machine.folded += 1
        return
    key = _built(key)
    build = _subscript(key)
    machine.statement([owner, *_parts(key)], lambda o, *k: n.Delete([build(o, *k)]), long=True)


def _built(key: Value) -> Value:
    """Return a constant slice as if it were built here, as brackets write a slice by its parts; else ``key``."""
    if isinstance(key, Const) and type(key.value) is slice:
        parts = [key.value.start, key.value.stop, *([] if key.value.step is None else [key.value.step])]
        if all(map(is_literal, parts)):
            return Pure("slice", tuple(map(Const, parts)))
    return key


def _parts(key: Value) -> tuple[Value, ...]:
    return key.operands if isinstance(key, Pure) and key.kind == "slice" else (key,)


def _subscript(key: Value) -> Callable[..., n.Expression]:
    """Return a function that builds ``owner[key]`` from the texts of both; a slice is given by its parts."""
    if not (isinstance(key, Pure) and key.kind == "slice"):
        return lambda owner, text: n.Subscript(owner, text)
    missing = [isinstance(part, Const) and part.value is None for part in key.operands]

    def build(owner: n.Expression, *parts: n.Expression) -> n.Expression:
        bounds = [None if absent and index < 2 else part for index, (part, absent) in enumerate(zip(parts, missing))]
        return n.Subscript(owner, n.Slice(*bounds))

    return build
