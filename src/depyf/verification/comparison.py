"""Compares two code objects of files, field by field and with all nested code, in everything that a file stores.

The exception is the name of the source file, as long as all code of one file has the same. Constants are compared by
type and value: which equal constants share an object in a file varies between runs of a compiler.
"""

from __future__ import annotations

from typing import Iterator, NamedTuple

from ..decompiler.bytecode import RawCode
from ..decompiler.proof.identical import differing_fields
from ..decompiler.proof.side_conditions.same_constants import NANS, other_nans

LINES = "line numbers"
NO_LINES = "a line table that can't be read"


class CodeDifference(NamedTuple):
    """One code object that differs: its qualified name, the names of the fields, and both sides, of which one may be
    missing. Nested code has separate differences."""

    where: str
    fields: tuple[str, ...]
    ours: RawCode | None
    source: RawCode | None

    @property
    def lines_alone(self) -> bool:
        """Whether only line numbers differ."""
        return self.fields == (LINES,)

    def __str__(self) -> str:
        if self.source is None:
            return f"{self.where}: the source has no such code"
        if self.ours is None:
            return f"{self.where}: the compiled file has no such code"
        return f"{self.where}: other {', '.join(self.fields)}"


def differences(ours: RawCode, source: RawCode) -> list[CodeDifference]:
    """All code objects that differ between a compiled file and its compiled source, outer ones first."""
    found: list[CodeDifference] = []
    filenames = ours.filename, source.filename
    todo: list[tuple[RawCode | None, RawCode | None]] = [(ours, source)]
    seen = set()
    while todo:
        left, right = todo.pop()
        if (id(left), id(right)) in seen:
            continue  # a file may contain one code object twice
        seen.add((id(left), id(right)))
        if left is None or right is None:
            one = left or right
            assert one is not None
            found.append(CodeDifference(one.qualname, (), left, right))
            continue
        fields = tuple(dict.fromkeys(_fields(left, right, filenames)))
        if fields:
            found.append(CodeDifference(left.qualname, fields, left, right))
        todo.extend(reversed(list(_pairs(left, right))))
    return found


def _fields(left: RawCode, right: RawCode, filenames: tuple[str, str]) -> Iterator[str]:
    yield from differing_fields(left, right)
    if left.name != right.name:
        yield "name"
    if left.qualname != right.qualname:
        yield "qualified name"
    for field, label in (
        ("nlocals", "number of local variables"), ("localsplus_kinds", "kinds of variables"),
        ("exception_table", "exception table"),
    ):  # fmt: skip
        if left.stored.get(field) != right.stored.get(field):
            yield label
    if other_nans(left, right):
        yield NANS
    if (left.filename == filenames[0]) != (right.filename == filenames[1]):
        yield "name of the source file than in the code around it"
    if left.linetable != right.linetable or left.firstlineno != right.firstlineno:
        readable = left.positions() or not left.bytecode or not right.positions()
        yield LINES if readable else NO_LINES


def _pairs(left: RawCode, right: RawCode) -> Iterator[tuple[RawCode | None, RawCode | None]]:
    """Pair nested code objects: by index if both sides have the same names in the same order."""
    ours, theirs = left.nested, right.nested
    if [raw.name for raw in ours] == [raw.name for raw in theirs]:
        yield from zip(ours, theirs)
        return
    others: dict[str, list[RawCode]] = {}
    for raw in theirs:
        others.setdefault(raw.name, []).append(raw)
    for raw in ours:
        rest = others.get(raw.name)
        yield raw, rest.pop(0) if rest else None
    yield from ((None, raw) for rest in others.values() for raw in rest)
