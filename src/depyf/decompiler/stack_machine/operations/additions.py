"""Operations that add items to a list, set or dictionary: displays and comprehensions built piece by piece."""

from __future__ import annotations

from ...syntax import nodes as n
from .. import containers
from ..machine import Machine
from ..state import Container, EventResult, Star, Value
from .registry import handles


@handles("LIST_EXTEND")
def _list_extend(machine: Machine, depth: int) -> None:
    value = machine.pop()
    target = machine.state.stack[-depth]
    if containers.extend(machine, target, value):
        machine.folded += 1
        return
    if machine.state.private(target) is not None:
        # The items of the iterable are unknown, but it is iterated over now.
        machine.state.heap[target].append(Star(_evaluated_now(machine, value)))
        return
    name = machine.name(target)
    machine.statement([value], lambda text: n.AugAssign(n.Name(name), "+", text), long=True)


def _evaluated_now(machine: Machine, iterable: Value) -> Value:
    """Return a variable that holds the items of ``iterable``, evaluated now."""
    machine.name_stale_events([iterable])
    texts = machine.texts([iterable])
    name = machine.temporary("items")
    with machine.using([iterable]):
        machine.flush()
    machine.emit(n.Assign([n.Name(name)], n.List([n.Starred(texts[0])])))
    return machine.held_by(name)


@handles("LIST_APPEND")
def _list_append(machine: Machine, depth: int) -> None:
    target = machine.state.stack[-depth - 1]
    if machine.state.private(target) is None:
        _check_type(machine, target, "items")
    append(machine, depth)


def append(machine: Machine, depth: int) -> None:
    """LIST_APPEND to a value that certainly is a list."""
    value = machine.pop()
    target = machine.state.stack[-depth]
    if not containers.append(machine, target, value):
        name = machine.name(target)
        machine.statement([value], lambda text: n.AugAssign(n.Name(name), "+", n.List([text])))


def _check_type(machine: Machine, target: Value, hint: str) -> None:
    """Refuse to add to a container that might be of a subclass: the written operation would do something else."""
    if isinstance(target, Container):
        known = {"list": "items", "map": "mapping"}.get(target.kind)
    else:
        known = machine.kinds.get(target)
    if known != hint:
        raise machine.error("a container is added to that others may have made")


@handles("SET_ADD")
def _set_add(machine: Machine, depth: int) -> None:
    value = machine.pop()
    target = machine.state.stack[-depth]
    _check_type(machine, target, "members")
    name = machine.name(target)
    machine.statement([value], lambda text: n.AugAssign(n.Name(name), "|", n.Set([text])))


@handles("SET_UPDATE")
def _set_update(machine: Machine, depth: int) -> None:
    value = machine.pop()
    target = machine.state.stack[-depth]
    is_display = isinstance(target, EventResult) and isinstance(target.expression, n.Set)
    if depth == 1 and target in machine.state.pending and is_display:
        machine.pop()
        if not machine.is_needed(target):
            machine.event([target, value], _extended_set, "members")
            machine.kinds[machine.state.stack[-1]] = "members"
            return
        machine.push(target)
    _check_type(machine, target, "members")
    name = machine.name(target)
    machine.statement([value], lambda text: n.AugAssign(n.Name(name), "|", n.Set([n.Starred(text)])))


def _extended_set(members: n.Expression, more: n.Expression) -> n.Expression:
    """Return the display ``members`` extended by all items of ``more``."""
    return n.Set([*getattr(members, "elts", [n.Starred(members)]), n.Starred(more)])


@handles("MAP_ADD")
def _map_add(machine: Machine, depth: int) -> None:
    key, value = machine.pop_many(2)
    target = machine.state.stack[-depth]
    _check_type(machine, target, "mapping")
    name = machine.name(target)
    machine.statement([value, key], lambda v, k: n.Assign([n.Subscript(n.Name(name), k)], v))


@handles("DICT_UPDATE", "DICT_MERGE")
def _dict_update(machine: Machine, depth: int) -> None:
    value = machine.pop()
    target = machine.state.stack[-depth]
    items, more = machine.state.private(target), machine.state.private(value)
    if items is None:
        raise machine.error("a dictionary that others can see is extended")
    if more is not None and isinstance(value, Container) and value.kind == "map":
        items += more
    else:
        items.append(Star(value))
