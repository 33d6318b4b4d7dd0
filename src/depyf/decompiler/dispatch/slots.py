"""What an entry of the evaluation stack is, as far as it can be known for all paths that lead to a place.

Kinds of slots: "value" (any object; ``detail`` is a name that suits it), "const", "cell" (``detail`` is the variable),
"null" (the empty slot of a call), "previous" and "exception" (what PUSH_EXC_INFO leaves; ``detail`` are the levels of
the handler), "exit" (the exit function of a context manager; ``detail``: where it was entered), "lasti" (the place
of a failure, and what nobody can use any more).
"""

from __future__ import annotations

from typing import Any, NamedTuple, Tuple

from ..bytecode import Instruction, stack_use
from ..syntax import nodes as n

_MERGED = frozenset({"value", "const", "cell"})
_HINTS = {
    "BUILD_LIST": "items",
    "BUILD_SET": "members",
    "BUILD_MAP": "mapping",
    "BUILD_CONST_KEY_MAP": "mapping",
    "GET_ITER": "iterator",
    "GET_AITER": "iterator",
}
EXACT = frozenset({"items", "members", "mapping"})
"""Hints of slots that hold a list, set or dict that a BUILD operation has made."""


class StackSlot(NamedTuple):
    """One entry; ``origin`` is its place on the stack where the node began if it has been there since, else -1."""

    kind: str
    detail: Any = None
    origin: int = -1


StackSlots = Tuple[StackSlot, ...]
VALUE = StackSlot("value", "")


def same_slot(a: StackSlot, b: StackSlot) -> bool:
    """Whether both are known to be the same, their origins aside."""
    if a.kind != b.kind:
        return False
    return n.same_constant(a.detail, b.detail) if a.kind == "const" else bool(a.detail == b.detail)


def merge(a: StackSlot, b: StackSlot) -> StackSlot:
    """What is known of a slot that is either; both are rigidly the same."""
    if same_slot(a, b):
        return a
    hint = a.detail if a.kind == b.kind == "value" and a.detail == b.detail else ""
    return StackSlot("value", hint)


def rigid(slot: StackSlot) -> Any:
    """What no variable can hold, so that it must be the same on all paths to a node; None for other slots."""
    return None if slot.kind in _MERGED else (slot.kind, slot.detail)


def simulate(ins: Instruction, slots: list[StackSlot], jump: bool = False) -> None:
    """Execute ``ins`` on ``slots``. Raises IndexError if they are too few."""
    op, arg = ins.op, ins.arg
    if op == "CONST":
        slots.append(StackSlot("const", arg))
    elif op == "NULL":
        slots.append(StackSlot("null"))
    elif op == "LOAD_CLOSURE":
        slots.append(StackSlot("cell", arg))
    elif op == "COPY":
        slots.append(slots[len(slots) - arg]._replace(origin=-1) if arg <= len(slots) else slots[-arg])
    elif op == "SWAP":
        if arg > len(slots):
            raise IndexError(op)
        slots[-1], slots[-arg] = slots[-arg]._replace(origin=-1), slots[-1]._replace(origin=-1)
    elif op in ("JUMP_IF_TRUE_OR_POP", "JUMP_IF_FALSE_OR_POP") and jump:
        slots[-1] = slots[-1]
    else:
        pops, pushes = stack_use(ins, jump=jump)
        if pops > len(slots):
            raise IndexError(op)
        del slots[len(slots) - pops :]
        slots += [StackSlot("value", _HINTS.get(op, ""))] * pushes
