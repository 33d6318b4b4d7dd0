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
_VARIABLES = ("varnames", "cellvars", "freevars", "localsplus")
but_constants = operator.attrgetter("version", "bytecode", "exception_table", "names", *_VARIABLES, *_NUMBERS)


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


def _same_constants(left: Sequence[Any], right: Sequence[Any]) -> bool:
    """Whether both have the same constants in the same order; one object is the same, whatever its key."""
    if len(left) != len(right):
        return False
    others = [pair for pair in zip(left, right) if pair[0] is not pair[1]]
    return [constant_key(one) for one, _ in others] == [constant_key(other) for _, other in others]


def _sequence(what: str, left: Sequence[Any], right: Sequence[Any]) -> Iterator[str]:
    if list(left) != list(right):
        yield f"order of {what}" if Counter(left) == Counter(right) else what
