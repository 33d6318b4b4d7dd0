"""Gives each local variable slot a distinct name: two slots of a code object may share one.

On exit the names in ``localsplus``, ``varnames``, ``cellvars`` and ``freevars`` are distinct, and ``renamed`` maps
new names to those in the code object. Exception: a variable of an inlined comprehension (3.12 on) may have the name of
a free variable of the enclosing code. Compilers emit that, so both keep it: cell operations mean the free variable,
all others the comprehension's (decoding/rules.py refuses code that mixes them).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Mapping

if TYPE_CHECKING:
    from .raw_code import RawCode


CONDITIONAL_ANNOTATIONS = "__conditional_annotations__"
"""The set of the numbers of annotations that the body of a module or class has reached (3.14 on)."""


def make_slot_names_distinct(raw: RawCode) -> None:
    """Rename slots of ``raw``, whose nested code has been read. Raises ValueError if the slots are not in the order
    of all versions: locals, cells, free variables.
    """
    joined = raw.table.cells_are_locals  # a cell that is also a local shares its slot; before, only a parameter does
    if joined and raw.cellvars:
        _find_cells(raw)
    shared = set(raw.varnames if joined else raw.parameters)
    lone = [name for name in raw.cellvars if name not in shared]
    slots = (*raw.varnames, *lone, *raw.freevars)
    if len(set(slots)) == len(slots):
        return  # the common case
    if joined and slots != raw.localsplus:
        raise ValueError("local variables of one name in another order than locals, cells, free variables")
    new = _distinct(raw, slots)
    remaining = iter(new[len(raw.varnames) :])
    first = dict(zip(reversed(raw.varnames), reversed(new[: len(raw.varnames)])))
    raw.cellvars = tuple(first[name] if name in shared else next(remaining) for name in raw.cellvars)
    raw.freevars = tuple(remaining)
    raw.varnames = tuple(new[: len(raw.varnames)])
    raw.localsplus = tuple(new)


def _find_cells(raw: RawCode) -> None:
    """Correct ``cellvars`` by the instructions that make cells.

    CPython tells by name that a cell is a parameter. Where tools rename both, each in its own way, the code object has
    one more slot, of which its instructions know nothing.
    """
    number, operations = raw.table.opcodes["MAKE_CELL"], raw.bytecode[::2]
    made: set[int] = set()
    index = operations.find(number)
    while index >= 0:
        argument, shift = raw.bytecode[2 * index + 1], 8
        before = index - 1
        while before >= 0 and operations[before] == raw.table.opcodes["EXTENDED_ARG"]:
            argument |= raw.bytecode[2 * before + 1] << shift
            shift, before = shift + 8, before - 1
        made.add(argument)
        index = operations.find(number, index + 1)
    slots, count = raw.localsplus, len(raw.varnames)
    if any(index >= len(slots) or slots[index] not in raw.cellvars for index in made):
        lone = [slot for slot in raw.cellvars if slot not in raw.varnames]
        kept = lone[: sum(count <= index < len(slots) for index in made)]
        raw.other_cells = raw.cellvars
        raw.localsplus = (*raw.varnames, *kept, *raw.freevars)
        raw.cellvars = (*(slots[index] for index in sorted(made) if index < count), *kept)


def _distinct(raw: RawCode, slots: tuple[str, ...]) -> list[str]:
    """A name for each slot. Slots visible from outside keep theirs first: parameters, free variables, then cells."""
    kept = set(twins(raw))
    if not raw.is_function:
        kept |= {"__class__", CONDITIONAL_ANNOTATIONS}  # a class has its own cell besides that of an enclosing one
    taken = {name for code in raw.walk() for name in (*code.names, *code.localsplus, *code.cellvars, code.name)}
    used: set[str] = set()
    found = list(slots)
    given, plain, free = len(raw.parameters), len(raw.varnames), len(slots) - len(raw.freevars)
    for index in (*range(given), *range(free, len(slots)), *range(plain, free), *range(given, plain)):
        name = new = slots[index]
        if name in used and name not in kept:
            number = 1
            while new in taken:
                number += 1
                new = f"{name}_{number}"
            raw.renamed[new] = name
            taken.add(new)
        used.add(new)
        found[index] = new
    return found


def twins(raw: RawCode) -> Mapping[str, tuple[int, int]]:
    """Names shared by a free variable and a hidden local of comprehensions: the slots of both, the local's first."""
    clear = raw.table.opcodes.get("LOAD_FAST_AND_CLEAR")
    if clear is None or clear not in raw.bytecode[::2]:
        return {}
    first_free = len(raw.localsplus) - len(raw.freevars)
    found: dict[str, tuple[int, int]] = {}
    for index, name in enumerate(raw.localsplus[first_free:], first_free):
        slots = [slot for slot in range(len(raw.localsplus)) if raw.localsplus[slot] == name]
        if len(slots) == 2 and slots[0] < first_free and name not in raw.parameters:
            found[name] = (slots[0], index)
    return found
