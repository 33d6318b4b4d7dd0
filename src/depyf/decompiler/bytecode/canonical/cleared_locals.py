"""NULL stored to a local variable, which makes it unbound. Dynamo's resume functions do so on 3.12 and later.

    NULL; STORE_FAST x   ->   nothing     where x is still unbound

The second slot of a method is not such a NULL: it may hold the object.

A resume function restores so, at its very start, a stack on which an inlined comprehension had saved the NULL of
an unbound variable. Elsewhere the pair is left alone, and refused later.
"""

from __future__ import annotations

from typing import Collection

from ..edit import referred, without
from ..instruction import CONDITIONAL_JUMPS, NO_FALL_THROUGH, Instruction

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
