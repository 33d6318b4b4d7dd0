"""Finds where local variables may be unbound: whether LOAD_FAST and DELETE_FAST can raise."""

from __future__ import annotations

from ...bytecode import Handler
from .normalize import NormalForm

LOCAL_OPERATIONS = frozenset({"LOAD_FAST", "DELETE_FAST"})


def may_be_unbound(form: NormalForm) -> frozenset[int]:
    """Indices of the LOAD_FAST and DELETE_FAST in ``form`` whose local may be unbound on some path."""
    cached = form.cache.get("unbound")
    if cached is None:
        cached = form.cache["unbound"] = _solve(form)
    result: frozenset[int] = cached
    return result


def _solve(form: NormalForm) -> frozenset[int]:
    """Definite assignment, a forward analysis: the set of locals bound on every path, as the bits of an int.

    Where an inlined comprehension restores the variables that it hid, STORE_FAST may leave them unbound: stores to such
    variables are ignored.
    """
    ops, args = form.ops, form.args
    hidden = {name for op, name in zip(ops, args) if op == "LOAD_FAST_AND_CLEAR"}
    bits: dict[str, int] = {}
    for op, name in zip(ops, args):
        if op == "STORE_FAST" or op in LOCAL_OPERATIONS:
            bits.setdefault(name, 1 << len(bits))
    at_entry = 0
    for name in form.raw.parameters:
        at_entry |= bits.get(name, 0)

    bound: list[int] = [-1] * len(ops)  # -1: not reached yet; all bits set, so that `&` is the meet
    reached = [False] * len(ops)
    todo: list[tuple[int, int]] = [(form.entry, at_entry)]
    while todo:
        index, state = todo.pop()
        while index >= 0:
            state &= bound[index]
            if reached[index] and state == bound[index]:
                break
            reached[index] = True
            bound[index] = state
            op = ops[index]
            handler: Handler | None = form.handlers[index]
            if handler is not None:
                todo.append((handler.target, state))
            if op == "LOAD_FAST" or (op == "STORE_FAST" and args[index] not in hidden):
                state |= bits[args[index]]  # a load that does not raise shows that the local is bound
            elif op == "DELETE_FAST" or op == "STORE_FAST":
                state &= ~bits[args[index]]
            elif op == "LOAD_FAST_AND_CLEAR":
                state &= ~bits.get(args[index], 0)
            if form.target[index] >= 0:
                todo.append((form.target[index], state))
            index = form.next[index]
    return frozenset(
        index
        for index, op in enumerate(ops)
        if op in LOCAL_OPERATIONS and not (reached[index] and bound[index] & bits[args[index]])
    )
