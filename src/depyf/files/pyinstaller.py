"""PyInstaller's programs as trees: the archive appended to an executable, and the archives in it. Nothing is unpacked.

The formats are those of PyInstaller/archive/{readers,writers}.py and bootloader/src/pyi_archive.h:

    CArchive  at the end of the executable, or a file called .pkg: members, a table of them, and a "cookie" that says
              where it is and which Python the program has. Scripts are marshalled code, modules too from 5.3 on.
    PYZ       a member of it: modules, compressed; the table is marshalled.
    zip       base_library.zip: the modules that the interpreter needs to start. It is a member too, or is beside.
"""

from __future__ import annotations

import io
import os
import struct
import zlib
from typing import IO, Any, Iterator, NamedTuple

from ..decompiler.bytecode.code.formats import FORMATS
from ..decompiler.bytecode.reading.marshal import read_marshal
from ..decompiler.bytecode.reading.pyc import HEADER
from ..errors import PycError
from .archives import DAMAGED, Archive, leads_out
from .content import Kind, is_program, kind_of
from .names import is_compiled
from .trees import DEFAULT_LIMITS, Entry, Limits, Problem, Unreadable, VerificationError
from .zips import ZipTree

MAGIC = b"MEI\x0c\x0b\x0a\x0b\x0e"
_COOKIE = struct.Struct("!8sIIii64s")
"""Magic number, sizes and offsets of the archive and its table, version of Python (311), name of its library."""
_ROW = struct.Struct("!iIIIBc")
"""Size of the row with the name, offset, size in the file, size, whether it is compressed, type."""
_SCRIPT, _MODULE, _PACKAGE, _PYZ, _DATA, _ZIP = b"s", b"m", b"M", b"z", b"x", b"Z"
_CODE = (_SCRIPT, _MODULE, _PACKAGE)
_PACKAGE_IN_PYZ, _DATA_IN_PYZ, _NAMESPACE_IN_PYZ = 1, 2, 3
_OWN = ("pyi", "_pyi")
"""What the names of PyInstaller's own scripts begin with: pyiboot01_bootstrap, pyi_rth_..."""
_KEY = "pyimod00_crypto_key"
"""A member that holds the key with which modules are encrypted (``--key``, until PyInstaller 6)."""

_CHUNK = 1 << 20
_LARGEST_TABLE = 1 << 26
_ANY_VERSION = max(FORMATS)
"""The marshalled table of a PYZ has lists, tuples, text and numbers, which are the same in all versions."""


class _Member(NamedTuple):
    """The location of a member in the file; ``length`` is its size there, ``size`` the stated one, None if there is
    none. ``header`` precedes its content."""

    offset: int
    length: int
    size: int | None
    is_compressed: bool
    header: bytes = b""


def find_cookie(path: str, file: IO[bytes]) -> int | None:
    """The offset of the last archive's cookie in the file, found as by PyInstaller's loader; None if there is none.

    Of a library only the end is looked at, as it is no program. Raises OSError.
    """
    end = file.seek(0, os.SEEK_END)
    file.seek(0)
    all_of_it = is_program(path, file.read(4))
    while end > 0:
        start = max(0, end - _CHUNK)
        file.seek(start)
        found = file.read(end - start + len(MAGIC) - 1).rfind(MAGIC)
        if found >= 0:
            return start + found
        if not all_of_it:
            return None
        end = start
    return None


class PyInstallerTree(Archive):
    """The compiled files of a program. Scripts are listed by name, modules in a folder named after their PYZ."""

    kind = "frozen"

    def __init__(self, path: str, file: IO[bytes], cookie: int, limits: Limits = DEFAULT_LIMITS) -> None:
        super().__init__(path, file, limits)
        self.version = ""
        self._zips: dict[str, ZipTree] = {}
        self._scripts: list[str] = []
        self._encrypted = False
        self._decompressed = 0
        try:
            self._read(file, cookie)
        except (PycError, struct.error, ValueError, TypeError, OverflowError, IndexError) as error:
            raise VerificationError(f"the archive of PyInstaller in {path} is damaged: {error}") from error

    def _read(self, file: IO[bytes], cookie: int) -> None:
        file.seek(cookie)
        _, total, table, size, version, _ = _COOKIE.unpack(file.read(_COOKIE.size))
        start = cookie + _COOKIE.size - total
        if start < 0 or table + size > total or not 0 <= size <= _LARGEST_TABLE:
            raise ValueError("its sizes are not those of the file")
        # 308 and 311; 27 and 38 until PyInstaller 4.
        self.version = "{}.{}".format(*divmod(version, 100 if version >= 100 else 10))
        self.description = f"a program by PyInstaller, CPython {self.version}"
        file.seek(start + table)
        rows = list(_rows(file.read(size), self.limits.members))
        self._encrypted = any(name == _KEY for name, *_ in rows)
        self._refuse_overlaps([(offset, length, name) for name, offset, length, *_ in rows], total)
        archives = [row for row in rows if row[-1] == _PYZ]
        magic = self._magic([start + row[1] for row in archives], file)
        for name, offset, length, real, is_compressed, kind in rows:
            member = _Member(start + offset, length, real, bool(is_compressed))
            if kind in _CODE:
                self.add(_file_of(name, kind), real, member._replace(header=magic))
                self._scripts += [_file_of(name, kind)] if kind == _SCRIPT else []
            elif kind == _ZIP or name.endswith("base_library.zip"):
                self._add_zip(name, member)
            elif kind == _DATA:
                self.add(name, real, member)
        for name, offset, length, _, is_compressed, _ in archives:
            if is_compressed:
                self.unreadable.append(Unreadable(name, "is compressed as a whole, which no PyInstaller does"))
                continue
            self._add_pyz(file, name, start + offset, length)

    def _magic(self, archives: list[int], file: IO[bytes]) -> bytes:
        """A header for code without one: with the magic number of the modules, else one of the version."""
        for at in archives:
            file.seek(at)
            head = file.read(8)
            if head[:4] == b"PYZ\0":
                return head[4:8] + bytes(HEADER - 4)
        form = {"{}.{}".format(*version): form for version, form in FORMATS.items()}.get(self.version)
        if form is None:
            return b""
        return max(form.magic_numbers).to_bytes(2, "little") + b"\r\n" + bytes(HEADER - 4)

    def _refuse_overlaps(self, parts: list[tuple[int, int, str]], total: int) -> None:
        before, other = 0, ""
        for offset, length, name in sorted(parts):
            if length and offset < before:
                raise ValueError(f"{other!a} and {name!a} share bytes")
            if offset + length > total:
                raise ValueError(f"{name!a} extends past the end of the archive")
            if length:
                before, other = offset + length, name

    def _add_zip(self, name: str, member: _Member) -> None:
        """Add the members of a zip file in the archive."""
        try:
            inner = ZipTree(name, io.BytesIO(self._content(member)), self.left())
        except (Problem, VerificationError, *DAMAGED) as error:
            self.unreadable.append(Unreadable(name, str(error)))
            return
        if leads_out(name):
            self.unreadable.append(Unreadable(name, "the name leads out of the archive"))
            return
        self._zips[name] = inner
        for one in inner.compiled():
            if isinstance(one, Unreadable):
                self.unreadable.append(Unreadable(f"{name}/{one.name}", one.reason))
            else:
                self.add(f"{name}/{one}", inner.size(one), (name, one))
        for other in inner.others:
            self.add(f"{name}/{other}", inner.size(other), (name, other))

    def _add_pyz(self, file: IO[bytes], name: str, start: int, length: int) -> None:
        """Add the modules of a PYZ, which begins with its magic number, Python's, and the offset of its table."""
        file.seek(start)
        head = file.read(12)
        if head[:4] != b"PYZ\0" or len(head) < 12:
            raise ValueError(f"{name!a} is no PYZ archive")
        table = int.from_bytes(head[8:12], "big")
        if not 12 <= table <= length or length - table > _LARGEST_TABLE:
            raise ValueError(f"the table of {name!a} is not in it")
        file.seek(start + table)
        rows = read_marshal(file.read(length - table), _ANY_VERSION)
        items = list(rows.items() if isinstance(rows, dict) else rows)
        if len(items) > self.limits.members:
            raise ValueError(f"{name!a} has more than {self.limits.members} members")
        parts = []
        for module, (kind, offset, size) in items:
            if not isinstance(module, str) or not all(isinstance(one, int) and one >= 0 for one in (offset, size)):
                raise ValueError(f"the table of {name!a} has a row of other types")
            parts.append((offset, size, module))
            if kind in (_DATA_IN_PYZ, _NAMESPACE_IN_PYZ) or size == 0:
                continue
            inside = module.replace(".", "/") + ("/__init__" if int(kind) == _PACKAGE_IN_PYZ else "") + ".pyc"
            member = _Member(start + offset, size, None, True, head[4:8] + bytes(HEADER - 4))
            self.add(f"{name}/{inside}", size, member)
        self._refuse_overlaps(parts, table)

    def compiled(self) -> Iterator[str | Unreadable]:
        """The program's own scripts first, then those that PyInstaller puts in front of them, then the modules."""
        found = list(super().compiled())
        names = dict.fromkeys(one for one in found if isinstance(one, str))
        yield from (one for one in found if isinstance(one, Unreadable))
        scripts = sorted((name for name in self._scripts if name in names), key=lambda name: name.startswith(_OWN))
        yield from dict.fromkeys([*scripts, *names])

    def import_name(self, name: str) -> str:
        """Without the PYZ or zip file that it is in."""
        folder, _, rest = name.partition("/")
        return rest if folder in self._zips or folder.lower().endswith(".pyz") else name

    def entry(self, name: str) -> Entry | None:
        """The size in the archive, which has no times."""
        member = self.members.get(name)
        return Entry(member.length, None) if isinstance(member, _Member) else None

    def read(self, name: str) -> bytes:
        """The content, with a header of a .pyc file if it has none."""
        member: Any = self.members[name]
        if not isinstance(member, _Member):
            return self._zips[member[0]].read(member[1])
        data = self._content(member)
        if not is_compiled(name) or kind_of(data) is not Kind.MARSHALLED:
            return data
        if not member.header:
            raise Problem(f"is code of CPython {self.version}, which depyf does not read")
        return member.header + data

    def _content(self, member: _Member) -> bytes:
        most = self.limits.file
        if max(member.length, member.size or 0) > most:
            raise Problem(f"has more than {most} bytes")
        data = self.bytes_at(member.offset, member.length)
        if not member.is_compressed:
            return data
        reader = zlib.decompressobj()
        try:
            found = reader.decompress(data, most + 1 if member.size is None else member.size + 1)
        except zlib.error as error:
            if self._encrypted:
                raise Problem("is encrypted (PyInstaller's --key)") from error
            raise Problem(f"can't be decompressed: {error}") from error
        self._decompressed += len(found)
        if len(found) > most or self._decompressed > self.limits.archive:
            raise Problem("has too many bytes when it is decompressed")
        if not reader.eof or (member.size is not None and len(found) != member.size):
            raise Problem("does not have the size that the archive states")
        return found


def _file_of(name: str, kind: bytes) -> str:
    """The name of a compiled file for a script, module or package."""
    if kind == _SCRIPT:
        return f"{name}.pyc"
    return name.replace(".", "/") + ("/__init__" if kind == _PACKAGE else "") + ".pyc"


def _rows(table: bytes, most: int) -> Iterator[tuple[str, int, int, int, int, bytes]]:
    """The rows of the table of a CArchive. Raises ValueError."""
    at = count = 0
    while at < len(table):
        size, offset, length, real, is_compressed, kind = _ROW.unpack_from(table, at)
        count += 1
        if size <= _ROW.size or at + size > len(table) or count > most:
            raise ValueError("its table is damaged, or too large")
        name = table[at + _ROW.size : at + size].split(b"\0")[0].decode("utf-8", "surrogateescape")
        yield name, offset, length, real, is_compressed, kind
        at += size
