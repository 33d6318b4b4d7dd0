"""What is known of an evaluation stack entry on all paths to a point of the code.

Kinds of slots: "value" (any object; ``detail`` is a name that suits it), "const", "cell" (``detail`` is the variable),
"null" (the NULL of a call), "previous" and "exception" (what PUSH_EXC_INFO leaves; ``detail`` are the levels of
the handler), "exit" (the exit function of a context manager; ``detail``: where it was entered), "lasti" (the offset
pushed for a handler, and entries that can no longer be used).
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


class StackSlot(NamedTuple):
    """One entry; ``origin`` is its index on the stack at the beginning of the node if it never moved, else -1."""

    kind: str
    detail: Any = None
    origin: int = -1


StackSlots = Tuple[StackSlot, ...]
VALUE = StackSlot("value", "")


def same_slot(a: StackSlot, b: StackSlot) -> bool:
    """Whether both are known to be the same, ignoring origins."""
    if a.kind != b.kind:
        return False
    return n.same_constant(a.detail, b.detail) if a.kind == "const" else bool(a.detail == b.detail)


def merge(a: StackSlot, b: StackSlot) -> StackSlot:
    """Return what is known of a slot that is ``a`` or ``b``, which have the same rigid part."""
    if same_slot(a, b):
        return a
    hint = a.detail if a.kind == b.kind == "value" and a.detail == b.detail else ""
    return StackSlot("value", hint)


def rigid(slot: StackSlot) -> Any:
    """Return the part that no variable can hold, which must agree on all paths to a node; None for other slots."""
    return None if slot.kind in _MERGED else (slot.kind, slot.detail)


def simulate(ins: Instruction, slots: list[StackSlot], jump: bool = False) -> None:
    """Execute ``ins`` on ``slots``. Raises IndexError on stack underflow."""
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
