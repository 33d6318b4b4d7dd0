"""Marshalled code without what differs between two runs of one compiler: a quick way to see that it is the same.

Up to 3.10 the bytes depend on which strings something else in the process holds, too (FLAG_REF, and the numbers of
references). Here an object without parts stands wherever it is referred to, and one with parts has the number
of its place. Two equal lists are the same code in every field; of unequal ones nothing is known. Whatever
needs a closer look (nans, types that no compiler writes, damage) has no list.
"""

from __future__ import annotations

from typing import Any, Tuple

from ..decompiler.bytecode.code.formats import FORMATS
from ..decompiler.bytecode.reading.code_fields import NUMBERS
from ..decompiler.bytecode.reading.marshal import FLAG_REF

Version = Tuple[int, int]

_SINGLETONS = frozenset(b"NFT.")
_SHORT, _LONG = frozenset(b"zZ"), frozenset(b"saAut")
_CONTAINERS = frozenset(b"(>")
_INTEGER, _DIGITS, _FLOAT, _COMPLEX = b"ilgy"
_REFERENCE, _SHORT_TUPLE, _CODE, _SLICE = b"r)c:"
_WITH_PARTS = frozenset(b"(>)c:")


def flat(data: bytes, version: Version, offset: int = 0) -> tuple[list[Any], int] | None:
    """The parts of the marshalled code at ``offset``, and where it ends; None if that needs a closer look."""
    try:
        parts, end = _Flat(data, version).read(offset)
    except (IndexError, _Unusual):
        return None
    return (parts, end) if end <= len(data) else None


class _Unusual(Exception):
    """Something that the quick way does not know."""


class _Flat:
    def __init__(self, data: bytes, version: Version) -> None:
        self.data = data
        fields = FORMATS[version].code_fields
        self.has_slices = FORMATS[version].has_slices
        kinds = [field in NUMBERS for field in fields]
        self.objects = kinds.count(False)
        self.numbers = 4 * kinds.index(False)
        behind = len(kinds) - 1 - kinds[::-1].index(True)  # the first line stands between the objects
        self.left_of_line = kinds[behind:].count(False)
        self.parts: list[Any] = []
        self.references: list[Any] = []

    def read(self, at: int) -> tuple[list[Any], int]:
        data, parts, references = self.data, self.parts, self.references
        waiting: list[list[int]] = []  # of each object: how many parts are to come, and how many when its line comes
        places = 0
        while True:
            first = data[at]
            kind, count, line = first & ~FLAG_REF, -1, -1
            if kind in _SHORT:  # by far the most frequent, so written out
                end = at + 2 + data[at + 1]
                token = data[at:end] if first < FLAG_REF else bytes((kind,)) + data[at + 1 : end]
                parts.append(token)
                if first >= FLAG_REF:
                    references.append(token)
            elif kind == _REFERENCE:
                end = at + 5
                parts.append(references[int.from_bytes(data[at + 1 : end], "little")])
            elif kind in _WITH_PARTS:
                end = self._end(kind, at)
                places += 1
                count = int.from_bytes(data[at + 1 : end], "little")
                if kind == _CODE:
                    count, line = self.objects, self.left_of_line
                elif kind == _SLICE:
                    count = 3
                parts += (kind, data[at + 1 : end])
                if first >= FLAG_REF:
                    references.append(places)
            else:
                end = self._end(kind, at)
                token = bytes((kind,)) + data[at + 1 : end]
                parts.append(token)
                if first >= FLAG_REF:
                    if kind in _SINGLETONS:
                        raise _Unusual
                    references.append(token)
            at = end
            if count > 0:
                waiting.append([count, line])
                continue
            while waiting:
                top = waiting[-1]
                top[0] -= 1
                if top[0] == top[1]:
                    parts.append(data[at : at + 4])
                    at += 4
                if top[0]:
                    break
                waiting.pop()
            else:
                return parts, at

    def _end(self, kind: int, at: int) -> int:
        """Where the object at ``at`` ends, or its first part begins. Raises _Unusual for types that nobody expects."""
        data = self.data
        if kind == _SHORT_TUPLE:
            return at + 2
        if kind == _INTEGER or kind in _CONTAINERS:
            return at + 5
        if kind in _SINGLETONS:
            return at + 1
        if kind in _LONG:
            return at + 5 + int.from_bytes(data[at + 1 : at + 5], "little")
        if kind == _CODE:
            return at + 1 + self.numbers
        if kind == _DIGITS:
            return at + 5 + 2 * abs(int.from_bytes(data[at + 1 : at + 5], "little", signed=True))
        if kind in (_FLOAT, _COMPLEX):
            end = at + (9 if kind == _FLOAT else 17)
            if any(data[byte] & 0x7F == 0x7F for byte in range(at + 8, end, 8)):
                raise _Unusual  # it may be a nan, whose identity counts
            return end
        if kind == _SLICE and self.has_slices:
            return at + 1
        raise _Unusual
