"""Checks the central directory of a zip file: all readers must see the same members.

CPython's zipimport loads code from zip files, installers and depyf read them by zipfile. A file that the two would
read differently is refused.
"""

from __future__ import annotations

import os
import struct
import zipfile
from typing import IO, Any, Iterator, Sequence

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

_ENTRY, _ENTRY_SIZE, _LENGTHS = b"PK\1\2", 46, struct.Struct("<HHH")
"""A row of the list; from its byte 28 on the lengths of name, extra field and comment."""
MEMBER, EMPTY = b"PK\3\4", b"PK\5\6"
_LOCAL = struct.Struct("<4sHHHHHLLLHH")
"""A member's own header: mark, version, flags, method, time, date, checksum, both sizes, lengths of name and extra."""
_SIZES_64 = 1
"""The extra field with sizes in 64 bits."""
_ENCRYPTED, _SIZES_BEHIND, _UTF_8 = 1, 8, 0x800
_DESCRIPTORS = (0, 12, 16, 20, 24)
"""The bytes behind a member with the flag `_SIZES_BEHIND`."""


def find_list(file: IO[bytes]) -> bool:
    """Whether there is a list of members at the end of the file, of which the first row is where it should be."""
    found = _end(file)
    if found is None:
        return False
    at, (_, size, _), before = found
    if _IN_64_BITS[1] == size:
        return True
    if before.startswith(_LOCATOR_64, max(len(before) - _LOCATOR_SIZE, 0)):
        at -= _END_SIZE_64 + _LOCATOR_SIZE
    file.seek(max(at - size, 0))
    return size > 0 and file.read(4) == _ENTRY


def list_end(file: IO[bytes]) -> int | None:
    """The offset of the record that ends the list of members, None if there is none."""
    found = _end(file)
    return found[0] if found is not None else None


def _end(file: IO[bytes]) -> tuple[int, tuple[int, ...], bytes] | None:
    """The offset of the end record, its fields, and what precedes it; found as zipimport finds it."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _LONGEST_COMMENT - 200))
    tail = file.read()
    at = len(tail) - _END_SIZE
    if tail[max(at, 0) : at + 4] != _END:
        at = tail.rfind(_END)
    if at < 0 or at + _END_SIZE > len(tail):
        return None
    return size - len(tail) + at, _FIELDS.unpack_from(tail, at + 10), tail[:at]


def check_list(path: str, file: IO[bytes], most: int) -> None:
    """Raise VerificationError if there are two lists, or one that would need very much memory."""
    found = _end(file)
    if found is None:
        return  # zipfile reports the error
    at, sizes, before = found
    file.seek(at + _END_SIZE - 2)
    comment = file.read()
    if len(comment) - 2 != int.from_bytes(comment[:2], "little"):
        raise VerificationError(f"{path} has something behind its list of members, which readers take differently")
    if before.startswith(_LOCATOR_64, max(len(before) - _LOCATOR_SIZE, 0)):
        at -= _LOCATOR_SIZE
        sizes = _in_64_bits(path, file, at, sizes)
        at -= _END_SIZE_64
    if sizes[1] > LARGEST_DIRECTORY:
        raise VerificationError(f"the list of members of {path} has {sizes[1]} bytes, more than {LARGEST_DIRECTORY}")
    file.seek(max(at - sizes[1], 0))
    rows = file.read(sizes[1])
    # zipfile goes by the size of the list, and needs a kilobyte for each member.
    count = here = 0
    while here + _ENTRY_SIZE <= len(rows):
        here += _ENTRY_SIZE + sum(_LENGTHS.unpack_from(rows, here + 28))
        count += 1
        if count > most:
            raise VerificationError(f"{path} has more than {most} members")


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


def has_other_name(extra: bytes, name: str) -> bool:
    """Whether some readers call the member by another name than the one in the list."""
    here = name.encode("utf-8", "surrogatepass")
    return any(kind == _OTHER_NAME and data[5:] != here for kind, data in _extra_fields(extra))


def _extra_fields(extra: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 4 <= len(extra):
        kind, size = struct.unpack_from("<HH", extra, at)
        yield kind, extra[at + 4 : at + 4 + size]
        at += 4 + size


def check_members(
    path: str, file: IO[bytes], infos: Sequence[zipfile.ZipInfo], end: int, is_stream: bool
) -> dict[int, int]:
    """Where the data of each member starts, by the offset of its header.

    Installers read wheels while they arrive, and go by the headers of the members: raise VerificationError if these
    say other things than the list, or members share bytes, as in a bomb. ``is_stream``: the first byte is a member's.
    """
    starts: dict[int, int] = {}
    before, other = 0, None
    for info in sorted(infos, key=lambda info: info.header_offset):
        name = info.orig_filename
        if info.header_offset < before:
            raise VerificationError(f"in {path}, {other.orig_filename if other else ''!a} and {name!a} share bytes")
        if other is not None or is_stream:
            _check_gap(path, file, before, info.header_offset, other)
        file.seek(info.header_offset)
        fields = file.read(_LOCAL.size)
        if len(fields) < _LOCAL.size or not fields.startswith(MEMBER):
            raise VerificationError(f"in {path}, there is no member {name!a} where the list says")
        lengths = _LOCAL.unpack(fields)[9:]
        rest = file.read(sum(lengths))
        if not _agrees(info, _LOCAL.unpack(fields), rest[: lengths[0]], rest[lengths[0] :]):
            raise VerificationError(
                f"in {path}, the header of {name!a} is not what the list of members says: readers differ in it"
            )
        starts[info.header_offset] = info.header_offset + _LOCAL.size + sum(lengths)
        before, other = starts[info.header_offset] + info.compress_size, info
    _check_gap(path, file, before, max(end, before), other)
    if before > end:
        raise VerificationError(f"in {path}, the last member and the list share bytes")
    return starts


def _check_gap(path: str, file: IO[bytes], start: int, end: int, other: zipfile.ZipInfo | None) -> None:
    """Raise VerificationError if there may be a member between two of the list."""
    if start == end or (other is not None and other.flag_bits & _SIZES_BEHIND and end - start in _DESCRIPTORS):
        return
    file.seek(start)
    last = b""
    while start < end:
        data = file.read(min(end - start, 1 << 20))
        if not data or MEMBER in last + data or other is None:
            raise VerificationError(f"{path} has something at byte {start} that is not in its list of members")
        start, last = start + len(data), data[-3:]


def _agrees(info: zipfile.ZipInfo, fields: tuple[Any, ...], name: bytes, extra: bytes) -> bool:
    _, _, flags, method, _, _, _, packed, size, *_ = fields
    codec = "utf-8" if info.flag_bits & _UTF_8 else "cp437"
    if name != info.orig_filename.encode(codec, "surrogatepass"):
        return False
    if has_other_name(extra, info.orig_filename) and not has_other_name(info.extra, info.orig_filename):
        return False
    if method != info.compress_type or (flags ^ info.flag_bits) & (_ENCRYPTED | _SIZES_BEHIND | _UTF_8):
        return False
    sizes = dict(_extra_fields(extra)).get(_SIZES_64)
    if sizes is not None and len(sizes) >= 16 and _IN_64_BITS[1] in (packed, size):
        size, packed = struct.unpack_from("<QQ", sizes)
    is_behind = flags & _SIZES_BEHIND and packed == 0 and size in (0, info.file_size)
    return bool(is_behind or (packed, size) == (info.compress_size, info.file_size))
