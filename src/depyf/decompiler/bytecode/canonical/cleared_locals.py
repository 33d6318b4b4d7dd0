"""NULL stored to a local variable, which makes it unbound. Dynamo's resume functions do so on 3.12 and later.

    NULL; STORE_FAST x   ->   nothing     where x is still unbound

The second slot of a method is not such a NULL: it may hold the object.

A resume function restores so, at its very start, a stack on which an inlined comprehension had saved the NULL of
an unbound variable. Elsewhere the pair is left alone, and refused later.

    NULL; ...; STORE_FAST x   ->   LOAD_FAST_AND_CLEAR x; ...; STORE_FAST x     where x is unbound at first

So begins a function that Dynamo makes of a comprehension of 3.12 or later alone: its loop ends as in the function that
it is from, where the variables of the comprehension are restored.
"""

from __future__ import annotations

from typing import Collection, Tuple

from ..dataflow import states_before
from ..edit import referred, without
from ..instruction import CONDITIONAL_JUMPS, LOADS, NO_FALL_THROUGH, Instruction, stack_use

_METHOD_FORMS = frozenset({"LOAD_ATTR", "LOAD_SUPER_ATTR"})


def drop_unbound_stores(instructions: list[Instruction], parameters: Collection[str]) -> list[Instruction]:
    """Return ``instructions`` without the stores of NULL to unbound variables before the first jump."""
    dropped: set[int] = set()
    bound = set(parameters)
    for index, (first, store) in enumerate(zip(instructions, instructions[1:])):
        if first.op in NO_FALL_THROUGH or first.op in CONDITIONAL_JUMPS:
            break
        if first.op == "STORE_FAST":
            bound.add(first.arg)
        if (first.op, store.op) == ("NULL", "STORE_FAST") and store.arg not in bound:
            before = instructions[index - 1] if index else first
            if before.op not in _METHOD_FORMS or before.offset != first.offset:
                dropped.update((index, index + 1))
    if not dropped or any(target <= max(dropped) for target in referred(instructions)):
        return instructions
    return without(instructions, dropped)


def name_saved_nulls(instructions: list[Instruction], parameters: Collection[str]) -> list[Instruction]:
    """Return ``instructions`` with a LOAD_FAST_AND_CLEAR of ``x`` for each NULL at the start that is only stored to it.

    There ``x`` is unbound, so both do the same.
    """
    nulls = _left_at_the_first_jump(instructions)
    if not nulls:
        return instructions
    names: dict[int, set[str | None]] = {}  # what each is stored to; None: it is used in another way

    def after(index: int, entries: _Entries, jump: bool) -> _Entries:
        ins = instructions[index]
        if ins.op == "NULL":
            return (*entries, index if index in nulls else _VALUE)
        if ins.op == "SWAP" and 0 < ins.arg <= len(entries):
            moved = list(entries)
            moved[-1], moved[-ins.arg] = moved[-ins.arg], moved[-1]
            return tuple(moved)
        if ins.op == "COPY" and 0 < ins.arg <= len(entries):
            names.setdefault(entries[-ins.arg], set()).add(None)
            return (*entries, _VALUE)
        pops, pushes = stack_use(ins, jump=jump)
        bottom = max(0, len(entries) - pops)
        for entry in entries[bottom:]:
            names.setdefault(entry, set()).add(ins.arg if ins.op == "STORE_FAST" else None)
        return (*entries[:bottom], *[_VALUE] * pushes)

    def raised(ins: Instruction, entries: _Entries) -> _Entries | None:
        return None if ins.handler is None else (*entries[: ins.handler.depth], *[_VALUE] * (1 + ins.handler.lasti))

    def meet(index: int, one: _Entries, other: _Entries) -> _Entries:
        for a, b in zip(one, other):
            if a != b:
                names.setdefault(a, set()).add(None)
                names.setdefault(b, set()).add(None)
        return tuple(a if a == b else _VALUE for a, b in zip(one, other))

    empty: _Entries = ()
    states_before(instructions, empty, after=after, raised=raised, meet=meet)
    bound = set(parameters)
    for index in range(max(nulls) + 1):
        ins = instructions[index]
        if ins.op in ("STORE_FAST", "STORE_DEREF", "MAKE_CELL"):
            bound.add(ins.arg)
        stored_to = names.get(index, set())
        if index in nulls and len(stored_to) == 1:
            name = next(iter(stored_to))
            if name is not None and name not in bound:
                ins.op, ins.arg = "LOAD_FAST_AND_CLEAR", name
    return instructions


_Entries = Tuple[int, ...]
_VALUE = -1


def _left_at_the_first_jump(instructions: list[Instruction]) -> set[int]:
    """The indices of the NULLs that the code has pushed, before any jump, and not used when it comes to one."""
    targets = referred(instructions)
    entries: list[int] = []
    for index, ins in enumerate(instructions):
        if index in targets or ins.op in NO_FALL_THROUGH or ins.op in CONDITIONAL_JUMPS:
            break
        before = instructions[index - 1] if index else ins
        if ins.op == "NULL":
            is_half = before.op in _METHOD_FORMS and before.offset == ins.offset
            entries.append(_VALUE if is_half else index)
        elif ins.op == "SWAP" and 0 < ins.arg <= len(entries):
            entries[-1], entries[-ins.arg] = entries[-ins.arg], entries[-1]
        else:
            pops, pushes = (0, 1) if ins.op in LOADS else stack_use(ins)
            if pops:
                del entries[-pops:]
            entries += (_VALUE,) * pushes
    return {entry for entry in entries if entry != _VALUE}
