"""Tar files as trees, read by the letter of POSIX's ustar and pax formats, with GNU's long names.

tar, libarchive, Python's tarfile and the readers of installers take what is beyond these formats differently: sparse
files, records that say things twice, members with a size that have no data, data after the end. Such a file is
refused (tarfile, for one, would show a part of it).
"""

from __future__ import annotations

import bz2
import gzip
import io
import re
from typing import IO, Any, Iterator, NamedTuple

from .archives import LONGEST_NAME, Archive
from .content import begins_as_tar, has_checksum, may_be_archive
from .lzma_reader import xz_decompressor
from .names import is_python, spelling
from .trees import DEFAULT_LIMITS, END, Entry, Limits, Unreadable, VerificationError

_BLOCK = 512
_CHUNK = 1 << 20
_USTAR = b"ustar\x0000"
_FILE, _LINKS, _DEVICES, _FOLDER = (b"0", b"\0", b"7"), (b"1", b"2"), (b"3", b"4", b"6"), b"5"
_HARD = b"1"
_PAX, _PAX_FOR_ALL, _LONG_NAME, _LONG_TARGET = b"x", b"g", b"L", b"K"
_LONGEST_HEADER = 1 << 20
_OCTAL = re.compile(rb"[ 0-7]*[ \0]*\Z")
_NAMING = ("path", "linkpath", "size", "hdrcharset")
_GZIP, _BZIP2, _XZ = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0"


class _Header(NamedTuple):
    kind: bytes
    name: str
    target: str
    size: int
    time: int


class TarTree(Archive):
    """A tar file, compressed or not; Python files and archives in it are kept in memory."""

    kind = "unpacked"
    description = "a tar file"

    def __init__(self, path: str, file: IO[bytes], limits: Limits = DEFAULT_LIMITS) -> None:
        super().__init__(path, file, limits)
        self.kept = 0
        stream = _Stream(path, decompressed(file, limits), limits)
        for header in _headers(stream):
            if header.kind in _FILE:
                self._add_file(stream, header)
            elif header.kind == _FOLDER:
                self.add_folder(header.name)
            else:
                is_device = header.kind in _DEVICES
                self.add_link(header.name, "." if is_device else header.target, header.kind == _HARD)
        if stream.has_more():
            self.unreadable.append(Unreadable(".", "has something behind its end, which some unpackers read"))

    def _add_file(self, stream: _Stream, header: _Header) -> None:
        is_large = header.size > self.limits.file
        is_wanted = is_python(spelling(header.name[:LONGEST_NAME]))
        data, head, tail = [], b"", b""
        for chunk in stream.chunks(header.size):
            if not is_large:
                data.append(chunk)
            head = head or chunk[:END]
            tail = (tail + chunk)[-END:]
        kept = b"".join(data)
        is_archive = may_be_archive(header.name[:LONGEST_NAME], head, tail)
        if is_archive:
            self.kept += len(kept)
            if self.kept > self.limits.file:
                raise VerificationError(f"{self.path} has more than {self.limits.file} bytes of archives")
        self.add(header.name, header.size, (header.size, header.time, kept if is_wanted or is_archive else None))
        if is_archive and is_large:
            reason = f"may be an archive, of {header.size} bytes, more than {self.limits.file}"
            self.unreadable.append(Unreadable(header.name[:LONGEST_NAME], reason))

    def entry(self, name: str) -> Entry | None:
        """Times are in seconds since 1970."""
        member = self.members.get(name)
        return Entry(member[0], member[1]) if member is not None else None

    def size(self, name: str) -> int:
        """As the archive says."""
        size: int = self.members[name][0]
        return size

    def content(self, name: str) -> bytes:
        """The content kept in memory."""
        return self.members[name][2] or b""

    def ends(self, name: str) -> tuple[bytes, bytes]:
        """Nothing was kept of a file that is no archive."""
        data = self.members[name][2] or b""
        return data[:END], data[-END:]


def decompressed(file: IO[bytes], limits: Limits) -> Any:
    """The file, or its decompressed content."""
    file.seek(0)
    head = file.read(6)
    file.seek(0)
    if head.startswith(_GZIP):
        return gzip.GzipFile(fileobj=file, mode="rb")
    if head.startswith(_BZIP2):
        return bz2.BZ2File(file)
    return io.BufferedReader(_Xz(file, limits.file), _CHUNK) if head == _XZ else file


def is_tar(file: IO[bytes], limits: Limits = DEFAULT_LIMITS) -> bool:
    """Whether the file, compressed or not, begins with the header of a member."""
    return begins_as_tar(bytes(decompressed(file, limits).read(_BLOCK)))


class _Xz(io.RawIOBase):
    """The content of an .xz file; the decompressor allocates at most ``most`` bytes. lzma.LZMAFile has no limit."""

    def __init__(self, file: IO[bytes], most: int) -> None:
        self.file, self.most = file, most
        self._reader = self._new()
        self._is_at_start = True

    def _new(self) -> Any:
        return xz_decompressor(self.most)

    def readable(self) -> bool:
        """For io.BufferedReader."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer, or a part of it. Raises LZMAError, EOFError."""
        found = b""
        while not found:
            rest = b""
            if self._reader.eof:
                rest = self._reader.unused_data
                self._reader, self._is_at_start = self._new(), True
            data = rest or (self.file.read(1 << 16) if self._reader.needs_input else b"")
            if not data and self._reader.needs_input:
                if self._is_at_start:
                    return 0
                raise EOFError("the compressed data is cut short")
            self._is_at_start = False
            found = self._reader.decompress(data, len(buffer))
        buffer[: len(found)] = found
        return len(found)


class _Stream:
    """Reads what it is told to, within the limit of an archive."""

    def __init__(self, path: str, file: Any, limits: Limits) -> None:
        self.path, self.file, self.most = path, file, limits.archive
        self.count = 0

    def refuse(self, reason: str) -> VerificationError:
        """The error for the whole archive."""
        return VerificationError(f"can't read the archive {self.path}: at byte {self.count}, {reason}")

    def read(self, size: int) -> bytes:
        """So many bytes, less at the end of the file only."""
        parts = []
        while size:
            data = self.file.read(min(size, _CHUNK))
            if not data:
                break
            parts.append(data)
            size -= len(data)
            self.count += len(data)
            if self.count > self.most:
                raise VerificationError(f"{self.path} has more than {self.most} bytes when it is unpacked")
        return b"".join(parts)

    def exactly(self, size: int) -> bytes:
        """So many bytes. Raises VerificationError."""
        data = self.read(size)
        if len(data) != size:
            raise self.refuse("it is cut short")
        return data

    def chunks(self, size: int) -> Iterator[bytes]:
        """The data of a member; what fills its last block is read, too."""
        for start in range(0, size, _CHUNK):
            yield self.exactly(min(_CHUNK, size - start))
        self.exactly(-size % _BLOCK)

    def has_more(self) -> bool:
        """Whether anything but zeros is left; all of it is read."""
        found = False
        data = b"\0"
        while data:
            data = self.read(_CHUNK)
            found |= data.count(0) != len(data)
        return found


def _headers(stream: _Stream) -> Iterator[_Header]:
    """The members; the data of each has to be read before the next one is asked for."""
    known: dict[str, str] = {}
    block = stream.read(_BLOCK)
    while len(block) == _BLOCK and any(block):
        kind = block[156:157]
        size = _number(stream, block[124:136])
        if not has_checksum(block):
            raise stream.refuse("the checksum of a member's header is another one")
        if kind in (_PAX, _PAX_FOR_ALL, _LONG_NAME, _LONG_TARGET):
            if size > _LONGEST_HEADER:
                raise stream.refuse(f"there is a header of {size} bytes")
            data = b"".join(stream.chunks(size))
            found = _records(stream, data) if kind in (_PAX, _PAX_FOR_ALL) else _long(kind, data)
            if known.keys() & found.keys() or (kind == _PAX_FOR_ALL and any(key in found for key in _NAMING)):
                raise stream.refuse("a header says something twice, or of all members what can be true of one only")
            known.update(found if kind != _PAX_FOR_ALL else {})
        else:
            yield _member(stream, block, size, known)
            known = {}
        block = stream.read(_BLOCK)
    if (block and len(block) < _BLOCK) or known or (not block and not stream.count):
        raise stream.refuse("it is cut short")


def _member(stream: _Stream, block: bytes, size: int, known: dict[str, str]) -> _Header:
    kind = block[156:157]
    if kind not in (*_FILE, *_LINKS, *_DEVICES, _FOLDER):
        raise stream.refuse(f"there is a member of the kind {kind!a}, which unpackers take differently")
    if size and kind not in _FILE:
        raise stream.refuse("a member that is no file has a size, which unpackers take differently")
    if known.get("size", str(size)) != str(size):
        raise stream.refuse("a member has two sizes, which unpackers take differently")
    name, prefix = _text(block[:100]), _text(block[345:500])
    if prefix and block[257:265] == _USTAR:
        name = f"{prefix}/{name}"
    elif any(block[345:500]):
        raise stream.refuse("a header has a prefix that some unpackers read")
    name = known.get("path", name)
    if kind == _FOLDER and name.endswith("/"):
        name = name[:-1]
    time = re.match(rb"[0-7]{0,11}", block[136:148].lstrip(b" "))
    return _Header(kind, name, known.get("linkpath", _text(block[157:257])), size, int(time and time[0] or b"0", 8))


def _text(field: bytes) -> str:
    return field.partition(b"\0")[0].decode("utf-8", "surrogateescape")


def _number(stream: _Stream, field: bytes) -> int:
    """Octal, or in base 256 with GNU's mark."""
    if field[0] == 0x80:
        return int.from_bytes(field[1:], "big")
    digits = field.strip(b" \0")
    if not _OCTAL.match(field) or b" " in digits:
        raise stream.refuse("a size is no number")
    return int(digits or b"0", 8)


def _long(kind: bytes, data: bytes) -> dict[str, str]:
    """GNU's form of a long name."""
    return {"path" if kind == _LONG_NAME else "linkpath": _text(data)}


def _records(stream: _Stream, data: bytes) -> dict[str, str]:
    """Pax's form: ``LENGTH KEY=VALUE\\n`` for each."""
    found: dict[str, str] = {}
    at = 0
    while at < len(data):
        length, space, _ = data[at : at + 12].partition(b" ")
        end = at + (int(length) if length.isdigit() else 0)
        key, equals, value = data[at + len(length) + 1 : end - 1].partition(b"=")
        if not space or not equals or end > len(data) or data[end - 1 : end] != b"\n" or end <= at:
            raise stream.refuse("a pax header is damaged")
        name = key.decode("utf-8", "surrogateescape")
        if name in found or name.startswith("GNU.sparse.") or name == "hdrcharset":
            raise stream.refuse(f"a pax header has {name!a}, which unpackers take differently")
        found[name] = value.decode("utf-8", "surrogateescape")
        at = end
    return found
