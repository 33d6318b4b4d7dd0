"""Marshalled code with every reference expanded: a fast check whether two files have the same content.

Up to 3.10 the bytes of equal code vary between runs of one compiler: an object is marked (FLAG_REF) if anything else
in the process refers to it, and references count the marks. Marshal format 2 has no references: the compiling process
writes it (`marshal.dumps(code, 2)`), and here the content of a file is converted to it. Content that needs a closer
look (nans, types that no compiler writes, damage) is not converted.
"""

from __future__ import annotations

from typing import Any, Tuple

from ..decompiler.bytecode.code.formats import FORMATS
from ..decompiler.bytecode.reading.code_fields import NUMBERS
from ..decompiler.bytecode.reading.marshal import FLAG_REF

Version = Tuple[int, int]

_SINGLETONS = frozenset(b"NFT.")
_SHORT, _ASCII, _TEXT = frozenset(b"zZ"), frozenset(b"aA"), frozenset(b"ut")
_BYTES, _TUPLE, _FROZENSET, _SHORT_TUPLE, _CODE, _REFERENCE = b"s(>)cr"
_INTEGER, _DIGITS, _FLOAT, _COMPLEX = b"ilgy"
_WITH_PARTS = frozenset(b"(>)c")


def written_out(data: bytes, version: Version, offset: int, most: int) -> bytes | None:
    """The marshalled code in ``data`` from ``offset`` to the end, in format 2.

    None if it needs a closer look, is followed by anything, or has more than ``most`` parts.
    """
    try:
        parts, end = _MarshalWriter(data, version, most).write(offset)
    except (IndexError, TypeError, _Unusual):
        return None
    return b"".join(parts) if end == len(data) else None


class _Unusual(Exception):
    """Something that the fast check does not handle."""


class _MarshalWriter:
    def __init__(self, data: bytes, version: Version, most: int) -> None:
        self.data, self.most = data, most
        kinds = [field in NUMBERS for field in FORMATS[version].code_fields]
        self.objects = kinds.count(False)
        self.numbers = 4 * kinds.index(False)
        last_object = len(kinds) - 1 - kinds[::-1].index(True)  # the first line is between the objects
        self.left_of_line = kinds[last_object:].count(False)
        self.parts: list[bytes] = []
        self.references: list[Any] = []
        self.texts: dict[bytes, bytes] = {}

    def write(self, at: int) -> tuple[list[bytes], int]:
        data, parts, references, texts = self.data, self.parts, self.references, self.texts
        # For each object: the remaining parts, their number at its first line, its reference, and its first part.
        waiting: list[list[int]] = []
        while True:
            first = data[at]
            kind = first & ~FLAG_REF
            if kind in _SHORT:  # by far the most frequent, so inlined
                end = at + 2 + data[at + 1]
                key = data[at + 1 : end]
                text = texts.get(key) or self._short(key)
                parts.append(text)
                if first >= FLAG_REF:
                    references.append(text)
                at = end
            elif kind == _REFERENCE:
                found = references[int.from_bytes(data[at + 1 : at + 5], "little")]
                if type(found) is bytes:
                    parts.append(found)
                else:
                    self._again(*found)
                at += 5
            elif kind in _WITH_PARTS:
                entry = [0, -1, -1, len(parts)]
                if first >= FLAG_REF:
                    entry[2] = len(references)
                    references.append(None)  # unusable until complete
                at = self._begin(kind, at, entry)
                if entry[0]:
                    waiting.append(entry)
                    continue
                if first >= FLAG_REF:
                    references[-1] = parts[-1]
            else:
                at = self._leaf(kind, first, at)
            while waiting:
                top = waiting[-1]
                top[0] -= 1
                if top[0] == top[1]:
                    parts.append(data[at : at + 4])
                    at += 4
                if top[0]:
                    break
                if top[2] >= 0:
                    references[top[2]] = (top[3], len(parts))
                waiting.pop()
            else:
                return parts, at

    def _short(self, key: bytes) -> bytes:
        """A text of up to 255 characters, preceded by its length."""
        if not key[1:].isascii() or len(key) != 1 + key[0]:
            raise _Unusual
        text = self.texts[key] = b"u" + key[:1] + b"\0\0\0" + key[1:]
        return text

    def _again(self, start: int, end: int) -> None:
        """Write again what has been written from ``start`` to ``end``."""
        if len(self.parts) + end - start > self.most:
            raise _Unusual
        self.parts += self.parts[start:end]

    def _begin(self, kind: int, at: int, entry: list[int]) -> int:
        """Begin an object with parts; return the offset of the first."""
        data = self.data
        if kind == _CODE:
            end = at + 1 + self.numbers
            entry[0], entry[1] = self.objects, self.left_of_line
            self.parts.append(b"c" + data[at + 1 : end])
        elif kind == _SHORT_TUPLE:
            end = at + 2
            entry[0] = data[at + 1]
            self.parts.append(b"(" + data[at + 1 : end] + b"\0\0\0")
        else:
            end = at + 5
            entry[0] = int.from_bytes(data[at + 1 : end], "little")
            self.parts.append(bytes((kind,)) + data[at + 1 : end])
        return end

    def _leaf(self, kind: int, first: int, at: int) -> int:
        """Write an object without parts; return its end. Raises _Unusual for unexpected types."""
        data = self.data
        new = kind
        if kind == _INTEGER:
            end = at + 5
        elif kind in _SINGLETONS:
            end = at + 1
            if first >= FLAG_REF:
                raise _Unusual
        elif kind == _BYTES or kind in _TEXT or kind in _ASCII:
            end = at + 5 + int.from_bytes(data[at + 1 : at + 5], "little")
            new = kind if kind == _BYTES else ord("u")
            if kind in _ASCII and not data[at + 5 : end].isascii():
                raise _Unusual
        elif kind == _DIGITS:
            end = at + 5 + 2 * abs(int.from_bytes(data[at + 1 : at + 5], "little", signed=True))
        elif kind in (_FLOAT, _COMPLEX):
            end = at + (9 if kind == _FLOAT else 17)
            if any(data[byte] & 0x7F == 0x7F for byte in range(at + 8, end, 8)):
                raise _Unusual  # may be a nan, whose identity matters
        else:
            raise _Unusual
        text = bytes((new,)) + data[at + 1 : end]
        self.parts.append(text)
        if first >= FLAG_REF:
            self.references.append(text)
        return end
