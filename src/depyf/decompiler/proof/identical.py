"""Whether two code objects are one and the same, decided from their plain fields: no instruction is read.

Whatever a mistake of the reader hides, it hides nothing here. Left out are what another verdict or another column
is about: nested code objects (their places count, each pair has a verdict of its own), lines and columns, the name of
the file, the first line, and the names of the code object, which ``prove`` compares before.
"""

from __future__ import annotations

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


def differing_fields(original: RawCode, recompiled: RawCode) -> Iterator[str]:
    """In words, the fields in which the two differ; the most frequent answer is none, and it is the cheapest."""
    if original.version != recompiled.version:
        yield "version of the bytecode"
    if original.bytecode != recompiled.bytecode:
        yield "code"
    if original.exception_table != recompiled.exception_table:
        yield "exception table"
    ours, theirs = (list(map(constant_key, raw.consts)) for raw in (original, recompiled))
    yield from _sequence("constants", ours, theirs)
    yield from _sequence("names", original.names, recompiled.names)
    for field in ("varnames", "cellvars", "freevars", "localsplus"):
        found = list(_sequence("variables", getattr(original, field), getattr(recompiled, field)))
        if found:
            yield from found
            break
    for field, words in _NUMBERS.items():
        if getattr(original, field) != getattr(recompiled, field):
            yield words


def _sequence(what: str, left: Sequence[Any], right: Sequence[Any]) -> Iterator[str]:
    if list(left) != list(right):
        yield f"order of {what}" if Counter(left) == Counter(right) else what
