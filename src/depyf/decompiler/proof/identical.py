"""Whether two code objects are identical, decided from their fields: no instruction is decoded.

So a mistake of the reader can hide nothing here. Not compared, since other verdicts or columns cover them, are the
contents of nested code objects (their positions are; each pair has its own verdict), lines and columns, the name of
the file, the first line, and the names of the code object, which ``prove`` has compared before.
"""

from __future__ import annotations

import operator
from collections import Counter
from typing import Any, Iterator, Sequence

from ..bytecode import RawCode
from .constants import constant_key

_NUMBERS = {
    "argcount": "number of positional parameters",
    "posonlyargcount": "number of positional-only parameters",
    "kwonlyargcount": "number of keyword-only parameters",
    "flags": "flags",
    "stacksize": "stack size",
}
_FIRST_LINE = "__firstlineno__"
_VARIABLES = ("varnames", "cellvars", "freevars", "localsplus")
_BUT_CODE = ("version", "exception_table", "names", *_VARIABLES, *_NUMBERS)
_but_code = operator.attrgetter(*_BUT_CODE)
but_constants = operator.attrgetter("bytecode", *_BUT_CODE)


def differing_fields(original: RawCode, recompiled: RawCode) -> Iterator[str]:
    """The names of the fields in which the two differ; the most frequent answer, none, is the cheapest."""
    if but_constants(original) == but_constants(recompiled) and _same_constants(original.consts, recompiled.consts):
        return
    if original.version != recompiled.version:
        yield "version of the bytecode"
    if original.bytecode != recompiled.bytecode:
        yield "code"
    if original.exception_table != recompiled.exception_table:
        yield "exception table"
    ours, theirs = (list(map(constant_key, raw.consts)) for raw in (original, recompiled))
    yield from _sequence("constants", ours, theirs)
    yield from _sequence("names", original.names, recompiled.names)
    for field in _VARIABLES:
        found = list(_sequence("variables", getattr(original, field), getattr(recompiled, field)))
        if found:
            yield from found
            break
    for field, label in _NUMBERS.items():
        if getattr(original, field) != getattr(recompiled, field):
            yield label


def differ_in_first_line(original: RawCode, recompiled: RawCode) -> bool:
    """Whether two class bodies differ in nothing but the number that the compiler makes them store as their first line
    (3.13 on), right after their qualified name.
    """
    names, ours, theirs = original.names, original.bytecode, recompiled.bytecode
    if _FIRST_LINE not in names[:256] or "__qualname__" not in names or _but_code(original) != _but_code(recompiled):
        return False
    number = original.table.opcodes
    prologue = bytes([number["STORE_NAME"], names.index("__qualname__")])
    load = ours.find(prologue) + 2
    store = load + 2
    if ours[store : store + 2] != bytes([number["STORE_NAME"], names.index(_FIRST_LINE)]) or load % 2:
        return False
    operation, operand = ours[load:store]
    if ours[: load + 1] != theirs[: load + 1] or ours[store:] != theirs[store:]:
        return False
    if operation == number.get("LOAD_SMALL_INT"):
        return _same_constants(original.consts, recompiled.consts)
    loads = {number.get("LOAD_CONST"), number.get("RETURN_CONST")}
    uses = [one for one, index in zip(ours[::2], ours[1::2]) if index == operand and one in loads]
    if uses != [number["LOAD_CONST"]] or operation not in loads or theirs[load + 1] != operand:
        return False
    left, right = ([*raw.consts[:operand], *raw.consts[operand + 1 :]] for raw in (original, recompiled))
    return type(original.consts[operand]) is type(recompiled.consts[operand]) is int and _same_constants(left, right)


def _same_constants(left: Sequence[Any], right: Sequence[Any]) -> bool:
    """Whether both have the same constants in the same order; one object is the same, whatever its key."""
    if len(left) != len(right):
        return False
    others = [pair for pair in zip(left, right) if pair[0] is not pair[1]]
    return [constant_key(one) for one, _ in others] == [constant_key(other) for _, other in others]


def _sequence(what: str, left: Sequence[Any], right: Sequence[Any]) -> Iterator[str]:
    if list(left) != list(right):
        yield f"order of {what}" if Counter(left) == Counter(right) else what
