"""Operations on private lists and tuples, evaluated statically.

Such a container is not visible outside and its items are known, so reading, replacing and deleting at constant indices
can neither run other code nor fail. Each function returns whether it succeeded; otherwise the operation is an event.
"""

from __future__ import annotations

from typing import Any

from .machine import Machine
from .state import Const, Container, Pure, Star, Value


def _known(machine: Machine, value: Value) -> list[Value] | None:
    """Return the items of a private list or tuple, or of a constant tuple; None unless each is known."""
    if isinstance(value, Const) and type(value.value) is tuple:
        return [Const(item) for item in value.value]
    items = machine.state.private(value)
    if items is None or not isinstance(value, Container) or value.kind == "map":
        return None
    return None if any(isinstance(item, Star) for item in items) else items


def _constant_index(key: Value, length: int) -> Any:
    """Return ``key`` as an index or slice; None if it is not constant or out of range."""
    if isinstance(key, Const) and type(key.value) is int:
        return key.value if -length <= key.value < length else None
    if isinstance(key, Const) and type(key.value) is slice:
        bounds = [key.value.start, key.value.stop, key.value.step]
        return key.value if bounds[2] is None and all(b is None or type(b) is int for b in bounds) else None
    if isinstance(key, Pure) and key.kind == "slice":
        bounds = [part.value for part in key.operands if isinstance(part, Const)]
        if len(bounds) == len(key.operands) and all(bound is None or type(bound) is int for bound in bounds):
            return slice(*bounds) if len(bounds) < 3 or bounds[2] is None else None
    return None


def _would_contain_itself(machine: Machine, owner: Value, part: Value) -> bool:
    """Whether ``owner`` is, or is in, its new item ``part``. No display can express that, so name ``owner`` then."""
    if owner not in machine.state.held([part]):
        return False
    with machine.using([owner, part]):
        machine.name(owner)
    return True


def read(machine: Machine, owner: Value, key: Value) -> Value | None:
    """``owner[key]``: return the item, or a new container of the items, or None."""
    items = _known(machine, owner)
    index = _constant_index(key, len(items)) if items is not None else None
    if items is None or index is None:
        return None
    if type(index) is int:
        return items[index]
    if not isinstance(owner, Container):
        return Const(owner.value[index]) if isinstance(owner, Const) else None
    part = Container(owner.kind, machine.line)
    machine.state.heap[part] = items[index]
    return part


def write(machine: Machine, owner: Value, key: Value, value: Value) -> bool:
    """``owner[key] = value``."""
    items = _known(machine, owner)
    if items is None or not isinstance(owner, Container) or owner.kind != "list":
        return False
    index = _constant_index(key, len(items))
    if index is None or _would_contain_itself(machine, owner, value):
        return False
    if type(index) is int:
        old: list[Value] = [items[index]]
        items[index] = value
    else:
        new = _known(machine, value)
        if new is None:
            return False
        old = items[index]
        items[index] = new[:]
    for item in old:
        machine.discard(item)
    return True


def delete(machine: Machine, owner: Value, key: Value) -> bool:
    """``del owner[key]``."""
    items = _known(machine, owner)
    if items is None or not isinstance(owner, Container) or owner.kind != "list":
        return False
    index = _constant_index(key, len(items))
    if index is None:
        return False
    old = [items[index]] if type(index) is int else items[index]
    del items[index]
    for item in old:
        machine.discard(item)
    return True


def extend(machine: Machine, owner: Value, more: Value) -> bool:
    """LIST_EXTEND: ``owner += more`` with a container whose items are known."""
    items, new = machine.state.private(owner), _known(machine, more)
    if items is None or new is None or _would_contain_itself(machine, owner, more):
        return False
    items.extend(new[:])
    return True


def append(machine: Machine, owner: Value, item: Value) -> bool:
    """LIST_APPEND."""
    items = machine.state.private(owner)
    if items is None or _would_contain_itself(machine, owner, item):
        return False
    items.append(item)
    return True


def concatenate(machine: Machine, operator: str, left: Value, right: Value) -> bool:
    """``left + right`` and ``left += right`` of two private containers of the same kind: push the result."""
    a, b = _known(machine, left), _known(machine, right)
    if operator not in ("+", "+=") or a is None or b is None:
        return False
    if not isinstance(left, Container) or not isinstance(right, Container) or left.kind != right.kind:
        return False
    if operator == "+=" and left.kind == "list":
        if _would_contain_itself(machine, left, right):
            return False
        a.extend(b[:])
        machine.push(left)
    else:
        result = Container(left.kind, machine.line)
        machine.state.heap[result] = a + b
        machine.push(result)
    return True
