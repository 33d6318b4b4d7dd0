"""Zip files as trees. Members are decompressed here: zipfile's own decompressors of LZMA and bzip2 know no bound."""

from __future__ import annotations

import bz2
import stat
import struct
import time
import zipfile
import zlib
from typing import IO, Any, Iterator

from .archives import DAMAGED, Archive, error_text
from .lzma_reader import lzma1_decompressor
from .names import is_python
from .trees import DEFAULT_LIMITS, END, Entry, Limits, Problem, Unreadable
from .wheels import ELSEWHERE, WheelLayout
from .zip_lists import check_list, check_members, has_other_name

_CHUNK = 1 << 18
_SMALLEST_WINDOW = 4096
"""Of liblzma."""
_UTF_8 = 0x800
"""The flag of a member whose name is in UTF-8."""
_UNIX = 3
"""The system whose kinds of files are in the upper half of a member's attributes."""


class ZipTree(Archive):
    """A zip file."""

    def __init__(self, path: str, file: IO[bytes], limits: Limits = DEFAULT_LIMITS) -> None:
        super().__init__(path, file, limits)
        is_wheel = path.lower().endswith(".whl")
        self.kind, self.description = ("unpacked", "a wheel") if is_wheel else ("zip", "a zip file")
        check_list(path, file, limits.members)
        opened = zipfile.ZipFile(file)
        infos = opened.infolist()
        self._starts = check_members(path, file, infos, opened.start_dir, is_wheel)
        self._layout = WheelLayout(path, (info.orig_filename for info in infos)) if is_wheel else None
        for info in infos:
            self._note(info)

    def _note(self, info: zipfile.ZipInfo) -> None:
        name = info.orig_filename
        mode = stat.S_IFMT(info.external_attr >> 16) if info.create_system == _UNIX else 0
        is_link = stat.S_IFMT(info.external_attr >> 16) == stat.S_IFLNK
        if has_other_name(info.extra, name):
            reason = "it has two names: which one is meant depends on the unpacker"
        elif (is_python(name) or is_link) and not name.isascii() and not info.flag_bits & _UTF_8:
            reason = "the encoding of its name is not known"
        elif is_link:
            self.add_link(name, self._target(info))
            return
        elif name.endswith("/"):
            self.add_folder(name[:-1])
            return
        elif mode not in (0, stat.S_IFREG):
            reason = "is no regular file"
        else:
            self._add_file(name, info)
            return
        self.count_in(info.file_size)
        self.unreadable.append(Unreadable(name, reason))

    def _add_file(self, name: str, info: zipfile.ZipInfo) -> None:
        if self._layout is None:
            self.add(name, info.file_size, info)
            return
        place, others = self._layout.installed(name)
        if place is None:
            self.count_in(info.file_size)
            self.unreadable.append(Unreadable(name, ELSEWHERE))
            return
        self.add(name, info.file_size, info, place)
        if is_python(name):
            for other in others:
                self.reserve(other, name)

    def entry(self, name: str) -> Entry | None:
        """Times in zip files are local ones."""
        info = self.members.get(name)
        if info is None:
            return None
        try:
            seconds = int(time.mktime((*info.date_time, -1, -1, -1)))
        except (ValueError, OverflowError):
            return Entry(info.file_size, None)
        return Entry(info.file_size, seconds)

    def size(self, name: str) -> int:
        """Before compression."""
        size: int = self.members[name].file_size
        return size

    def content(self, name: str) -> bytes:
        """Raises for an encrypted member."""
        return b"".join(self._chunks(self.members[name]))

    def ends(self, name: str) -> tuple[bytes, bytes]:
        """The member is decompressed, and nothing else of it kept."""
        head = tail = b""
        try:
            for chunk in self._chunks(self.members[name]):
                head = head or chunk[:END]
                tail = (tail + chunk)[-END:] if len(chunk) < END else chunk[-END:]
        except DAMAGED as error:
            raise Problem(f"can't be read: {error_text(error)}") from error
        return head, tail

    def _target(self, info: zipfile.ZipInfo) -> str:
        if info.file_size > _CHUNK:
            return ""
        try:
            return b"".join(self._chunks(info)).decode("utf-8", "surrogateescape")
        except (Problem, *DAMAGED):
            return ""

    def _chunks(self, info: zipfile.ZipInfo) -> Iterator[bytes]:
        """The content, at most one byte more than the stated size."""
        if info.flag_bits & 1:
            raise Problem("is encrypted")
        at = self._starts[info.header_offset]
        end = at + info.compress_size
        data = self.bytes_at(at, min(info.compress_size, _CHUNK))
        at += len(data)
        reader, header = _reader(info, data)
        data, left, check = data[header:], info.file_size + 1, 0
        while left > 0:
            found = reader.decompress(data, min(left, _CHUNK))
            check, left = zlib.crc32(found, check), left - len(found)
            if found:
                yield found
            if reader.eof or (not found and at >= end and reader.needs_input):
                break
            data = self.bytes_at(at, min(end - at, _CHUNK)) if reader.needs_input else b""
            at += len(data)
            if not data and at < end and reader.needs_input:
                raise Problem("is cut short")
        if left != 1:
            raise Problem(f"does not have the {info.file_size} bytes that the archive states")
        # zipfile stops at the size in the list, zipimport and readers of streams at the end of the compressed data.
        if reader.eof and (at < end or reader.unused_data):
            raise Problem("its compressed data ends early")
        if check != info.CRC:
            raise Problem("its checksum is another one")

    def shown(self, name: str) -> str:
        """The name in the archive: that of an installed file may be another one."""
        info = self.members.get(name)
        return super().shown(info.orig_filename if info is not None else name)


class _Stored:
    """The interface of bz2.BZ2Decompressor, for data that is not compressed."""

    eof = False
    unused_data = b""

    def __init__(self) -> None:
        self._rest = b""

    @property
    def needs_input(self) -> bool:
        """Whether all of the input was used."""
        return not self._rest

    def decompress(self, data: bytes, size: int) -> bytes:
        """At most ``size`` bytes."""
        data = self._rest + data
        self._rest = data[size:]
        return data[:size]


class _Deflated(_Stored):
    """The same for zlib."""

    def __init__(self) -> None:
        super().__init__()
        self._zlib = zlib.decompressobj(-zlib.MAX_WBITS)
        self._is_full = False

    @property
    def needs_input(self) -> bool:
        """Whether all of the input was used, and no output is left."""
        return not self._zlib.unconsumed_tail and not self._is_full

    @property
    def eof(self) -> bool:  # type: ignore[override]
        """Whether the end of the compressed data was found."""
        return self._zlib.eof

    @property
    def unused_data(self) -> bytes:  # type: ignore[override]
        """What is behind it."""
        return self._zlib.unused_data

    def decompress(self, data: bytes, size: int) -> bytes:
        """At most ``size`` bytes."""
        found = self._zlib.decompress(self._zlib.unconsumed_tail + data, size)
        self._is_full = len(found) == size
        return found


def _reader(info: zipfile.ZipInfo, data: bytes) -> tuple[Any, int]:
    """The decompressor of a member, whose compressed data begins with ``data``; the size of a header there."""
    if info.compress_type == zipfile.ZIP_STORED:
        return _Stored(), 0
    if info.compress_type == zipfile.ZIP_DEFLATED:
        return _Deflated(), 0
    if info.compress_type == zipfile.ZIP_BZIP2:
        return bz2.BZ2Decompressor(), 0
    if info.compress_type == zipfile.ZIP_LZMA:
        _, size, first, window = struct.unpack_from("<HHBL", data)
        rest, lc = divmod(first, 9)
        pb, lp = divmod(rest, 5)
        # The window is allocated at once; one of the size of the data is enough.
        window = max(min(window, info.file_size + 1), _SMALLEST_WINDOW)
        return lzma1_decompressor(window, lc, lp, pb), 4 + size
    raise Problem(f"is compressed by method {info.compress_type}, which depyf does not read")
