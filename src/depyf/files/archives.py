"""Archives as trees: read in memory and within bounds, nothing is unpacked.

A wheel or a tar file is unpacked before it is imported; other zip files (eggs, zipapps) are imported directly.
"""

from __future__ import annotations

import bz2
import copy
import gzip
import io
import lzma
import tarfile
import time
import zipfile
import zlib
from typing import IO, Any, Iterator

from .names import CACHE, is_compiled
from .trees import LARGEST_FILE, Entry, Problem, Tree, Unreadable, VerificationError
from .zip_lists import check_list, has_other_name, installed_name

MOST_MEMBERS = 200_000
LARGEST_ARCHIVE = 1 << 32
"""Bytes of all members of an archive together."""

_LOCAL_HEADER = 30
DAMAGED = (zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError,
            NotImplementedError, RuntimeError, KeyError, IndexError, OverflowError)  # fmt: skip


def error_text(error: BaseException) -> str:
    """The message of the error, without the name of a file."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


class Archive(Tree):
    """Sources and compiled files by name.

    A duplicate name, or one that leads out of the archive, is unreadable. So is one that differs from another only in
    case: on case-insensitive file systems, one would overwrite the other.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.members: dict[str, Any] = {}
        self.unreadable: list[Unreadable] = []
        self.total = self.count = 0
        self._spelled: dict[str, str] = {}

    def add(self, name: str, size: int, member: Any) -> None:
        """Add a member; raises VerificationError if there are too many or too large ones."""
        self.total += max(size, 0)
        self.count += 1
        if self.count > MOST_MEMBERS:
            raise VerificationError(f"{self.path} has more than {MOST_MEMBERS} members")
        if self.total > LARGEST_ARCHIVE:
            raise VerificationError(f"{self.path} has more than {LARGEST_ARCHIVE} bytes when it is unpacked")
        plain = name[2:] if name.startswith("./") else name
        if leads_out(plain):
            self.unreadable.append(Unreadable(name, "the name leads out of the archive"))
            return
        if plain.rpartition("/")[2] == CACHE:
            self.unreadable.append(Unreadable(name, "is no folder: unpacked, it may be a link to compiled files"))
        if not _is_python(plain):
            return
        other = self._spelled.setdefault(plain.lower(), plain)
        if plain in self.members or other != plain:
            twice = "the archive has this name twice" if other == plain else f"the archive has {other} too"
            self.unreadable.append(Unreadable(plain, f"{twice}: which one is meant depends on the unpacker"))
            return
        self.members[plain] = member

    def compiled(self) -> Iterator[str | Unreadable]:
        """In the order of their names."""
        yield from self.unreadable
        yield from (name for name in sorted(self.members) if is_compiled(name))

    def read(self, name: str) -> bytes:
        """The content of one member, if it has the stated size and is not too large for a file."""
        size = self.size(name)
        if size > LARGEST_FILE:
            raise Problem(f"has {size} bytes, more than {LARGEST_FILE}")
        try:
            data = self.content(name)
        except DAMAGED as error:
            raise Problem(f"can't be read: {error_text(error)}") from error
        if len(data) != size:
            raise Problem(f"does not have the {size} bytes that the archive states")
        return data

    def size(self, name: str) -> int:
        """The size stated by the archive."""
        raise NotImplementedError

    def content(self, name: str) -> bytes:
        """The bytes of a member, at most one more than its size."""
        raise NotImplementedError


def _is_python(name: str) -> bool:
    return name.endswith((".py", ".pyw")) or is_compiled(name)


def leads_out(name: str) -> bool:
    """Whether a member of this name would be written outside of the folder of its archive."""
    parts = name.replace("\\", "/").split("/")
    return "" in parts or "." in parts or ".." in parts or "\0" in name or "\\" in name or parts[0][1:2] == ":"


class ZipTree(Archive):
    """A zip file."""

    def __init__(self, path: str, file: IO[bytes] | None = None) -> None:
        super().__init__(path)
        is_wheel = path.lower().endswith(".whl")
        self.kind, self.description = ("unpacked", "a wheel") if is_wheel else ("zip", "a zip file")
        if file is None:
            with open(path, "rb") as opened:
                check_list(path, opened)
        else:
            check_list(path, file)
        self.file = zipfile.ZipFile(path if file is None else file)
        for info in self.file.infolist():
            name = info.orig_filename
            if has_other_name(info):
                self.unreadable.append(Unreadable(name, "it has two names: which one is meant depends on the unpacker"))
            elif not info.is_dir():
                self.add(installed_name(name) if is_wheel else name, info.file_size, info)
        self._refuse_overlaps()

    def _refuse_overlaps(self) -> None:
        """Refuse members that share bytes: no writer does that, but a zip bomb does."""
        end, other = 0, ""
        for info in sorted(self.file.infolist(), key=lambda info: info.header_offset):
            if info.header_offset < end:
                raise VerificationError(f"in {self.path}, {other!a} and {info.orig_filename!a} share bytes")
            end, other = info.header_offset + _LOCAL_HEADER + info.compress_size, info.orig_filename

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
        info = self.members[name]
        if info.flag_bits & 1:
            raise Problem("is encrypted")
        if info.external_attr >> 28 == 0xA:
            raise Problem("is a symbolic link")
        # zipfile stops at the size in the list, zipimport at the end of the compressed data.
        longer = copy.copy(info)
        longer.file_size += 1
        with self.file.open(longer) as member:
            return member.read(longer.file_size)

    def shown(self, name: str) -> str:
        """The name in the archive: that of an installed file may be another one."""
        info = self.members.get(name)
        return super().shown(info.orig_filename if info is not None else name)


class TarTree(Archive):
    """A tar file, compressed or not; the compiled files in it and all sources are kept in memory."""

    kind = "unpacked"
    description = "a tar file"

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.kept = 0
        with _Bounded(path) as stream, tarfile.open(fileobj=stream, mode="r|") as file:
            for info in file:
                if not info.isdir():
                    self._note(file, info)
            while stream.read():
                pass  # a truncated file raises at its end

    def _note(self, file: tarfile.TarFile, info: tarfile.TarInfo) -> None:
        wanted = _is_python(info.name)
        if not info.isreg():
            if wanted or info.name.rpartition("/")[2] == CACHE:
                self.unreadable.append(Unreadable(info.name, "is a link, or no regular file"))
            return
        data = None
        if wanted and info.size <= LARGEST_FILE:
            member = file.extractfile(info)
            data = member.read(info.size) if member is not None else None
            self.kept += info.size
            if self.kept > 4 * LARGEST_FILE:
                raise VerificationError(f"{self.path} has more than {4 * LARGEST_FILE} bytes of Python files")
        self.add(info.name, info.size, (info.size, int(info.mtime), data))

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


class _Bounded(io.RawIOBase):
    """The decompressed content of a tar file; raises if it is too large."""

    def __init__(self, path: str) -> None:
        with open(path, "rb") as file:
            head = file.read(6)
        opener: Any = open
        if head[:2] == b"\x1f\x8b":
            opener = gzip.open
        elif head[:3] == b"BZh":
            opener = bz2.open
        elif head == b"\xfd7zXZ\0":
            opener = lzma.open
        self.path = path
        self.file = opener(path, "rb")
        self.count = 0

    def read(self, size: int = -1) -> bytes:
        """Raises VerificationError beyond the bound."""
        data: bytes = self.file.read(min(size, 1 << 20) if size >= 0 else 1 << 20)
        self.count += len(data)
        if self.count > LARGEST_ARCHIVE:
            raise VerificationError(f"{self.path} has more than {LARGEST_ARCHIVE} bytes when it is unpacked")
        return data

    def close(self) -> None:
        """Also close the file."""
        self.file.close()
        super().close()
