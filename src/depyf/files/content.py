"""The bytes of one file -> the kind of file, and the code in it, whatever its name."""

from __future__ import annotations

import enum
import re
from typing import Tuple

from ..decompiler.bytecode import RawCode, read_pyc_bytes
from ..decompiler.bytecode.code.formats import FORMATS
from ..decompiler.bytecode.reading.pyc import HEADER, read_code, read_code_and_end
from ..errors import PycError

Version = Tuple[int, int]

_CODE = b"c\xe3"
"""The first byte of marshalled code, without and with FLAG_REF."""
_NO_MAGIC = bytes(4)
_ARCHIVES = (b"PK\3\4", b"PK\5\6", b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0")
_EXECUTABLES = (b"\x7fELF", b"MZ", b"\xfe\xed\xfa\xce", b"\xfe\xed\xfa\xcf", b"\xce\xfa\xed\xfe", b"\xcf\xfa\xed\xfe",
                b"\xca\xfe\xba\xbe")  # fmt: skip
_LIBRARY = re.compile(r"\.(so|pyd|dll|dylib)(\.[0-9.]+)?\Z", re.IGNORECASE)
_ENDS = (b"PK\5\6", b"MEI\x0c\x0b\x0a\x0b\x0e")
"""The marks in the last bytes of a zip file, and of a program by PyInstaller."""
_UNREAD = (b"\x28\xb5\x2f\xfd", b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07", b"\x1f\x9d", b"MSCF\0\0")
"""What files begin with that Zstandard, 7-Zip, RAR, compress and Windows' makecab have written."""
_OCTAL = re.compile(rb"[ \0]*[0-7]+[ \0]*\Z")


class Kind(enum.Enum):
    """The kind of a file."""

    COMPILED = "a .pyc file"
    MARSHALLED = "marshalled code without a header"
    ARCHIVE = "an archive"
    TEXT = "text"
    OTHER = "neither compiled code nor text"


def kind_of(data: bytes) -> Kind:
    """The kind of a file with the content ``data``."""
    if data[2:4] == b"\r\n" and not data[:2].isascii() or data[2:4] == b"\r\n" and b"\0" in data[:16]:
        return Kind.COMPILED
    if _code_offset(data) is not None:
        return Kind.MARSHALLED
    if data.startswith(_ARCHIVES):
        return Kind.ARCHIVE
    return Kind.OTHER if b"\0" in data else Kind.TEXT


def is_program(name: str, head: bytes) -> bool:
    """Whether it is executable, and no library: there the archive of a program may be anywhere."""
    return head.startswith(_EXECUTABLES) and not _LIBRARY.search(name)


def may_be_archive(name: str, head: bytes, tail: bytes) -> bool:
    """Whether it is worth while to open the file of this name, first and last bytes as an archive."""
    begins = head.startswith((*_ARCHIVES, *_UNREAD)) or begins_as_tar(head)
    return begins or any(mark in tail for mark in _ENDS) or is_program(name, head)


def is_unread(head: bytes) -> bool:
    """Whether it is an archive, or compressed, in a way that depyf does not read."""
    return head.startswith(_UNREAD)


def begins_as_tar(head: bytes) -> bool:
    """Whether the header of a tar file's member is at the start, also one without the mark."""
    return head[257:262] == b"ustar" or has_checksum(head[:512])


def has_checksum(block: bytes) -> bool:
    """Whether it is the header of a member, by its checksum."""
    stated = block[148:156]
    if len(block) < 512 or not _OCTAL.match(stated):
        return False
    return int(stated.strip(b" \0"), 8) == sum(block) - sum(stated) + 8 * 0x20


def _code_offset(data: bytes) -> int | None:
    """The offset of marshalled code in ``data``: at its start, or after a header whose magic number is wiped."""
    for offset in (0, HEADER):
        # The type code is followed by a small four-byte number, the argument count: text has no zero bytes.
        if data[offset : offset + 1] in (_CODE[:1], _CODE[1:]) and b"\0\0" in data[offset + 1 : offset + 9]:
            return offset if offset == 0 or data[:4] == _NO_MAGIC else None
    return None


def read_compiled(data: bytes, name: str, version: Version | None = None) -> RawCode:
    """The code in ``data``, called ``name`` in messages.

    ``version`` is the CPython of code that has no header, or a header with an unknown magic number.
    Raises PycError.
    """
    kind = kind_of(data)
    if kind is Kind.MARSHALLED:
        return _without_header(data, name, version, _code_offset(data) or 0)
    try:
        return read_pyc_bytes(data, name)
    except PycError:
        if version is None or kind is not Kind.COMPILED or data[HEADER : HEADER + 1] not in (_CODE[:1], _CODE[1:]):
            raise
        if int.from_bytes(data[:2], "little") in _KNOWN:
            raise
    return _without_header(data, name, version, HEADER)


_KNOWN = frozenset(magic for form in FORMATS.values() for magic in form.magic_numbers)


def _without_header(data: bytes, name: str, version: Version | None, offset: int) -> RawCode:
    if version is None:
        versions = ", ".join("{}.{}".format(*one) for one in FORMATS if _is_of(data[offset:], one))
        hint = f"it can be read as code of {versions}" if versions else "it can be read as code of none"
        raise PycError(f"{name} has no magic number: name the CPython that made it with --python ({hint})")
    try:
        return read_code_and_end(data, version, offset)[0]
    except PycError as error:
        raise PycError(f"as code of CPython {version[0]}.{version[1]}, {error.reason}", error.offset, name) from error


def _is_of(data: bytes, version: Version) -> bool:
    try:
        read_code(data, version)
    except PycError:
        return False
    return True
