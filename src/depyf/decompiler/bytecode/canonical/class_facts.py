"""What only the compiler stores into a class namespace (3.13 on), as separate instructions.

``__firstlineno__`` is the line of the code object (or of what was the code object: tools change that), and is stored
after ``__qualname__`` at the start of the body; ``__static_attributes__`` the names that the class' methods store
to ``self``, in no particular order: what can be compared is that the store is there, and which names it has.
"""

from __future__ import annotations

from ..code.raw_code import RawCode
from ..edit import referred, without
from ..instruction import Instruction

_STORES = {"STORE_NAME": None, "STORE_DEREF": "nonlocal", "STORE_GLOBAL": "global"}
"""The operations that store them, and how the class then declares ``__firstlineno__``."""


def fold_class_facts(instructions: list[Instruction], raw: RawCode) -> list[Instruction]:
    """Return ``instructions`` with the stores of both folded into one instruction each."""
    if raw.is_function:
        return instructions
    dropped: set[int] = set()
    targets: set[int] | None = None
    is_first = True
    for index, store in enumerate(instructions):
        if store.op not in _STORES or store.arg not in ("__firstlineno__", "__static_attributes__") or not index:
            continue
        value = instructions[index - 1]
        targets = referred(instructions) if targets is None else targets
        if value.op != "CONST" or index in targets or value.handler is not None or store.handler is not None:
            continue
        if store.arg == "__firstlineno__" and type(value.arg) is int and is_first:
            is_first = False
            before = instructions[index - 2] if index > 1 else store
            if value.arg != raw.firstlineno and not (before.op in _STORES and before.arg == "__qualname__"):
                continue
            dropped.add(index - 1)
            store.op, store.arg = "STORE_FIRST_LINE", _STORES[store.op]
        elif store.op == "STORE_NAME" and type(value.arg) is tuple and all(type(name) is str for name in value.arg):
            dropped.add(index - 1)
            store.op, store.arg = "STORE_STATIC_ATTRIBUTES", tuple(sorted(value.arg))
    return without(instructions, dropped) if dropped else instructions
