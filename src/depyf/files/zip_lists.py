"""Checks the central directory of a zip file: all readers must see the same members.

CPython's zipimport loads code from zip files, installers and depyf read them by zipfile. A file that the two would
read differently is refused.
"""

from __future__ import annotations

import os
import re
import struct
import zipfile
from typing import IO

from .trees import VerificationError

LARGEST_DIRECTORY = 1 << 26
"""The limit of bytes of the list of members, which zipfile loads at once."""

_END, _END_64, _LOCATOR_64 = b"PK\5\6", b"PK\6\6", b"PK\6\7"
_END_SIZE, _END_SIZE_64, _LOCATOR_SIZE = 22, 56, 20
_LONGEST_COMMENT = 0xFFFF
_FIELDS = struct.Struct("<HLL")
"""Of the end of the list, from byte 10 on: number of members, size of the list, its offset."""
_FIELDS_64 = struct.Struct("<QQQ")
"""The same of the end in 64 bits, from byte 32 on."""
_IN_64_BITS = (0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF)
"""The value that refers to the 64-bit record."""
_OTHER_NAME = 0x7075
"""The extra field with a name in UTF-8, which zipfile prefers from 3.13 on and zipimport does not know."""

_INSTALLED = re.compile(r"[^/]+\.data/(?:purelib|platlib|data/(?:[Ll]ib/(?:python3\.\d+/)?site-packages))/")
"""Folders of a wheel whose content an installer puts next to the rest."""


def check_list(path: str, file: IO[bytes]) -> None:
    """Raise VerificationError if there are two lists, or one that would need very much memory."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _LONGEST_COMMENT - 200))
    tail = file.read()
    at = len(tail) - _END_SIZE
    if tail[at : at + 4] != _END:
        at = tail.rfind(_END)
    if at < 0 or at + _END_SIZE > len(tail):
        return  # zipfile reports the error
    sizes = _FIELDS.unpack_from(tail, at + 10)
    if at >= _LOCATOR_SIZE and tail.startswith(_LOCATOR_64, at - _LOCATOR_SIZE):
        sizes = _in_64_bits(path, file, size - len(tail) + at - _LOCATOR_SIZE, sizes)
    if sizes[1] > LARGEST_DIRECTORY:
        raise VerificationError(f"the list of members of {path} has {sizes[1]} bytes, more than {LARGEST_DIRECTORY}")


def _in_64_bits(path: str, file: IO[bytes], locator: int, sizes: tuple[int, ...]) -> tuple[int, ...]:
    """The fields of the 64-bit end record, which precedes its locator; some readers use its offset instead."""
    file.seek(max(0, locator - _END_SIZE_64))
    record = file.read(_END_SIZE_64 + _LOCATOR_SIZE)
    offset = int.from_bytes(record[_END_SIZE_64 + 8 : _END_SIZE_64 + 16], "little")
    file.seek(min(offset, locator))
    elsewhere = offset != locator - _END_SIZE_64 and file.read(4) == _END_64
    others = _FIELDS_64.unpack_from(record, 32) if record.startswith(_END_64) else sizes
    differs = any(one not in (other, full) for one, other, full in zip(sizes, others, _IN_64_BITS))
    if elsewhere or differs or not record.startswith(_END_64):
        raise VerificationError(f"{path} has two lists of members: which one is meant depends on the reader")
    return others


def has_other_name(info: zipfile.ZipInfo) -> bool:
    """Whether some readers call the member by another name than the one in the list."""
    data, at = info.extra, 0
    while at + 4 <= len(data):
        kind, size = struct.unpack_from("<HH", data, at)
        if kind == _OTHER_NAME and data[at + 9 : at + 4 + size] != info.orig_filename.encode("utf-8", "surrogatepass"):
            return True
        at += 4 + size
    return False


def installed_name(name: str) -> str:
    """The path of an installed member of a wheel, relative to site-packages."""
    return _INSTALLED.sub("", name, count=1) if _INSTALLED.match(name) else name
